"""The traits of a graph that matter before a run of it can start, computed once for each graph."""

from dataclasses import dataclass
from functools import lru_cache

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.callees import Callee, list_callees
from elcano.graphs.mode_choice import can_choose_mode
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode, find_reachable
from elcano.graphs.spec.limits import DATA_PATH
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits


@dataclass(frozen=True)
class GraphTraits:
    """A graph, and its traits on which the judgement of a request depends."""

    graph: ResearchGraph
    chooses_mode: bool
    plans_sections: bool
    asks_databases: bool
    """It can do nothing without a database."""
    may_ask_databases: bool
    has_data_paths: bool
    """It has branches whose calls of databases have a time limit of their own (`with_path_seconds`)."""
    callees: tuple[Callee, ...]
    """The agents that it calls, those of its branches too."""
    defaults: Limits


@lru_cache(maxsize=256)
def read_graph_traits(graph: ResearchGraph) -> GraphTraits:
    """Looks a graph over."""
    return GraphTraits(
        graph=graph,
        chooses_mode=can_choose_mode(graph),
        plans_sections=has_sections(graph),
        asks_databases=asks_databases(graph),
        may_ask_databases=may_ask_databases(graph),
        has_data_paths=any(branch.name == DATA_PATH for branch in graph.branches.values()),
        callees=list_callees(graph),
        defaults=default_limits(graph),
    )


def may_ask_databases(graph: ResearchGraph) -> bool:
    """Whether a graph reads which databases its run has, on one of its ways at least."""
    return any(_reads_databases(node) for each in graph.all_graphs() for node in each.nodes)


def asks_databases(graph: ResearchGraph) -> bool:
    """Whether a graph does so on each of its ways, so that it can do nothing without a database."""
    if not may_ask_databases(graph):
        return False
    asking = {node.id for node in graph.nodes if _reads_databases(node) or _branches_ask(graph, node)}
    reached = find_reachable([graph.entry_node], lambda id: () if id in asking else graph.list_next_nodes(id))
    return reached.isdisjoint(set(graph.exit_nodes) - asking)


def _reads_databases(node: Node) -> bool:
    return isinstance(node, ToolNode) and node.tool == "schema_context" and "databases" in (node.for_each or "")


def _branches_ask(graph: ResearchGraph, node: Node) -> bool:
    return any(asks_databases(graph.branches[edge.branch]) for edge in graph.branches_from(node.id))
