"""The graphs that runs can be started with: the built-in ones and those of a tenant's own, by name or as JSON."""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import FieldFault, GraphNotFound, RequestInvalid, field_faults
from elcano.api.runs.agents import with_kept_agents
from elcano.graphs.checks.references import unknown
from elcano.graphs.checks.validation import faults, require_valid
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.modes import ALIASES, MODES, mode_named
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.naming import GraphName, branches_named, with_branches
from elcano.graphs.spec.size import MAX_FAULTS, first_faults, size_faults
from elcano.storage.graphs import GraphStore, GraphVersion
from elcano.storage.store import TenantStore


async def named(text: str, own: GraphStore) -> ResearchGraph | None:
    """The graph that `text` names (a mode, `name` or `name@version` of one's own, an alias); None if there is none."""
    if text in MODES:
        return MODES[text]
    kept = await version_of(text, own)  # one that was kept before there was an alias of its name keeps it
    return mode_named(text) if kept is None else kept.graph


async def version_of(text: str, own: GraphStore) -> GraphVersion | None:
    """The version of a graph of one's own that `text` names; None if there is none."""
    name = GraphName.read(text)
    return None if name is None else await own.get(name.name, name.version)


async def require_own(text: str, own: GraphStore) -> GraphVersion:
    """The same.

    Raises:
        GraphNotFound: there is none; the text says which there are.
    """
    if (kept := await version_of(text, own)) is None:
        built_in = f"{text!r} is a built-in graph, which has no versions"
        raise GraphNotFound(next(iter(unknown("graph", text, await names(own))), built_in))
    return kept


async def names(own: GraphStore) -> tuple[str, ...]:
    """What a run can be started with."""
    return (*MODES, *ALIASES, *(kept.graph.name for kept in await own.all()))


async def received(given: dict[str, Any], own: TenantStore) -> ResearchGraph:
    """A graph that came with a request, with graphs for the names of branches and the agents that its nodes call.

    Raises:
        RequestInvalid: it has not the form of a graph, or names one that there is not.
        GraphInvalid: it has, and faults.
    """
    known, missing = await _known(given, own.graphs)
    whole, others = await with_kept_agents(with_branches(given, known), own.agents)
    if missing := [*missing, *others]:
        raise RequestInvalid([FieldFault(field=f"graph.{one.field}", message=one.message) for one in missing])
    return await run_in_threadpool(_read, whole, [kept.agent.name for kept in await own.agents.all()])


async def told(given: Any, own: TenantStore) -> list[str]:
    """The faults of what should be the JSON of a graph."""
    known, missing = await _known(given, own.graphs)
    whole, others = await with_kept_agents(with_branches(given, known), own.agents)
    if missing := [*missing, *others]:
        return [f"{one.field}: {one.message}" for one in missing]
    return await run_in_threadpool(_faults, whole, [kept.agent.name for kept in await own.agents.all()])


async def _known(given: Any, own: GraphStore) -> tuple[Mapping[str, ResearchGraph], list[FieldFault]]:
    """The graphs that stand for branches by name, and the places at which there is none."""
    places = branches_named(given)
    found = {name: await named(name, own) for name in places.values()}
    known = {name: graph for name, graph in found.items() if graph is not None}
    if len(known) == len(found):
        return known, []
    there = await names(own)
    wrong = ((place, one) for place, name in places.items() for one in unknown("graph", name, there))
    return known, [FieldFault(field=place, message=one) for place, one in wrong]


def _read(given: dict[str, Any], agents: Collection[str]) -> ResearchGraph:
    if too_large := size_faults(given):
        raise GraphInvalid(str(given.get("name"))[:60], too_large)
    try:
        graph = ResearchGraph.model_validate(given)
    except ValidationError as error:
        found = field_faults(error.errors(include_url=False, include_context=False)[:MAX_FAULTS])
        wrong = [FieldFault(field=f"graph.{fault.field}", message=fault.message) for fault in found]
        raise RequestInvalid(wrong) from error
    require_valid(graph, agents)
    return graph


def _faults(given: Any, agents: Collection[str]) -> list[str]:
    if too_large := size_faults(given):
        return too_large
    try:
        return faults(ResearchGraph.model_validate(given), agents)
    except ValidationError as error:
        wrong = field_faults(error.errors(include_url=False, include_context=False)[: MAX_FAULTS + 1])
        return first_faults(f"{fault.field}: {fault.message}" for fault in wrong)
