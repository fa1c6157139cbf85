"""What a run of a graph may spend unless somebody says so, and which limits cannot work for it, said before it starts.

A fault shows its arithmetic, so that whoever set the limit can see what to change. The figures of agents are those of
`catalogue` that estimates use too.
"""

from collections.abc import Iterable
from math import ceil
from typing import Final

from graphs.branches import SHORTEST_SECONDS, WRITING_SHARE
from graphs.budget import Limits
from graphs.catalogue import AGENTS
from graphs.inputs import PROMPT_TOKENS, minimum_tokens
from graphs.spec import AgentNode, ParallelNode, ResearchGraph

EXIT_SECONDS: Final = 1.0
"""An exit node that has less time than this cannot even ask its model."""
BRANCHING_FACTOR: Final = 2
"""A graph with branches may use this many times the tokens and the time of one research loop."""


def default_limits(graph: ResearchGraph) -> Limits:
    """What a run of `graph` may spend if nobody says otherwise."""
    limits = Limits()
    if not _parallel_nodes(graph):
        return limits
    return limits.model_copy(
        update={"tokens": limits.tokens * BRANCHING_FACTOR, "seconds": limits.seconds * BRANCHING_FACTOR}
    )


def limit_faults(graph: ResearchGraph, limits: Limits) -> list[str]:
    """Every reason why `limits` cannot work for `graph`, which is valid; an empty list if they can."""
    return [
        *_exit_tokens(graph, limits),
        *_research_tokens(graph, limits),
        *_steps(graph, limits),
        *_seconds(graph, limits),
    ]


def _exit_tokens(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    exits = [node for node in graph.nodes if isinstance(node, AgentNode) and node.id in graph.exit_nodes]
    kept = limits.tokens * limits.reserve
    for node in exits:
        answer = AGENTS[node.agent].output_tokens
        needed = PROMPT_TOKENS + answer
        if kept < needed:
            yield (
                f"{limits.reserve:.0%} of {limits.tokens:,} tokens, {int(kept):,}, are kept for {node.id!r}, which "
                f"needs {needed:,} ({PROMPT_TOKENS:,} for its prompt, {answer:,} for its answer)"
                + (f": give at least {ceil(needed / limits.reserve):,} tokens" if limits.reserve else "")
            )


def _research_tokens(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    share = 1 - limits.reserve
    for_research = int(limits.tokens * share)
    needed = _one_visit(graph)
    if for_research < needed:
        yield (
            f"{share:.0%} of {limits.tokens:,} tokens, {for_research:,}, are for research, and one visit of each agent "
            f"before the report takes {needed:,}: give at least {ceil(needed / share):,} tokens"
        )


def _one_visit(graph: ResearchGraph) -> int:
    """Tokens of one visit of each agent that is no exit, and of each branch once."""
    before = [node for node in graph.nodes if node.id not in graph.exit_nodes]
    agents = sum(PROMPT_TOKENS + AGENTS[node.agent].output_tokens for node in before if isinstance(node, AgentNode))
    edges = [edge for node in _parallel_nodes(graph) for edge in graph.branches_from(node.id)]
    return agents + sum(minimum_tokens(graph.branches[edge.branch]) for edge in edges)


def _steps(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
    shortest = _shortest_way(graph)
    if limits.steps < shortest:
        yield f"the shortest way through {graph.name!r} has {shortest} steps, and {limits.steps} are allowed"
    if _parallel_nodes(graph) and limits.sections > limits.steps:
        yield f"{limits.sections} sections are more than the {limits.steps} steps that are allowed"


def _shortest_way(graph: ResearchGraph) -> int:
    """Nodes on the shortest way from the entry through an exit."""
    exits = frozenset(graph.exit_nodes)
    reached, ring, length = {graph.entry_node}, {graph.entry_node}, 1
    while ring and not ring & exits:
        ring = {edge.to_node for node in ring for edge in graph.routes_from(node)} - reached
        reached |= ring
        length += 1
    return length


def _seconds(graph: ResearchGraph, limits: Limits) -> Iterable[str]:
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
        needed = waves * SHORTEST_SECONDS / WRITING_SHARE
        if limits.seconds * share < needed:
            yield (
                f"{share:.0%} of {limits.seconds:g} s, {limits.seconds * share:.1f} s, are for research, and "
                f"{sections} sections, {node.max_concurrency} at a time, take at least {needed:.1f} s in {node.id!r} "
                f"({SHORTEST_SECONDS:g} s each): give at least {ceil(needed / share)} s, or allow fewer sections"
            )


def _parallel_nodes(graph: ResearchGraph) -> list[ParallelNode]:
    return [node for node in graph.nodes if isinstance(node, ParallelNode)]
