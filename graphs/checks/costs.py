"""Estimates the cost of a run of a graph before it starts, in tokens and in model calls, from the estimates' figures.

`least` is a run that goes straight through: every agent on the shortest path once, shown the results of one search.
`usual` loops as often as the default limits allow, in sections if there are some. Neither includes a model's hidden
reasoning; `most` is the default limit, which does.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from elcano.graphs.catalogue.agents import AgentSpec, get_agent
from elcano.graphs.checks.budget_limits import ROUNDS, SECTIONS, default_limits
from elcano.graphs.engine.budget_check import one_visit
from elcano.graphs.engine.estimates import call_tokens
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, find_reachable
from elcano.graphs.spec.walks import find_shortest_path
from elcano.graphs.state.budget import Limits

CostClass: TypeAlias = Literal["low", "middle", "high"]
LOW: Final = 60_000
MIDDLE: Final = 200_000
"""Usual tokens up to which a run is of these classes."""


class Cost(Frozen):
    """The cost of a run."""

    tokens: int
    calls: int
    """Number of model calls."""

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(tokens=self.tokens + other.tokens, calls=self.calls + other.calls)

    def times(self, number: int) -> "Cost":
        """Multiply the cost."""
        return Cost(tokens=self.tokens * number, calls=self.calls * number)


class Costs(Frozen):
    """The costs of runs of a graph."""

    least: Cost
    usual: Cost
    most: int
    """Tokens: the default limit."""

    @property
    def cost_class(self) -> CostClass:
        """Roughly how dear it is."""
        return "low" if self.usual.tokens <= LOW else "middle" if self.usual.tokens <= MIDDLE else "high"


def estimate_graph_costs(graph: ResearchGraph) -> Costs:
    """Estimate the costs of runs of `graph`."""
    return Costs(
        least=_estimate_least_cost(graph), usual=_estimate_usual_cost(graph), most=default_limits(graph).tokens
    )


def of_choice(reader: ResearchGraph, ways: Sequence[ResearchGraph], usual: ResearchGraph) -> Costs:
    """Return the costs of a graph that chooses among others: the least of the cheapest, the usual of the usual one.

    Args:
        reader: the whole graph; its entry is the agent that is called first.
        ways: the graphs among which it chooses.
        usual: the one that most questions take.
    """
    first = reader.by_id[reader.entry_node]
    assert isinstance(first, AgentNode)
    asked = Cost(tokens=one_visit(get_agent(reader, first.agent), get_rules()), calls=1)
    least = min((estimate_graph_costs(way).least for way in ways), key=lambda cost: cost.tokens)
    return Costs(
        least=asked + least, usual=asked + estimate_graph_costs(usual).usual, most=default_limits(reader).tokens
    )


def _estimate_least_cost(graph: ResearchGraph) -> Cost:
    """Estimate one visit of each agent on the shortest path, and one of each branch."""
    total = Cost(tokens=0, calls=0)
    for node in (graph.by_id[id] for id in find_shortest_path(graph)):
        if isinstance(node, AgentNode):
            agent = get_agent(graph, node.agent)
            total += Cost(tokens=one_visit(agent, get_rules()), calls=2 if agent.by_section else 1)
        elif isinstance(node, ParallelNode):
            for edge in graph.branches_from(node.id):
                total += _estimate_least_cost(graph.branches[edge.branch])
    return total


def _estimate_usual_cost(graph: ResearchGraph) -> Cost:
    """Each agent of a loop so often, others once, all of a plan's sections, each writer once."""
    turning = _in_loops(graph)
    total, writing = Cost(tokens=0, calls=0), Cost(tokens=0, calls=0)
    for node in graph.nodes:
        if isinstance(node, ParallelNode):
            each = [_estimate_usual_cost(graph.branches[edge.branch]) for edge in graph.branches_from(node.id)]
            for one in each:
                total += one.times(SECTIONS if node.for_each else 1)
        elif isinstance(node, AgentNode) and not node.spare:
            call = _estimate_call_cost(get_agent(graph, node.agent))
            if node.id in graph.exit_nodes:
                writing = max(writing, call, key=lambda cost: cost.tokens)
            else:
                total += call.times(ROUNDS if node.id in turning else 1)
    return total + writing


def _estimate_call_cost(agent: AgentSpec) -> Cost:
    parts = SECTIONS + 1 if agent.by_section else 1
    brought = (ROUNDS + 1) * get_rules().search_tokens
    if agent.joins:
        return Cost(tokens=one_visit(agent, get_rules()) * parts, calls=parts)
    return Cost(tokens=call_tokens(agent, get_rules(), Limits(), 0, brought), calls=1)


def _in_loops(graph: ResearchGraph) -> set[str]:
    """The nodes that come again: those between the end of a loop's edge and its beginning."""
    found: set[str] = set()
    for edge in graph.edges:
        if edge.kind != "parallel" and edge.loop:
            found |= find_reachable([edge.to_node], graph.list_next_nodes) - {*graph.exit_nodes}
    return found
