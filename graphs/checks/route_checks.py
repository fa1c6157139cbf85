"""Checks of edges: which errors one can match, and whether a node whose output is read was visited before.

Agents and tools may fail by errors of their own, with any name; a name similar to a known one counts as misspelled.
Every other node has few ways to fail; so has a tool that runs once per item, because a failed item is data.

A path has to lead from a node to one that reads its output. A node can always read its own output from an earlier
visit. Exits are excepted: a run that has to end comes there from anywhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from elcano.graphs.checks.expression_paths import nodes_read
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.expressions.language import find_expression_fault as unusable
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    ErrorEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    StateNode,
    ToolNode,
    find_reachable,
)
from elcano.graphs.spec.walks import map_neighbours
from elcano.graphs.state.failures import FailureType


@dataclass(frozen=True)
class _Reading:
    """One expression, the node that reads it, and its place."""

    expression: str
    node: str
    place: str


def order_faults(graph: ResearchGraph) -> Iterator[Fault]:
    """Every output that is read where it can never be there; `graph` has no edge that leads nowhere."""
    onward = map_neighbours(graph, lambda edge: (edge.from_node, edge.to_node))
    behind: dict[str, set[str]] = {}
    for reading in _list_readings(graph):
        if graph.is_closing(reading.node) or unusable(reading.expression):
            continue
        for read in nodes_read(reading.expression):
            if read not in graph.by_id or read == reading.node:
                continue
            if read not in behind:
                behind[read] = find_reachable(onward.get(read, ()), lambda node: onward.get(node, ()))
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


NEVER_MET: Final[Mapping[str, str]] = {
    FailureType.PROVIDER: "a provider that cannot answer holds the run",
    FailureType.STORE_DOWN: "a store that cannot be used holds the run",
    FailureType.MODEL_REFUSED: "a refused key or model holds the run, or fails it, until somebody mends that",
    FailureType.BUDGET: "a budget that is spent leads to the exit, or waits for more",
    FailureType.ABANDONED: "a call is given up because its run ends",
}
"""Errors by which no edge is ever taken, and what comes of them instead."""
CALLED: Final = frozenset(
    {
        FailureType.INPUT_INVALID,
        FailureType.TIMEOUT,
        FailureType.PAYLOADS_TOO_LARGE,
        FailureType.SOURCE_REFUSED,
        FailureType.SOURCE_UNAVAILABLE,
        FailureType.TOOL_UNAVAILABLE,
        FailureType.TOOL_REFUSED,
        FailureType.APPROVAL_NEEDED,
        FailureType.APPROVAL_REFUSED,
        FailureType.OUTCOME_UNKNOWN,
    }
)
"""Errors of any call."""
OF_MODELS: Final = frozenset(
    {
        FailureType.MODEL_OUTPUT,
        FailureType.MODEL_CUT_OFF,
        FailureType.MODEL_DECLINED,
        FailureType.PROMPT_TOO_LONG,
        FailureType.REQUEST_REFUSED,
        FailureType.LIMIT_REACHED,
    }
)
"""Errors of a call that asks a model."""
ALIKE: Final = 0.85
"""From here on a name that is not known resembles a known one too much to be another."""


def error_faults(node: Node, edge: ErrorEdge) -> Iterable[str]:
    """Every error of `edge` by which `node` will never be left."""
    known = _list_possible_errors(node)
    own = isinstance(node, AgentNode) or (isinstance(node, ToolNode) and node.for_each is None)
    for error in edge.types:
        if error in NEVER_MET:
            yield f"no edge is taken by {error!r}: {NEVER_MET[error]}"
        elif not own:
            yield from explain_unknown_name(f"error of a {node.kind} node", error, known)
        elif error not in known and (close := get_close_matches(error, known, n=1, cutoff=ALIKE)):
            yield f"unknown error {error!r}; did you mean {close[0]!r}?"


def _list_possible_errors(node: Node) -> frozenset[str]:
    match node:
        case AgentNode():
            return CALLED | OF_MODELS
        case ToolNode() if node.for_each is None:
            return CALLED | {FailureType.CIRCUIT_OPEN}
        case ParallelNode():
            return frozenset({FailureType.INPUT_INVALID, FailureType.BRANCHES_FAILED})
        case _:
            return frozenset({FailureType.INPUT_INVALID})
