"""The faults of a graph at once, each naming its node or edge and what to do.

This file looks at the shape: ids, edges, reachability, cycles. `size` counts first, so that no walk here is long;
`references` looks at what the nodes name: agents, tools, reducers, fields and expressions.

Checks the limits of nodes: models with impossible names, and token limits too low for the agent to work.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from itertools import chain

from elcano.graphs.checks.callees import ambiguous_agents, find_valid_agent, own_agent_faults
from elcano.graphs.checks.expression_paths import order_faults
from elcano.graphs.checks.references import error_faults, hands_nothing_over, reference_faults
from elcano.graphs.engine.budget_check import one_visit
from elcano.graphs.errors import Fault, GraphInvalid, build_json_pointer, pointer_of
from elcano.graphs.model_names import model_fault
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    Edge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    Route,
    SequentialEdge,
    find_reachable,
)
from elcano.graphs.spec.limits import first_faults, size_faults
from elcano.graphs.spec.walks import map_neighbours
from elcano.graphs.text import suggest_name


def find_node_limit_faults(graph: ResearchGraph, node: Node) -> Iterable[Fault]:
    """Why the limits of a node cannot work; nothing if they can, or there are none."""
    if not isinstance(node, AgentNode) or node.limits is None:
        return
    if node.limits.model is not None and (fault := model_fault(node.limits.model)) is not None:
        yield Fault(fault, "/limits/model")
    if node.limits.tokens is not None and (agent := find_valid_agent(graph, node.agent)) is not None:
        needed = one_visit(agent, get_rules())
        if node.limits.tokens < needed:
            text = f"{node.limits.tokens:,} tokens are less than one call of {node.agent!r} takes: give it {needed:,}"
            yield Fault(f"{text} at least", "/limits/tokens")


def require_valid(graph: ResearchGraph) -> None:
    """Refuses a graph that has faults.

    Raises:
        GraphInvalid: with every fault.
    """
    if found := find_graph_faults(graph):
        raise GraphInvalid(graph.name, found, [pointer_of(fault) for fault in found])


def find_graph_faults(graph: ResearchGraph, kept: Collection[str] = ()) -> list[Fault]:
    """Return the faults of `graph` and of its branches, up to a maximum; an empty list means that it can run.

    If it is too large, that is the only fault reported. `kept` are names of stored custom agents, for suggestions if it
    names an unknown one.
    """
    return size_faults(graph) or first_faults(chain(_collect_faults(graph, kept), ambiguous_agents(graph)))


def _collect_faults(graph: ResearchGraph, kept: Collection[str]) -> Iterable[Fault]:
    yield from _find_count_faults(graph)
    lost = _find_endpoint_faults(graph)
    yield from lost
    yield from own_agent_faults(graph)
    yield from reference_faults(graph, kept)
    for number, node in enumerate(graph.nodes):
        yield from (
            fault.within(f"node {node.id!r}", build_json_pointer("nodes", number))
            for fault in find_node_limit_faults(graph, node)
        )
    if not lost:  # the walks below need edges that lead somewhere
        yield from (
            *_find_routing_faults(graph),
            *_find_error_edge_faults(graph),
            *_find_ending_faults(graph),
            *_find_reachability_faults(graph),
            *_find_cycle_faults(graph),
        )
        yield from order_faults(graph)
    yield from (*_branch_faults(graph), *_parallel_faults(graph))
    for name, branch in graph.branches.items():
        yield from (
            fault.within(f"branch {name!r}", build_json_pointer("branches", name))
            for fault in _collect_faults(branch, kept)
        )


def _find_count_faults(graph: ResearchGraph) -> Iterable[Fault]:
    for node_id, count in Counter(node.id for node in graph.nodes).items():
        if count > 1:
            last = max(number for number, node in enumerate(graph.nodes) if node.id == node_id)
            yield Fault(
                f"node {node_id!r}: {count} nodes have this id; make them unique",
                build_json_pointer("nodes", last, "id"),
            )
    if not graph.exit_nodes:
        yield Fault("there is no exit node; name at least one in `exit_nodes`", "/exit_nodes")


def _find_endpoint_faults(graph: ResearchGraph) -> list[Fault]:
    found = []
    if graph.entry_node not in graph.by_id:
        found.append(
            _build_missing_node_fault(
                graph, f"entry node {graph.entry_node!r} does not exist", graph.entry_node, "/entry_node"
            )
        )
    for number, exit_id in enumerate(graph.exit_nodes):
        if exit_id not in graph.by_id:
            place = build_json_pointer("exit_nodes", number)
            found.append(_build_missing_node_fault(graph, f"exit node {exit_id!r} does not exist", exit_id, place))
    if graph.appendix is not None and not isinstance(graph.by_id.get(graph.appendix), AgentNode):
        found.append(Fault(f"appendix {graph.appendix!r} is not a node that calls an agent", "/appendix"))
    for number, edge in enumerate(graph.edges):
        ends = {"from_node": edge.from_node} | ({} if isinstance(edge, ParallelEdge) else {"to_node": edge.to_node})
        for field, end in ends.items():
            if end not in graph.by_id:
                place = build_json_pointer("edges", number, field)
                found.append(
                    _build_missing_node_fault(graph, f"{_format_edge(edge)}: node {end!r} does not exist", end, place)
                )
    return found


def _build_missing_node_fault(graph: ResearchGraph, message: str, named: str, place: str) -> Fault:
    """The fault of a name that no node has, with the one that was probably meant."""
    hint = suggest_name(named, graph.by_id)
    return Fault(f"{message}; {hint}" if hint else message, place)


def _find_routing_faults(graph: ResearchGraph) -> Iterable[Fault]:
    exits = frozenset(graph.exit_nodes)
    for number, node in enumerate(graph.nodes):
        routes = graph.routes_from(node.id)
        always = [edge for edge in routes if isinstance(edge, SequentialEdge)]
        of, place = f"node {node.id!r}", build_json_pointer("nodes", number)
        if node.id == graph.appendix:
            if node.id in exits or any(node.id in (one.from_node, getattr(one, "to_node", "")) for one in graph.edges):
                yield Fault(f"{of}: it is the appendix, so it is no exit, and no edge leads to it or from it", place)
        elif node.id in exits:
            if routes or graph.error_edges_from(node.id):
                yield Fault(f"{of}: it is an exit, so no edge may leave it", place)
            if node.choose:
                yield Fault(f"{of}: it is an exit, so there is nothing to choose", f"{place}/choose")
            if node.kind in ("decision", "parallel"):
                yield Fault(f"{of}: a {node.kind} node cannot be an exit; an exit writes something", place)
        elif len(always) != 1:
            needs = "it needs exactly one sequential edge, the way on when no condition holds"
            yield Fault(f"{of}: {needs}; it has {len(always)}", place)
        elif node.choose and len(targets := {edge.to_node for edge in routes}) < 2:
            needs = "`choose` needs edges to at least two nodes to choose from"
            yield Fault(f"{of}: {needs}; it has {len(targets)}", f"{place}/choose")


def _find_error_edge_faults(graph: ResearchGraph) -> Iterable[Fault]:
    for node in graph.nodes:
        taken: set[str] = set()
        for edge in graph.error_edges_from(node.id):
            new = edge.types or ("",)
            texts = [
                *error_faults(node, edge),
                *(_explain_duplicate_error(error) for error in dict.fromkeys(new) if error in taken),
            ]
            yield from (Fault(f"{_format_edge(edge)}: {text}", f"{_locate_edge(graph, edge)}/types") for text in texts)
            taken.update(new)


def _explain_duplicate_error(error: str) -> str:
    named = f"the error {error!r}" if error else "every error that no other edge names"
    return f"another edge of its node takes {named} already; keep one of them"


def _find_ending_faults(graph: ResearchGraph) -> Iterable[Fault]:
    exits = frozenset(graph.exit_nodes)
    for edge in graph.edges:
        if isinstance(edge, ConditionalEdge) and edge.ending and edge.to_node not in exits:
            text = f"{_format_edge(edge)}: it has `ending: {edge.ending}`, so it must lead to an exit"
            yield Fault(text, f"{_locate_edge(graph, edge)}/ending")


def _find_reachability_faults(graph: ResearchGraph) -> Iterable[Fault]:
    """Every node is reached, if need be after an error; and from every node an exit is, without one."""
    onward = map_neighbours(graph, lambda edge: (edge.from_node, edge.to_node))
    backward = map_neighbours(graph, lambda edge: (edge.to_node, edge.from_node) if isinstance(edge, Route) else None)
    reached = find_reachable([graph.entry_node], lambda node: onward.get(node, ()))
    returning = find_reachable(graph.exit_nodes, lambda node: backward.get(node, ()))
    for number, node in enumerate(graph.nodes):
        place = build_json_pointer("nodes", number)
        if node.id == graph.appendix:
            continue
        if node.id not in reached:
            yield Fault(f"node {node.id!r}: it cannot be reached from the entry {graph.entry_node!r}", place)
        elif node.id not in returning:
            unless = " unless something fails" if graph.error_edges_from(node.id) else ""
            yield Fault(f"node {node.id!r}: no exit can be reached from it{unless}", place)


def _find_cycle_faults(graph: ResearchGraph) -> Iterable[Fault]:
    """Find cycles without an edge that is declared as a loop."""
    forward = map_neighbours(graph, lambda edge: None if edge.loop else (edge.from_node, edge.to_node))
    onward = map_neighbours(graph, lambda edge: (edge.from_node, edge.to_node))

    @cache
    def find_behind(node: str, *, loops: bool) -> set[str]:
        return find_reachable([node], lambda one: (onward if loops else forward).get(one, ()))

    for number, edge in enumerate(graph.edges):
        place = build_json_pointer("edges", number)
        if isinstance(edge, ParallelEdge):
            continue
        leads_back = edge.from_node in find_behind(edge.to_node, loops=edge.loop)
        if edge.loop:
            if not leads_back:
                yield Fault(f"{_format_edge(edge)}: it is declared as a loop but does not lead back", f"{place}/loop")
        elif leads_back:
            text = "it is part of a cycle; declare the edge that leads back with `loop: true`"
            yield Fault(f"{_format_edge(edge)}: {text}", place)


def _branch_faults(graph: ResearchGraph) -> Iterable[Fault]:
    used = {edge.branch for edge in graph.edges if isinstance(edge, ParallelEdge)}
    for name, branch in graph.branches.items():
        place = build_json_pointer("branches", name)
        if name not in used:
            yield Fault(f"branch {name!r}: no parallel edge leads to it", place)
        elif hands_nothing_over(branch):
            text = (
                "it hands nothing back: let a writer end it, add what it finds to its evidence (reducer "
                "'add_evidence') or declare a `result`"
            )
            yield Fault(f"branch {name!r}: {text}", place)
    for number, edge in enumerate(graph.edges):
        if isinstance(edge, ParallelEdge):
            if edge.branch not in graph.branches:
                text = f"{_format_edge(edge)}: there is no branch {edge.branch!r}"
                hint = suggest_name(edge.branch, graph.branches)
                place = build_json_pointer("edges", number, "branch")
                yield Fault(f"{text}; {hint}" if hint else text, place)
            if not isinstance(graph.by_id.get(edge.from_node), ParallelNode | None):
                text = f"{_format_edge(edge)}: node {edge.from_node!r} is not a parallel node"
                yield Fault(text, build_json_pointer("edges", number, "from_node"))


def _parallel_faults(graph: ResearchGraph) -> Iterable[Fault]:
    for number, node in enumerate(graph.nodes):
        if isinstance(node, ParallelNode):
            branches = len(graph.branches_from(node.id))
            of, place, must = f"node {node.id!r}", build_json_pointer("nodes", number), node.must_succeed
            if branches == 0:
                yield Fault(f"{of}: it has no branch; add a parallel edge", place)
            if node.for_each and branches > 1:
                text = f"{of}: with `for_each` it runs one branch per item, but it has {branches}"
                yield Fault(text, f"{place}/for_each")
            if not node.for_each and must > branches > 0:
                text = f"{of}: {must} branches must succeed, but there are {branches}"
                yield Fault(text, f"{place}/must_succeed")
            entered = [] if node.for_each else [edge.branch for edge in graph.branches_from(node.id)]
            for branch in sorted({one for one in entered if entered.count(one) > 1}):
                text = f"{of}: {entered.count(branch)} of its edges lead into the branch {branch!r}"
                yield Fault(f"{text}; one may: run it once per item of a list with `for_each`, or name it twice", place)
            most = get_rules().max_items
            if node.for_each and must > most:
                text = f"{of}: {must} branches must succeed, but at most {most} can run"
                yield Fault(text, f"{place}/must_succeed")


def _locate_edge(graph: ResearchGraph, edge: Edge) -> str:
    return build_json_pointer("edges", next(number for number, one in enumerate(graph.edges) if one is edge))


def _format_edge(edge: Edge) -> str:
    to = edge.branch if isinstance(edge, ParallelEdge) else edge.to_node
    return f"edge {edge.from_node!r} -> {to!r}"
