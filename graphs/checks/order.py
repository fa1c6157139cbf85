"""Checks that a node whose output is read was left before: that some path leads from it to the node that reads.

What it left itself when it was visited before a node can always read. An exit is left out: a run that has to end comes
there from anywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from elcano.graphs.checks.expression_paths import nodes_read
from elcano.graphs.checks.walks import find_reachable_nodes, map_neighbours
from elcano.graphs.expressions.language import find_expression_fault as unusable
from elcano.graphs.spec.faults import Fault, build_json_pointer
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    StateNode,
    ToolNode,
)


@dataclass(frozen=True)
class _Reading:
    """One expression, the node that reads it, and where it stands."""

    expression: str
    node: str
    place: str


def order_faults(graph: ResearchGraph) -> Iterator[Fault]:
    """Every output that is read where it can never be there; `graph` has no edge that leads nowhere."""
    onward = map_neighbours(graph, lambda edge: (edge.from_node, edge.to_node))
    behind: dict[str, set[str]] = {}
    for reading in _list_readings(graph):
        if reading.node in graph.exit_nodes or unusable(reading.expression):
            continue
        for read in nodes_read(reading.expression):
            if read not in graph.by_id or read == reading.node:
                continue
            if read not in behind:
                behind[read] = find_reachable_nodes(onward, onward.get(read, ()))
            if reading.node not in behind[read]:
                text = f"no way leads from node {read!r} to it, so it never sees what that leaves"
                yield Fault(f"node {reading.node!r}: {text} (in {reading.expression!r})", reading.place)


def _list_readings(graph: ResearchGraph) -> Iterator[_Reading]:
    for number, node in enumerate(graph.nodes):
        yield from _of_node(node, build_json_pointer("nodes", number))
    for number, edge in enumerate(graph.edges):
        place = build_json_pointer("edges", number)
        if isinstance(edge, ConditionalEdge):
            yield _Reading(edge.when, edge.from_node, f"{place}/when")
        elif isinstance(edge, ParallelEdge):
            for field, expression in edge.inputs.items():
                yield _Reading(expression, edge.from_node, place + build_json_pointer("inputs", field))


def _of_node(node: Node, place: str) -> Iterator[_Reading]:
    if isinstance(node, AgentNode | ToolNode | StateNode):
        for field, expression in node.inputs.items():
            yield _Reading(expression, node.id, place + build_json_pointer("inputs", field))
    if isinstance(node, ToolNode | ParallelNode) and node.for_each:
        yield _Reading(node.for_each, node.id, f"{place}/for_each")
    if node.choose:
        yield _Reading(node.choose, node.id, f"{place}/choose")
