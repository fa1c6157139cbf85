"""The default limits of a graph's runs, and limits that cannot work for it, checked before a run starts.

A fault shows its arithmetic, so that the user can see which limit to change. The figures of agents are those of
`catalogue` that estimates use too.
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from math import ceil
from typing import Final

from elcano.graphs.catalogue.agents import get_agent
from elcano.graphs.engine.budget_check import minimum_tokens, one_visit
from elcano.graphs.engine.estimates import call_tokens, joining_tokens, loop_tokens, section_tokens
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
            told = joining_tokens(get_agent(graph, node.agent), SECTIONS, figures, hidden=hidden, passages=passages)
            joining = max(joining, told)
        elif isinstance(node, AgentNode) and node.id not in graph.exit_nodes:
            research += call_tokens(get_agent(graph, node.agent), figures, one, hidden)
    return max(research + joining, ceil(research / (1 - one.reserve)))


@lru_cache(maxsize=512)
def limit_faults(graph: ResearchGraph, limits: Limits) -> tuple[str, ...]:
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
    kept_for = max(
        (one_visit(get_agent(graph, node.agent), get_rules()) for node in _list_exit_agents(graph)), default=0
    )
    needed = minimum_tokens(graph, get_rules()) - sum(
        one_visit(get_agent(graph, node.agent), get_rules()) for node in _list_exit_agents(graph)
    )
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
