"""The default limits of a graph's runs, limits that cannot work for it, and what runs cost, all before one starts.

A fault shows its arithmetic, so that the user can see which limit to change. The figures of agents are those of
`catalogue` that estimates use too. Of costs, in tokens and in model calls, `least` is a run that goes straight through:
every agent on the shortest path once, shown the results of one search. `usual` loops as often as the default limits
allow, in sections if there are some. Neither includes a model's hidden reasoning; `most` is the default limit, which
does.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil
from typing import Final, Literal, TypeAlias

from elcano.graphs.catalogue.agents import AgentSpec, get_agent
from elcano.graphs.engine.budget_check import (
    call_tokens,
    joining_tokens,
    loop_tokens,
    minimum_tokens,
    one_visit,
    section_tokens,
)
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, find_reachable
from elcano.graphs.spec.walks import find_shortest_path, map_neighbours
from elcano.graphs.state.budget import Budget, Estimate, Limits

EXIT_SECONDS: Final = 1.0
"""An exit node that has less time than this cannot even ask its model."""
BRANCHING_SECONDS: Final = 3
"""A graph with branches may take this many times the time of one research loop: its branches run side by side, four at
a time, and its report is written after them."""
SECTIONS: Final = 6
"""Number of sections that the default limits allow with `ROUNDS` rounds each; more of them with fewer rounds."""
ROUNDS: Final = 2
"""Number of rounds of its research loop that the default limits allow a section after its first search."""
STEP_TOKENS: Final = 50_000
"""Default limits are multiples of it."""


@lru_cache(maxsize=128)
def default_limits(graph: ResearchGraph) -> Limits:
    """Return the default limits of a run of `graph`: enough for a strong reasoning model.

    In tokens that is a prompt, all that each agent may be shown, its answer and what such a model thinks unseen
    (`Rules.hidden_tokens`), for as many rounds as there may be; in a graph of sections for `SECTIONS` with `ROUNDS`.
    A graph that says itself how often it goes round has time in proportion. A run comes to one of the exits, so of
    several it is what the dearest takes, with what may come before it.
    """
    limits = Limits() if graph.iterations is None else Limits(iterations=graph.iterations)
    ways = [_keep_paths_to_exit(graph, exit_node) for exit_node in graph.exit_nodes]
    tokens = max(
        limits.tokens, *(ceil(_estimate_default_tokens(way, limits) / STEP_TOKENS) * STEP_TOKENS for way in ways)
    )
    parallel = _parallel_nodes(graph)
    seconds = limits.seconds * (BRANCHING_SECONDS if parallel else limits.iterations / Limits().iterations)
    return limits.model_copy(update={"tokens": tokens, "seconds": seconds})


def _keep_paths_to_exit(graph: ResearchGraph, exit_node: str) -> ResearchGraph:
    """`graph` with this exit alone, and with those of its nodes from which a run may come to it."""
    backward = map_neighbours(graph, lambda edge: (edge.to_node, edge.from_node))
    reached = find_reachable([exit_node], lambda node: backward.get(node, ()))
    nodes = tuple(node for node in graph.nodes if node.id in reached)
    return graph.model_copy(update={"nodes": nodes, "exit_nodes": (exit_node,)})


def _estimate_default_tokens(graph: ResearchGraph, limits: Limits) -> int:
    if _parallel_nodes(graph):
        return _estimate_sectioned_tokens(graph)
    return loop_tokens(graph, get_rules(), limits, limits.iterations, get_rules().hidden_tokens)


def _estimate_sectioned_tokens(graph: ResearchGraph) -> int:
    """Tokens with which `SECTIONS` sections can be searched before and in each of `ROUNDS` rounds, and joined."""
    figures, hidden, one = get_rules(), get_rules().hidden_tokens, Limits()
    research = joining = 0
    for node in graph.nodes:
        if isinstance(node, ParallelNode):
            branches = [graph.branches[edge.branch] for edge in graph.branches_from(node.id)]
            each = sum(section_tokens(branch, figures, one, ROUNDS + 1, hidden) for branch in branches)
            research += each * (SECTIONS if node.for_each else 1)
        elif isinstance(node, AgentNode) and node.id in graph.exit_nodes and get_agent(graph, node.agent).joins:
            passages = figures.section_passages
            tokens = joining_tokens(get_agent(graph, node.agent), SECTIONS, figures, hidden=hidden, passages=passages)
            joining = max(joining, tokens)
        elif isinstance(node, AgentNode) and node.id not in graph.exit_nodes:
            research += call_tokens(get_agent(graph, node.agent), figures, one, hidden)
    return max(research + joining, ceil(research / (1 - one.reserve)))


@lru_cache(maxsize=512)
def find_budget_faults(graph: ResearchGraph, limits: Limits) -> tuple[str, ...]:
    """Every reason why `limits` cannot work for `graph`, which is valid; none if they can."""
    return (
        *_exit_tokens(graph, limits),
        *_research_tokens(graph, limits),
        *_find_step_limit_faults(graph, limits),
        *_find_time_limit_faults(graph, limits),
    )


def _exit_tokens(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    for node in _list_exit_agents(graph):
        needed = one_visit(get_agent(graph, node.agent), get_rules())
        if limits.tokens // 2 < needed:
            yield (
                f"at most half of {limits.tokens:,} tokens, {limits.tokens // 2:,}, can be kept for {node.id!r}, which "
                f"needs {needed:,} ({_describe_exit_cost(graph, node)}): give at least {2 * needed:,} tokens"
            )


def _research_tokens(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    at_exits = [one_visit(get_agent(graph, node.agent), get_rules()) for node in _list_exit_agents(graph)]
    kept_for, needed = max(at_exits, default=0), minimum_tokens(graph, get_rules()) - sum(at_exits)
    for_research = _for_research(limits, limits.tokens, kept_for)
    if for_research < needed:
        enough = _find_smallest_budget(limits, needed, kept_for)
        yield (
            f"of {limits.tokens:,} tokens {limits.tokens - for_research:,} are kept for the report, {for_research:,} "
            f"are for research, and one visit of each agent before the report takes {needed:,}: give at least "
            f"{enough:,} tokens"
        )


def _for_research(limits: Limits, tokens: int, kept_for: int) -> int:
    """Return the tokens left for research out of `tokens`, if the run's exit takes `kept_for`."""
    raised = limits.model_copy(update={"tokens": tokens})
    return Budget(limits=raised, exit_needs=Estimate(tokens=kept_for)).research_tokens


def _find_smallest_budget(limits: Limits, needed: int, kept_for: int) -> int:
    """The fewest tokens that leave `needed` for research: sought, since a share that is rounded has no exact inverse.

    At most half of a budget is kept, so that twice what is needed is enough.
    """
    return bisect_left(range(2 * needed), needed, key=lambda tokens: _for_research(limits, tokens, kept_for))


def _describe_exit_cost(graph: ResearchGraph, node: AgentNode) -> str:
    """Describe the cost of a visit to an exit, for people."""
    agent = get_agent(graph, node.agent)
    if "sections" in agent.input.model_fields:
        return "to join a report of one section"
    shown = min(get_rules().search_tokens, agent.evidence_tokens)
    return (
        f"{get_rules().prompt_tokens:,} for its prompt, {shown:,} for passages, {agent.output_tokens:,} for its answer"
    )


def _list_exit_agents(graph: ResearchGraph) -> list[AgentNode]:
    return [node for node in graph.nodes if isinstance(node, AgentNode) and node.id in graph.exit_nodes]


def _find_step_limit_faults(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    shortest = len(find_shortest_path(graph))
    if limits.steps < shortest:
        yield f"the shortest way through {graph.name!r} has {shortest} steps, and {limits.steps} are allowed"
    if _parallel_nodes(graph) and limits.sections > limits.steps:
        yield f"{limits.sections} sections are more than the {limits.steps} steps that are allowed"


def _find_time_limit_faults(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    kept = limits.seconds * limits.reserve
    if limits.reserve and kept < EXIT_SECONDS:
        yield (
            f"{limits.reserve:.0%} of {limits.seconds:g} s, {kept:.2f} s, are kept for writing the report, which needs "
            f"{EXIT_SECONDS:g} s: give at least {ceil(EXIT_SECONDS / limits.reserve)} s"
        )
    share = 1 - limits.reserve
    for node in _parallel_nodes(graph):
        sections = limits.sections if node.for_each else len(graph.branches_from(node.id))
        waves = ceil(sections / node.max_concurrency)
        shortest = get_rules().shortest_seconds
        needed = waves * shortest / get_rules().writing_share
        if limits.seconds * share < needed:
            yield (
                f"{share:.0%} of {limits.seconds:g} s, {limits.seconds * share:.1f} s, are for research, and "
                f"{sections} sections, {node.max_concurrency} at a time, take at least {needed:.1f} s in {node.id!r} "
                f"({shortest:g} s each): give at least {ceil(needed / share)} s, or allow fewer sections"
            )


def _parallel_nodes(graph: ResearchGraph) -> list[ParallelNode]:
    return [node for node in graph.nodes if isinstance(node, ParallelNode)]


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


def estimate_choice_costs(reader: ResearchGraph, ways: Sequence[ResearchGraph], usual: ResearchGraph) -> Costs:
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
