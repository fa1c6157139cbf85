"""A request is judged: everything that can be refused is refused before anything is kept but its key."""

import json
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256

from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.api.runs.domains import choose_rubrics
from elcano.api.runs.extras import lacking_extras, require_extras
from elcano.api.runs.follow_up import CannotFollow, load_followed_run
from elcano.api.runs.idempotent_start import RequestKey, Starter, Submission
from elcano.api.runs.mode_choice import find_barred_modes, least_faults
from elcano.api.runs.model_checks import require_models
from elcano.api.runs.run_request import ModelRequest, RunRequest
from elcano.api.runs.runnable_graphs import find_named_graph, list_graph_names, validate_received_graph
from elcano.api.runs.source_availability import (
    asks_databases,
    choose_sources,
    find_missing_setup,
    find_unreached_sources,
    list_searchable_sources,
    may_ask_databases,
    require_databases,
    source_faults,
)
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.checks.budget_limits import default_limits, limit_faults
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import CHAIN_MODES, Engine, ModelChoice
from elcano.graphs.identity import Tenant
from elcano.graphs.model_names import model_fault
from elcano.graphs.modes import (
    DEFAULT_MODE,
    MODES,
    can_choose_mode,
    list_aliases,
    list_parts,
    mode_named,
    with_path_seconds,
)
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore


def research_input(
    request: RunRequest,
    graph: ResearchGraph,
    tenant: Tenant,
    run_id: str,
    settings: Settings,
    lacks: Mapping[str, str],
    lacking: Collection[str] = (),
) -> ResearchInput:
    """The workflow's input for a request that can be understood.

    Args:
        request: what is asked.
        graph: the one that it names or holds.
        tenant: whose run it is.
        run_id: its id.
        settings: of the server.
        lacks: of every source what it needs before it can be searched.
        lacking: the extras that workers lack.

    Raises:
        RequestInvalid: its graph cannot work so, asks databases where there are none, needs an extra that workers lack,
            or a model has no key.
    """
    if request.approve_plan and not has_sections(graph):
        planning = ", ".join(name for name, mode in MODES.items() if has_sections(mode))
        fault = f"the graph {graph.name!r} plans no sections; these modes do: {planning}"
        raise RequestInvalid([FieldFault(field="approve_plan", message=fault)])
    limits = request.budget.limits(default_limits(graph))
    graph = with_path_seconds(graph, request.budget.path_seconds or settings.path_seconds)
    require_databases(graph, settings, lacks)
    if not can_choose_mode(graph):
        require_extras("graph" if request.graph else "mode", graph, lacking)
    sources = choose_sources(request, lacks, settings, graph)
    models = ModelChoice(default=request.model.default, by_agent=request.model.by_agent)
    engine = engine_of(request, settings)
    closed = find_barred_modes(limits, sources, settings, engine, lacking, models) if can_choose_mode(graph) else {}
    if refused := refusals_of(graph, limits, closed):
        raise RequestInvalid(refused)
    domain, known = choose_rubrics(request.domain, settings)
    asked = ResearchInput(
        run_id=run_id,
        question=request.question,
        mode=graph.name,
        graph=graph,
        limits=limits,
        sources=sources,
        databases=tuple(settings.databases) if may_ask_databases(graph) else (),
        tool_servers=tuple(settings.mcp_servers),
        background=request.background,
        instructions=request.instructions,
        review=request.review,
        approve_plan=request.approve_plan,
        approvals=request.approvals,
        models=models,
        barred=closed,
        domain=domain,
        domains=known,
        tenant=tenant,
    )
    require_models(asked, settings)
    return asked


def refusals_of(graph: ResearchGraph, limits: Limits, closed: Mapping[str, str]) -> list[FieldFault]:
    """Why a run of `graph` cannot work within its limits; one that chooses its mode can if one mode is not `closed`."""
    if not can_choose_mode(graph):
        return [FieldFault(field="budget", message=fault) for fault in limit_faults(graph, limits)]
    if len(closed) < len(list_parts()):
        return []
    over = [FieldFault(field="budget", message=fault) for fault in least_faults(limits)]
    return over or [FieldFault(field="mode", message=_none_left(closed))]


def _none_left(closed: Mapping[str, str]) -> str:
    """Why a run that chooses its mode has none to choose: each reason once, with the modes that it is of."""
    reasons = {why: [mode for mode, other in closed.items() if other == why] for why in closed.values()}
    return "no mode can be chosen here: " + "; ".join(f"{', '.join(modes)}: {why}" for why, modes in reasons.items())


async def submit_run(
    request: RunRequest,
    key: str | None,
    *,
    tenant: Tenant,
    starter: Starter,
) -> Submission:
    """Starts a run, or finds the one that the same request with the same key started.

    Raises:
        RequestInvalid: the request cannot work.
        GraphInvalid: its graph cannot.
        KeyReused, TooManyRuns, TemporalUnavailable, TemporalRefused: see `Starter.start`.
    """

    async def judge(run_id: str) -> tuple[ResearchInput, Engine]:
        asked = await _build_validated_input(request, run_id, tenant, starter)
        return asked, engine_of(request, starter.settings)

    return await starter.start(judge, None if key is None else RequestKey(key, request_hash(request)))


async def _build_validated_input(request: RunRequest, run_id: str, tenant: Tenant, starter: Starter) -> ResearchInput:
    """The input of the run that is asked for.

    Raises:
        RequestInvalid: the request cannot work.
        GraphInvalid: its graph cannot.
    """
    temporal, store, settings = starter.temporal, starter.store, starter.settings
    without = await lacking_extras(temporal)
    lacks = await find_missing_setup(temporal, settings)
    lacks |= await find_unreached_sources(_list_wanted_sources(request, lacks, settings), temporal, settings)
    faults: list[FieldFault] = await run_in_threadpool(lambda: list(_find_request_faults(request, lacks, settings)))
    before = None
    try:
        if request.previous_run is not None:
            before = await load_followed_run(request.previous_run, request.question, temporal, store)
    except CannotFollow as error:
        faults.append(FieldFault(field="previous_run", message=str(error)))
    graph = await _graph_of(request, store, faults)
    asked = await run_in_threadpool(research_input, request, graph, tenant, run_id, settings, lacks, without)
    return asked if before is None else asked.model_copy(update={"follows": before})


def _list_wanted_sources(request: RunRequest, lacks: Mapping[str, str], settings: Settings) -> Iterable[str]:
    """Return the sources that a request would search, as far as they are set up."""
    return [name for name in choose_sources(request, lacks, settings) if not lacks.get(name)]


def request_hash(request: RunRequest) -> str:
    """SHA-256 of what a request says, hexadecimal; the order of its fields and its white space do not matter."""
    said = json.dumps(request.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    return sha256(said.encode()).hexdigest()


def engine_of(request: RunRequest, settings: Settings) -> Engine:
    """What runs a request."""
    wanted = settings.use_graph_execution if request.use_graph is None else request.use_graph
    return "graph" if wanted else "chain"


async def _graph_of(request: RunRequest, own: TenantStore, faults: list[FieldFault]) -> ResearchGraph:
    """The graph that a request holds or names, where `faults` are those of the rest of it.

    Raises:
        RequestInvalid: with these faults, and that there is no such graph.
        GraphInvalid: its own graph has faults.
    """
    if request.graph is not None and not faults:
        return await validate_received_graph(request.graph, own, inside="/graph")
    graph = await find_named_graph(request.mode, own.graphs)
    if graph is None:
        faults += _find_unknown_names("mode", "mode", [request.mode], await list_graph_names(own.graphs))
    if faults or graph is None:
        raise RequestInvalid(faults)
    return graph


def _find_request_faults(request: RunRequest, lacks: Mapping[str, str], settings: Settings) -> Iterable[FieldFault]:
    if asks_databases(mode_named(request.mode)) and request.sources is None:
        pass  # it takes the databases, or is refused with what to do
    elif not list_searchable_sources(lacks):
        yield FieldFault(field="sources", message="this server has no source; set ELCANO_COLLECTIONS")
    elif request.sources is None and not choose_sources(request, lacks, settings):
        meant = (f"{name!r}: {lacks[name]}" for name in settings.default_sources if lacks.get(name))
        why = "; ".join(meant) or "none is without its name"
        named = ", ".join(list_searchable_sources(lacks))
        yield FieldFault(field="sources", message=f"name what shall be searched, of: {named}; {why}")
    if request.graph is not None and request.mode != DEFAULT_MODE:
        yield FieldFault(field="mode", message="leave it out: the graph that you send is the mode")
    if engine_of(request, settings) == "chain":
        yield from _chain_faults(request)
    yield from source_faults("sources", request.sources or (), lacks)
    try:
        choose_rubrics(request.domain, settings)
    except RequestInvalid as refused:
        yield from refused.faults
    yield from model_faults(request.model)
    if request.graph is None and request.mode in MODES:  # what the agents of other graphs are called is not known yet
        yield from _find_unknown_names("model.by_agent", "agent", request.model.by_agent, AGENTS)


def model_faults(chosen: ModelRequest) -> Iterable[FieldFault]:
    """Yield what is wrong with these models, regardless of keys."""
    models = {f"model.by_agent.{agent}": text for agent, text in chosen.by_agent.items()}
    if chosen.default:
        models["model.default"] = chosen.default
    for field, text in models.items():
        if (fault := model_fault(text)) is not None:
            yield FieldFault(field=field, message=fault)


def _chain_faults(request: RunRequest) -> Iterable[FieldFault]:
    """What only the graph engine can run."""
    why = "without the graph engine" + (" (USE_GRAPH_EXECUTION=false)" if request.use_graph is None else "")
    instead = "send `use_graph: true`"
    if request.graph is not None:
        yield FieldFault(field="graph", message=f"a graph of your own cannot run {why}: {instead}")
    elif list_aliases().get(request.mode, request.mode) not in CHAIN_MODES:
        known = ", ".join(CHAIN_MODES)
        yield FieldFault(field="mode", message=f"{request.mode!r} cannot run {why}: choose {known}, or {instead}")


def _find_unknown_names(field: str, kind: str, names: Iterable[str], known: Collection[str]) -> Iterable[FieldFault]:
    return (FieldFault(field=field, message=text) for name in names for text in explain_unknown_name(kind, name, known))
