"""Graphs as JSON that someone wrote: graphs and agents by name in it, and why it is not a valid graph.

Names are for authors: `my_graph@3` in place of a branch, `screener` called by a node. A graph that is stored or run
contains the named graphs themselves and carries the agents that its nodes call, each under its name and version, so
later changes to a name do not affect it. An agent defined in the JSON itself, under `agents`, is called by its name
there; nodes of the graph's branches can call it too.

Each fault has its place in that JSON. pydantic includes the names of its models in a place (`nodes.0.agent.id`, for a
node of the kind `agent`); these mean nothing to the author.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError

from elcano.graphs.catalogue.agents import AGENTS
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
from elcano.graphs.spec.limits import (
    MAX_AGENTS,
    MAX_DEPTH,
    MAX_FAULTS,
    MAX_GRAPHS,
    MAX_NODES,
    AgentLimits,
    first_faults,
)
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.text import suggest_name


def branches_named(graph: object) -> dict[str, str]:
    """Return the names that stand for branches in the JSON of a graph, each by the place of its first use.

    If it has more branches than a graph may have, only the first: it is refused for that anyway.
    """
    found: dict[str, str] = {}
    for place, name in _iter_named_branches(graph, "branches", MAX_DEPTH):
        if name not in found.values():
            found[place] = name
        if len(found) >= MAX_GRAPHS:
            break
    return found


def with_branches(graph: Any, known: Mapping[str, ResearchGraph]) -> Any:
    """The JSON of a graph with graphs for the names that are `known`."""
    return _replace_named_branches(graph, known, MAX_DEPTH)


def _iter_named_branches(graph: object, at: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, branch in _get_mapping(graph, "branches").items():
        place = f"{at}.{name}"
        if isinstance(branch, str):
            yield place, branch
        elif depth > 1:
            yield from _iter_named_branches(branch, f"{place}.branches", depth - 1)


def _replace_named_branches(graph: Any, known: Mapping[str, ResearchGraph], depth: int) -> Any:
    branches = _get_mapping(graph, "branches")
    if not branches or depth < 1:
        return graph
    found = {
        name: known[branch].model_dump(mode="json")
        if isinstance(branch, str) and branch in known
        else _replace_named_branches(branch, known, depth - 1)
        for name, branch in branches.items()
    }
    return {**graph, "branches": found}


class StoredAgent(NamedTuple):
    """The stored agent that a name refers to."""

    key: str
    """The name for nodes from now on: its name and version."""
    agent: OwnAgent


def agents_called(graph: object) -> list[str]:
    """The names, each once, by which nodes call agents that are neither built in nor in the JSON.

    Of more than a graph may have, the first: it is refused for that anyway.
    """
    found: dict[str, None] = {}
    for name in _iter_called_agents(graph, frozenset(), MAX_DEPTH):
        found[name] = None
        if len(found) > MAX_AGENTS:
            break
    return list(found)


def agents_carried(graph: object) -> Iterator[tuple[str, Any]]:
    """Return the agents defined in the JSON of a graph and of its branches, by their names there."""
    waiting = [(graph, MAX_DEPTH)]
    while waiting:
        one, depth = waiting.pop()
        yield from list(_get_mapping(one, "agents").items())[: MAX_AGENTS + 1]
        if depth > 1:
            waiting += [(branch, depth - 1) for branch in _get_mapping(one, "branches").values()]


def with_agents(graph: Any, kept: Mapping[str, StoredAgent]) -> Any:
    """The JSON of a graph with the agents in it that its nodes call, as far as they are `kept` or in it already."""
    return _carry_agents(
        graph, {}, {name: (one.key, one.agent.model_dump(mode="json")) for name, one in kept.items()}, MAX_DEPTH
    )


def _carry_agents(graph: Any, above: Mapping[str, Any], kept: Mapping[str, tuple[str, Any]], depth: int) -> Any:
    """`above` are the agents of the graphs that this one is a branch of."""
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    if depth < 1 or not isinstance(nodes, list | tuple) or len(nodes) > MAX_NODES:
        return graph
    own = _get_mapping(graph, "agents")
    known = {**above, **own}
    changed, carried = [], {}
    for node in nodes:
        name = _get_own_agent(node)
        if name is not None and name in known:
            carried[name] = known[name]
        elif name is not None and name in kept:
            key, agent = kept[name]
            node, carried[key] = {**node, "agent": key}, agent
        changed.append(node)
    branches = _get_mapping(graph, "branches")
    within = {name: _carry_agents(branch, known, kept, depth - 1) for name, branch in branches.items()}
    below = {name for branch in within.values() for name in _get_mapping(branch, "agents")}
    idle = {name: agent for name, agent in own.items() if name not in carried and name not in below}
    whole = {**graph, "nodes": changed}
    if branches:
        whole["branches"] = within
    if carried or own:
        whole["agents"] = {**carried, **idle}
    return whole


def _iter_called_agents(graph: object, known: frozenset[str], depth: int) -> Iterator[str]:
    known |= _get_mapping(graph, "agents").keys()
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    for node in nodes[:MAX_NODES] if isinstance(nodes, list) else ():
        if (name := _get_own_agent(node)) is not None and name not in known:
            yield name
    if depth > 1:
        for branch in _get_mapping(graph, "branches").values():
            yield from _iter_called_agents(branch, known, depth - 1)


def _get_own_agent(node: object) -> str | None:
    """The agent that a node calls, if it is not a built-in one."""
    if not isinstance(node, Mapping) or node.get("kind") != "agent":
        return None
    name = node.get("agent")
    return name if isinstance(name, str) and name not in AGENTS else None


def _get_mapping(graph: object, name: str) -> Mapping[str, Any]:
    part = graph.get(name) if isinstance(graph, Mapping) else None
    return part if isinstance(part, Mapping) else {}


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
"""Plain messages for pydantic's errors in words of Python, or by a regular expression, by its type of error: names
alone have a form."""


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
        hint = _suggest_correction(one, parts, tag)
        yield Fault(f"{message}; {hint}" if hint else message, build_json_pointer(*parts))


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
        return suggest_name(str(parts[-1]), _list_known_fields(parts, tag))
    if error["type"] == "union_tag_invalid":
        kinds = _KINDS.get(str(parts[-2]) if len(parts) > 1 else "", {})
        return suggest_name(str(error.get("ctx", {}).get("tag", "")), kinds)
    if error["type"] == "literal_error":
        expected = str(error.get("ctx", {}).get("expected", "")).replace(" or ", ", ")
        return suggest_name(str(error.get("input"))[:60], [one.strip("' ") for one in expected.split(",")])
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
