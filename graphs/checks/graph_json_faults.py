"""Explains why JSON is not a valid graph: each fault with its place in that JSON.

pydantic includes the names of its models in a place (`nodes.0.agent.id`, for a node of the kind `agent`); these mean
nothing to the author of the JSON.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from elcano.graphs.errors import Fault, build_json_pointer
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    ErrorEdge,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.spec.limits import MAX_FAULTS, AgentLimits, first_faults
from elcano.graphs.spec.own_agent import OwnAgent

_KINDS: Final[Mapping[str, Mapping[str, type[BaseModel]]]] = {
    "nodes": {
        "agent": AgentNode,
        "tool": ToolNode,
        "state": StateNode,
        "decision": DecisionNode,
        "parallel": ParallelNode,
    },
    "edges": {
        "sequential": SequentialEdge,
        "conditional": ConditionalEdge,
        "on_error": ErrorEdge,
        "parallel": ParallelEdge,
    },
}
"""The models in the lists of a graph, by their `kind`."""
_IN_WORDS: Final[Mapping[str, str]] = {
    "string_pattern_mismatch": "must be 1 to 48 small letters, digits and `_`, the first a letter",
    "model_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
}
"""What pydantic says in words of Python, or by a regular expression, by its type of error: names alone have a form."""


def form_faults(error: ValidationError) -> list[Fault]:
    """Return the faults, the first of many; an unknown field is reported with the known field that it resembles."""
    errors = error.errors(include_url=False, include_context=True, include_input=True)
    return first_faults(_convert_errors_to_faults(islice(errors, MAX_FAULTS + 1)))


def format_dotted_path(fault: Fault) -> str:
    """The place of a fault as requests name their fields: `nodes.0.id`; empty for the whole."""
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in fault.pointer.split("/")[1:])


def _convert_errors_to_faults(errors: Iterable[Any]) -> Iterable[Fault]:
    for one in errors:
        parts, tag = _split_location(one["loc"])
        message = f"{parts[-1]!r} is missing" if one["type"] == "missing" else _IN_WORDS.get(one["type"], one["msg"])
        yield Fault(message + _suggest_correction(one, parts, tag), build_json_pointer(*parts))


def _split_location(loc: Sequence[str | int]) -> tuple[list[str | int], str]:
    """A place without the names of models, and the kind of the node or edge that it is in; empty if it is in none."""
    parts: list[str | int] = []
    tag = ""
    within = ""
    awaited = False
    for part in loc:
        if awaited and isinstance(part, str) and part in _KINDS[within]:
            tag, awaited = part, False
            continue
        if isinstance(part, str) and part == "[key]":  # of a mapping, the name itself
            continue
        awaited = isinstance(part, int) and within in _KINDS and not tag
        if isinstance(part, str) and not tag:
            within = part
        if part == "branches":
            tag = ""
        parts.append(part)
    return parts, tag


def _suggest_correction(error: Any, parts: Sequence[str | int], tag: str) -> str:
    """Suggest a correction for the end of a message; empty if there is none."""
    if error["type"] == "extra_forbidden":
        return _suggest_close_name(str(parts[-1]), _list_known_fields(parts, tag))
    if error["type"] == "union_tag_invalid":
        kinds = _KINDS.get(str(parts[-2]) if len(parts) > 1 else "", {})
        return _suggest_close_name(str(error.get("ctx", {}).get("tag", "")), kinds)
    if error["type"] == "literal_error":
        expected = str(error.get("ctx", {}).get("expected", "")).replace(" or ", ", ")
        return _suggest_close_name(str(error.get("input"))[:60], [one.strip("' ") for one in expected.split(",")])
    return ""


def _list_known_fields(parts: Sequence[str | int], tag: str) -> Iterable[str]:
    if len(parts) > 1 and parts[-2] == "limits":
        return AgentLimits.model_fields
    for kinds in _KINDS.values():
        if tag in kinds and len(parts) > 1 and isinstance(parts[-2], int) and str(parts[-3]) in _KINDS:
            return _KINDS[str(parts[-3])][tag].model_fields
    if len(parts) == 1 or parts[-3:-1][:1] == ["branches"]:
        return ResearchGraph.model_fields
    return OwnAgent.model_fields if parts[-3:-1][:1] == ["agents"] else ()


def _suggest_close_name(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name[:60], list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
