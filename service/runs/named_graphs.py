"""The graphs that runs can be started with: the built-in ones and those of a tenant's own, by name or as JSON."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from pydantic import ValidationError

from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.errors import Fault, GraphInvalid, build_json_pointer, pointer_of, trim_pointer_to_document
from elcano.graphs.graph_json import (
    StoredAgent,
    agents_called,
    agents_carried,
    branches_named,
    form_faults,
    format_dotted_path,
    with_agents,
    with_branches,
)
from elcano.graphs.mode_choice import MODES, list_aliases, mode_named
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import AND_MORE, MAX_AGENTS, size_faults
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.service.errors import FieldFault, GraphNotFound, RequestInvalid
from elcano.storage.store import TenantStore
from elcano.storage.versions import VersionStore

OwnGraphs: TypeAlias = VersionStore[ResearchGraph]


async def find_named_graph(text: str, own: OwnGraphs) -> ResearchGraph | None:
    """The graph that `text` names (a mode, `name` or `name@version` of one's own, an alias); None if there is none."""
    if (built_in := MODES.get(text)) is not None:
        return built_in
    kept = await own.get_named(text)  # one that was kept before there was an alias of its name keeps it
    return mode_named(text) if kept is None else kept.item


async def explain_unknown_mode(text: str, own: OwnGraphs) -> Iterable[str]:
    """Say that there is no graph of this name, and which there are; nothing if there is one."""
    if await find_named_graph(text, own) is not None:
        return ()
    return explain_unknown_name("mode", text, await list_graph_names(own))


async def require_named_graph(text: str, own: OwnGraphs) -> ResearchGraph:
    """The same.

    Raises:
        GraphNotFound: there is none; the text says which there are.
    """
    if (found := await find_named_graph(text, own)) is None:
        raise GraphNotFound(next(iter(explain_unknown_name("graph", text, await list_graph_names(own)))))
    return found


async def require_own_graph(text: str, own: OwnGraphs) -> None:
    """Refuse a name that no graph of one's own has.

    Raises:
        GraphNotFound: there is none; the text says which there are.
    """
    if await own.get_named(text) is None:
        built_in = f"{text!r} is a built-in graph, which has no versions"
        raise GraphNotFound(next(iter(explain_unknown_name("graph", text, await list_graph_names(own))), built_in))


async def list_graph_names(own: OwnGraphs) -> tuple[str, ...]:
    """Return the names that a run can be started with: modes, aliases and stored graphs."""
    return (*MODES, *list_aliases(), *(kept.item.name for kept in await own.all()))


async def validate_received_graph(given: dict[str, Any], own: TenantStore, *, inside: str = "") -> ResearchGraph:
    """A graph that came with a request, with graphs for the names of branches and the agents that its nodes call.

    `inside` is the JSON pointer of the graph in the body of that request.

    Raises:
        RequestInvalid: it has not the form of a graph, or names one that there is not.
        GraphInvalid: it has, and faults.
    """
    whole, missing = await _expand_graph(given, own)
    if missing:
        raise RequestInvalid([_build_field_fault(fault, given, inside) for fault in missing])
    return await asyncio.to_thread(_validate_expanded_graph, given, whole, inside, await _list_kept_agents(own))


async def find_submitted_graph_faults(given: Any, own: TenantStore) -> list[FieldFault]:
    """The faults of what should be the JSON of a graph."""
    whole, missing = await _expand_graph(given, own)
    if missing:
        return [_build_field_fault(fault, given, "", of="") for fault in missing]
    return await asyncio.to_thread(_find_expanded_faults, given, whole, await _list_kept_agents(own))


async def _expand_graph(given: Any, own: TenantStore) -> tuple[Any, list[Fault]]:
    """Return a graph's JSON with its names resolved, and the names that are unknown or mean something else."""
    known, missing = await _resolve_branch_graphs(given, own.graphs)
    whole, others = await _carry_kept_agents(with_branches(given, known), own.agents)
    strange = (Fault(one.message, build_json_pointer(*one.field.split(".", 1))) for one in others)
    return whole, [*missing, *strange]


async def _carry_kept_agents(graph: Any, own: VersionStore[OwnAgent]) -> tuple[Any, list[FieldFault]]:
    """Return a graph's JSON with the stored agents that its nodes name, and agents that differ from the stored ones.

    A name that there is not stays as it is: the check of the graph reports it with all other faults.
    """
    wrong = []
    versions = islice((one for one in agents_carried(graph) if "@" in one[0]), MAX_AGENTS + 1)
    for key, given in versions:
        if (kept := await own.get_named(key)) is not None and not _is_same_agent(given, kept.item):
            text = f"it is not the agent that is kept as {key!r}: call yours {kept.item.name!r}, or push it first"
            wrong.append(FieldFault(field=f"agents.{key}", message=text))
    found = {name: await own.get_named(name) for name in agents_called(graph)}
    named = {name: StoredAgent(kept.key, kept.item) for name, kept in found.items() if kept is not None}
    return with_agents(graph, named), wrong


def _is_same_agent(given: Any, kept: OwnAgent) -> bool:
    try:
        return OwnAgent.model_validate(given) == kept
    except ValidationError:  # reported with the faults of the graph
        return True


async def _list_kept_agents(own: TenantStore) -> list[str]:
    """Return the names of the stored agents, for suggestions."""
    return [kept.item.name for kept in await own.agents.all()]


async def _resolve_branch_graphs(given: Any, own: OwnGraphs) -> tuple[Mapping[str, ResearchGraph], list[Fault]]:
    """The graphs that stand for branches by name, and the places at which there is none."""
    places = branches_named(given)
    found = {name: await find_named_graph(name, own) for name in places.values()}
    known = {name: graph for name, graph in found.items() if graph is not None}
    if len(known) == len(found):
        return known, []
    there = await list_graph_names(own)
    wrong = (
        (place.split("."), one) for place, name in places.items() for one in explain_unknown_name("graph", name, there)
    )
    return known, [Fault(one, build_json_pointer(*place)) for place, one in wrong]


def _validate_expanded_graph(
    given: dict[str, Any], whole: dict[str, Any], inside: str, agents: Collection[str]
) -> ResearchGraph:
    if too_large := size_faults(whole):
        raise GraphInvalid(str(given.get("name"))[:60], too_large, _point_to_faults(too_large, given, inside))
    try:
        graph = ResearchGraph.model_validate(whole)
    except ValidationError as error:
        raise RequestInvalid([_build_field_fault(fault, given, inside) for fault in form_faults(error)]) from error
    if found := find_graph_faults(graph, agents):
        raise GraphInvalid(graph.name, found, _point_to_faults(found, given, inside))
    return graph


def _find_expanded_faults(given: Any, whole: Any, agents: Collection[str]) -> list[FieldFault]:
    try:
        found = size_faults(whole) or find_graph_faults(ResearchGraph.model_validate(whole), agents)
    except ValidationError as error:
        return [_build_field_fault(fault, given, "", of="") for fault in form_faults(error)]
    places = _point_to_faults(found, given, "")
    return [FieldFault(field="", message=fault, pointer=place) for fault, place in zip(found, places, strict=True)]


def _point_to_faults(found: Sequence[str], given: object, inside: str) -> list[str]:
    return [inside + trim_pointer_to_document(given, pointer_of(fault)) for fault in found]


def _build_field_fault(fault: Fault, given: object, inside: str, *, of: str = "graph") -> FieldFault:
    """A fault of the form as one of a request: `of` is what the graph is called there."""
    field = ".".join(filter(None, (of, format_dotted_path(fault)))) or ("" if fault == AND_MORE else "body")
    return FieldFault(field=field, message=fault, pointer=inside + trim_pointer_to_document(given, fault.pointer))
