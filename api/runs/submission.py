"""From a request to a running workflow: everything that can be refused is refused before anything is kept.

The order is: judge, claim the idempotency key, make sure that Temporal answers, admit the run, start the workflow, list
the run. Each step can be done twice, so a client that lost the answer sends the same request with the same key again.
A run of which it is not known whether it was started is kept unlisted, until the reconciler has asked.
"""

import json
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from ulid import ULID

from elcano.api.http.errors import FieldFault, KeyReused, RequestInvalid, TemporalRefused, TooManyRuns
from elcano.api.http.requests import ModelRequest, RunRequest
from elcano.api.runs.choosing import barred, chooses, least_faults
from elcano.api.runs.domains import rubrics
from elcano.api.runs.following import CannotFollow, followed
from elcano.api.runs.graphs import named, names, received
from elcano.api.runs.model_keys import require_models
from elcano.api.runs.model_queues import queued
from elcano.api.runs.searching import asks_databases, may_ask_databases, require_databases, searched
from elcano.api.runs.sources import lacking, offered, source_faults, unreached
from elcano.api.temporal.client import Temporal
from elcano.graphs.agents.listing import AGENTS
from elcano.graphs.checks.affordable import default_limits, limit_faults
from elcano.graphs.checks.references import unknown
from elcano.graphs.contracts import CHAIN_MODES, Engine, ModelChoice, ResearchInput
from elcano.graphs.model_names import model_fault
from elcano.graphs.modes import ALIASES, DEFAULT_MODE, MODES, mode_named
from elcano.graphs.modes.auto import PARTS
from elcano.graphs.records import ArchivedRun
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.planned import has_sections
from elcano.graphs.values.budget import Limits
from elcano.graphs.values.tenant import Tenant
from elcano.graphs.values.tenant import run_id as new_run_id
from elcano.settings import Settings
from elcano.storage.across import Admission
from elcano.storage.store import TenantStore


@dataclass(frozen=True)
class Submission:
    """An accepted request."""

    run: ArchivedRun
    new: bool
    """False: the same request was accepted before."""


def research_input(
    request: RunRequest,
    graph: ResearchGraph,
    tenant: Tenant,
    run_id: str,
    settings: Settings,
    lacks: Mapping[str, str],
) -> ResearchInput:
    """The workflow's input for a request that can be understood.

    Args:
        request: what is asked.
        graph: the one that it names or holds.
        tenant: whose run it is.
        run_id: its id.
        settings: of the server.
        lacks: of every source what it needs before it can be searched.

    Raises:
        RequestInvalid: its graph cannot work so, asks databases where there are none, or a model has no key.
    """
    if request.approve_plan and not has_sections(graph):
        planning = ", ".join(name for name, mode in MODES.items() if has_sections(mode))
        fault = f"the graph {graph.name!r} plans no sections; these modes do: {planning}"
        raise RequestInvalid([FieldFault(field="approve_plan", message=fault)])
    limits = request.budget.limits(default_limits(graph))
    require_databases(graph, settings)
    sources = searched(request, lacks, settings, graph)
    models = ModelChoice(default=request.model.default, by_agent=request.model.by_agent)
    closed = barred(limits, sources, models, settings, engine_of(request, settings)) if chooses(graph) else {}
    if refused := refusals_of(graph, limits, closed):
        raise RequestInvalid(refused)
    domain, known = rubrics(request.domain, settings)
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
    if not chooses(graph):
        return [FieldFault(field="budget", message=fault) for fault in limit_faults(graph, limits)]
    if len(closed) < len(PARTS):
        return []
    over = [FieldFault(field="budget", message=fault) for fault in least_faults(limits)]
    return over or [FieldFault(field="mode", message=_none_left(closed))]


def _none_left(closed: Mapping[str, str]) -> str:
    """Why a run that chooses its mode has none to choose: each reason once, with the modes that it is of."""
    reasons = {why: [mode for mode, other in closed.items() if other == why] for why in closed.values()}
    return "no mode can be chosen here: " + "; ".join(f"{', '.join(modes)}: {why}" for why, modes in reasons.items())


async def submit(
    request: RunRequest,
    key: str | None,
    *,
    tenant: Tenant,
    temporal: Temporal,
    store: TenantStore,
    admit: Callable[[ArchivedRun], Awaitable[Admission]],
    settings: Settings,
) -> Submission:
    """Starts a run, or finds the one that the same request with the same key started.

    Raises:
        RequestInvalid: the request cannot work.
        GraphInvalid: its graph cannot.
        KeyReused: the key came with another request before.
        TooManyRuns: as many runs are open as may be.
        TemporalUnavailable: nothing was started, or it is not known; the same request with the same key is safe.
        TemporalRefused: nothing was started.
    """
    lacks = await lacking(temporal, settings)
    lacks |= await unreached(_searched(request, lacks, settings), temporal, settings)
    faults, before = list(_faults(request, lacks, settings)), None
    try:
        if request.previous_run is not None:
            before = await followed(request.previous_run, request.question, temporal, store)
    except CannotFollow as error:
        faults.append(FieldFault(field="previous_run", message=str(error)))
    graph = await _graph_of(request, store, faults)
    own = new_run_id(tenant, str(ULID()))
    asked = await run_in_threadpool(research_input, request, graph, tenant, own, settings, lacks)
    if before is not None:
        asked = asked.model_copy(update={"follows": before})
    hashed = request_hash(request)
    return await begin(
        asked,
        engine_of(request, settings),
        key,
        hashed,
        temporal=temporal,
        store=store,
        admit=admit,
        settings=settings,
    )


async def begin(
    asked: ResearchInput,
    engine: Engine,
    key: str | None,
    hashed: str,
    *,
    temporal: Temporal,
    store: TenantStore,
    admit: Callable[[ArchivedRun], Awaitable[Admission]],
    settings: Settings,
) -> Submission:
    """Starts the run `asked`, or finds the one that a request of the same key, which `hashed` to the same, started.

    Raises:
        KeyReused, TooManyRuns, TemporalUnavailable, TemporalRefused: see `submit`.
    """
    if key is not None:
        claim = await store.runs.claim(key, hashed, asked.run_id)
        if claim.request_hash != hashed:
            raise KeyReused(f"the key {key!r} belongs to run {claim.run_id!r}, which was asked for in other words")
        asked = asked.model_copy(update={"run_id": claim.run_id})
        kept = None if claim.mine else await store.runs.get(claim.run_id)
        if kept is not None and kept.status != "running":
            return Submission(kept, new=False)
    asked = asked.model_copy(update={"address": f"{settings.base_url.rstrip('/')}/v1/runs/{asked.run_id}"})
    await temporal.check()
    asked = await queued(asked, temporal, settings)
    run = ArchivedRun(
        run_id=asked.run_id,
        question=asked.question,
        mode=asked.mode,
        tenant=asked.tenant,
        status="running",
        started_at=time.time(),
        sources=asked.sources,
        engine=engine,
        forked_from=asked.forked_from,
        previous_run=asked.follows.run_id if asked.follows else "",
        domain=asked.domain,
    )
    admission = await admit(run)
    if not admission.admitted:
        raise TooManyRuns(_full(admission, settings))
    try:
        new = await temporal.start(asked, run.engine)
    except TemporalRefused:
        if admission.new:  # else an earlier attempt may have started it
            await store.runs.withdraw(run.run_id)
        raise
    await store.runs.begin(run)
    return Submission(run, new=new)


def _searched(request: RunRequest, lacks: Mapping[str, str], settings: Settings) -> Iterable[str]:
    """What a request would have searched, as far as it is set up."""
    return [name for name in searched(request, lacks, settings) if not lacks.get(name)]


def _full(admission: Admission, settings: Settings) -> str:
    """Why a run was not admitted, and what to do."""
    if admission.share == settings.open_runs:
        full = f"{admission.open} runs are open and {settings.open_runs} may be"
    else:  # how many others have is for nobody else to know
        full = f"no more runs have room: {settings.open_runs} may be open, of which {admission.share} may be yours now"
    return f"{full}: ask again when one has ended, or stop one"


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
        return await received(request.graph, own, inside="/graph")
    graph = await named(request.mode, own.graphs)
    if graph is None:
        faults += _unknown("mode", "mode", [request.mode], await names(own.graphs))
    if faults or graph is None:
        raise RequestInvalid(faults)
    return graph


def _faults(request: RunRequest, lacks: Mapping[str, str], settings: Settings) -> Iterable[FieldFault]:
    if asks_databases(mode_named(request.mode)) and request.sources is None:
        pass  # it takes the databases, or is refused with what to do
    elif not offered(lacks):
        yield FieldFault(field="sources", message="this server has no source; set ELCANO_COLLECTIONS")
    elif request.sources is None and not searched(request, lacks, settings):
        meant = (f"{name!r}: {lacks[name]}" for name in settings.default_sources if lacks.get(name))
        why = "; ".join(meant) or "none is without its name"
        named = ", ".join(offered(lacks))
        yield FieldFault(field="sources", message=f"name what shall be searched, of: {named}; {why}")
    if request.graph is not None and request.mode != DEFAULT_MODE:
        yield FieldFault(field="mode", message="leave it out: the graph that you send is the mode")
    if engine_of(request, settings) == "chain":
        yield from _chain_faults(request)
    yield from source_faults("sources", request.sources or (), lacks)
    try:
        rubrics(request.domain, settings)
    except RequestInvalid as refused:
        yield from refused.faults
    yield from model_faults(request.model)
    if request.graph is None and request.mode in MODES:  # what the agents of other graphs are called is not known yet
        yield from _unknown("model.by_agent", "agent", request.model.by_agent, AGENTS)


def model_faults(chosen: ModelRequest) -> Iterable[FieldFault]:
    """What stands against these models, whoever has a key for them."""
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
    elif ALIASES.get(request.mode, request.mode) not in CHAIN_MODES:
        known = ", ".join(CHAIN_MODES)
        yield FieldFault(field="mode", message=f"{request.mode!r} cannot run {why}: choose {known}, or {instead}")


def _unknown(field: str, kind: str, names: Iterable[str], known: Collection[str]) -> Iterable[FieldFault]:
    return (FieldFault(field=field, message=text) for name in names for text in unknown(kind, name, known))
