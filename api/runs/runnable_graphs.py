"""The graphs that runs can be started with: the built-in ones and those of a tenant's own, by name or as JSON.

A run that chooses its mode is told which modes it cannot choose, and why: before it starts, and when it chooses.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from elcano.api.agents import with_kept_agents
from elcano.api.http.errors import FieldFault, GraphNotFound, RequestInvalid
from elcano.api.runs.model_checks import explain_mode_obstacle
from elcano.api.source_catalogue import list_all_sources
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.checks.budget_limits import default_limits, limit_faults
from elcano.graphs.checks.callees import required_extras
from elcano.graphs.checks.graph_json_faults import form_faults, format_dotted_path
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.contracts import CHAIN_MODES, Engine, ModelChoice
from elcano.graphs.errors import Fault, GraphInvalid, build_json_pointer, pointer_of, trim_pointer_to_document
from elcano.graphs.extras import install_command
from elcano.graphs.mode_choice import (
    MODES,
    PLUGIN_MODES,
    auto_graph,
    can_choose_mode,
    list_aliases,
    list_parts,
    list_ways,
    mode_named,
)
from elcano.graphs.named_parts import branches_named, with_branches
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode
from elcano.graphs.spec.limits import AND_MORE, size_faults
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore
from elcano.storage.versions import VersionStore

OwnGraphs: TypeAlias = VersionStore[ResearchGraph]


async def find_named_graph(text: str, own: OwnGraphs) -> ResearchGraph | None:
    """The graph that `text` names (a mode, `name` or `name@version` of one's own, an alias); None if there is none."""
    if (built_in := MODES.get(text)) is not None:
        return built_in
    kept = await own.get_named(text)  # one that was kept before there was an alias of its name keeps it
    return mode_named(text) if kept is None else kept.item


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
    return await run_in_threadpool(_validate_expanded_graph, given, whole, inside, await _list_kept_agents(own))


async def find_submitted_graph_faults(given: Any, own: TenantStore) -> list[FieldFault]:
    """The faults of what should be the JSON of a graph."""
    whole, missing = await _expand_graph(given, own)
    if missing:
        return [_build_field_fault(fault, given, "", of="") for fault in missing]
    return await run_in_threadpool(_find_expanded_faults, given, whole, await _list_kept_agents(own))


async def _expand_graph(given: Any, own: TenantStore) -> tuple[Any, list[Fault]]:
    """Return a graph's JSON with its names resolved, and the names that are unknown or mean something else."""
    known, missing = await _resolve_branch_graphs(given, own.graphs)
    whole, others = await with_kept_agents(with_branches(given, known), own.agents)
    strange = (Fault(one.message, build_json_pointer(*one.field.split(".", 1))) for one in others)
    return whole, [*missing, *strange]


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


@dataclass(frozen=True)
class GraphTraits:
    """The traits of a graph that are needed before it can run. They are computed once."""

    name: str
    chooses_mode: bool
    plans_sections: bool
    asks_databases: bool
    """It can do nothing without a database."""
    may_ask_databases: bool
    defaults: Limits


@lru_cache(maxsize=256)
def read_graph_traits(graph: ResearchGraph) -> GraphTraits:
    """Looks a graph over."""
    return GraphTraits(
        name=graph.name,
        chooses_mode=can_choose_mode(graph),
        plans_sections=has_sections(graph),
        asks_databases=asks_databases(graph),
        may_ask_databases=may_ask_databases(graph),
        defaults=default_limits(graph),
    )


def may_ask_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph reads which databases its run has, on one of its ways at least."""
    return graph is not None and any(_asks(node) for each in graph.all_graphs() for node in each.nodes)


def asks_databases(graph: ResearchGraph | None) -> bool:
    """Whether a graph does so on each of its ways, so that it can do nothing without a database."""
    if graph is None or not may_ask_databases(graph):
        return False
    reached, waiting = set[str](), [graph.entry_node]
    while waiting:
        node = graph.by_id.get(waiting.pop())
        if node is None or node.id in reached or _asks(node) or _branches_ask(graph, node):
            continue
        if node.id in graph.exit_nodes:
            return False
        reached.add(node.id)
        waiting += [edge.to_node for edge in graph.routes_from(node.id)]
    return True


def _asks(node: Node) -> bool:
    return isinstance(node, ToolNode) and node.tool == "schema_context" and "databases" in (node.for_each or "")


def _branches_ask(graph: ResearchGraph, node: Node) -> bool:
    return any(asks_databases(graph.branches.get(edge.branch)) for edge in graph.branches_from(node.id))


ANY_MODEL: Final = ModelChoice()
"""The choice of a run that names no model."""
_LACKING: Final[Mapping[str, str]] = {"data": "none of the sources that are searched is a database"}


def find_barred_modes(
    limits: Limits,
    sources: Sequence[str],
    settings: Settings,
    engine: Engine = "graph",
    lacking: Collection[str] = (),
    models: ModelChoice = ANY_MODEL,
) -> dict[str, str]:
    """By name the modes that a run within these limits and over these sources cannot choose.

    Each with the reason, as half a sentence that follows `cannot be chosen here:`. `lacking` are the extras that
    workers lack, `models` those that the run names.
    """
    found: dict[str, str] = {}
    specs = list_all_sources(settings)
    kinds = {specs[name].kind if name in specs else "" for name in sources}
    for name, part in list_parts().items():
        way = PLUGIN_MODES[name]
        if engine == "chain" and name not in CHAIN_MODES:
            found[name] = "it runs on the graph engine alone (`use_graph`)"
        elif required := sorted(required_extras(part) & frozenset(lacking)):
            found[name] = f"a worker here lacks what it needs ({install_command(required[0])})"
        elif kinds == {DATABASE} and DATABASE not in way.kinds:
            found[name] = "all that is searched are databases, which `data` asks"
        elif way.kinds and kinds.isdisjoint(way.kinds):
            found[name] = _LACKING.get(name) or f"none of the sources that are searched has {' or '.join(way.kinds)}"
        elif obstacle := explain_mode_obstacle(part, sources, models, settings):
            found[name] = obstacle
        elif faults := limit_faults(auto_graph((name,)), limits):
            found[name] = f"the budget does not allow it, {faults[0]}"
    return found


def find_limit_faults(graph: ResearchGraph, limits: Limits, barred: Mapping[str, str]) -> list[FieldFault]:
    """Why a run of `graph` cannot work within its limits; one that chooses its mode can if one mode is not `barred`."""
    if not read_graph_traits(graph).chooses_mode:
        return [FieldFault(field="budget", message=fault) for fault in limit_faults(graph, limits)]
    if len(barred) < len(list_parts()):
        return []
    over = [FieldFault(field="budget", message=fault) for fault in list_least_faults(limits)]
    return over or [FieldFault(field="mode", message=_explain_no_mode_left(barred))]


def list_least_faults(limits: Limits) -> list[str]:
    """Explain why limits are too low for every mode, by what the cheapest mode that suits any question needs."""
    cheapest = next(name for name, way in list_ways().items() if not way.instead)
    return limit_faults(auto_graph((cheapest,)), limits)


def _explain_no_mode_left(barred: Mapping[str, str]) -> str:
    """Why a run that chooses its mode has none to choose: each reason once, with the modes that it is of."""
    reasons = {why: [mode for mode, other in barred.items() if other == why] for why in barred.values()}
    return "no mode can be chosen here: " + "; ".join(f"{', '.join(modes)}: {why}" for why, modes in reasons.items())
