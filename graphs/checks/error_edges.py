"""Which errors an edge `on_error` can wait for: one that its node can fail by, and that a graph can do something about.

Agents and tools may fail by errors of their own, whatever these are called; what resembles a known name is taken for
it, misspelled. Every other node has few ways to fail; so has a tool that runs once per item, for a failed item is data.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.spec.graph import AgentNode, ErrorEdge, Node, ParallelNode, ToolNode
from elcano.graphs.state.failures import FailureType

NEVER_MET: Final[Mapping[str, str]] = {
    FailureType.PROVIDER: "a provider that cannot answer holds the run",
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
