"""A request for a run is judged once and as a whole: everything that can be refused is refused here, all at once."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import FieldFault, RequestInvalid, field_faults, list_request_faults
from elcano.api.runs.follow_up import CannotFollow, load_followed_run
from elcano.api.runs.idempotent_submission import JudgedRun
from elcano.api.runs.model_checks import assign_model_queues, find_model_faults, find_model_name_faults
from elcano.api.runs.run_request import RunRequest
from elcano.api.runs.runnable_graphs import (
    GraphTraits,
    find_barred_modes,
    find_limit_faults,
    find_named_graph,
    list_graph_names,
    read_graph_traits,
    validate_received_graph,
)
from elcano.api.runs.source_availability import (
    SourceSurvey,
    add_unserved_sources,
    choose_sources,
    find_choice_faults,
    survey_sources,
)
from elcano.api.services import Services
from elcano.graphs.checks.callees import extra_faults
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import CHAIN_MODES, Engine
from elcano.graphs.errors import ElcanoError, GraphInvalid
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES, list_aliases, with_path_seconds
from elcano.graphs.run_contracts import FollowedRun, ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.rubric import GENERAL, Rubric
from elcano.graphs.tenant_identity import Tenant
from elcano.settings.settings import Settings
from elcano.storage.rubric_files import known_domains


class Refusals:
    """The faults of a request, collected until all of it was checked."""

    def __init__(self) -> None:
        self.faults: list[FieldFault] = []
        self._errors: list[ElcanoError] = []

    def add(self, field: str, messages: Iterable[str]) -> None:
        """The same field is wrong in these ways."""
        self.faults += [FieldFault(field=field, message=message) for message in messages]

    def add_error(self, error: ElcanoError) -> None:
        """Part of it was refused as a whole."""
        self._errors.append(error)
        self.faults += list_request_faults(error)

    def mention(self, *fields: str) -> bool:
        """Whether one of these fields, or a part of it, is wrong."""
        return any(fault.field.partition(".")[0] in fields for fault in self.faults)

    def require_none(self) -> None:
        """Refuses the request.

        Raises:
            RequestInvalid: with all faults.
            GraphInvalid: nothing else is wrong than its graph.
        """
        if len(self._errors) == 1 and len(self.faults) == len(list_request_faults(self._errors[0])):
            raise self._errors[0]
        if self.faults:
            raise RequestInvalid(self.faults)


async def judge_request(request: RunRequest, run_id: str, services: Services) -> JudgedRun:
    """The run that a request comes to.

    What depends on a part that is wrong, such as the cost of a graph that there is not, is not judged.

    Raises:
        RequestInvalid: it cannot work, with all faults.
        GraphInvalid: its graph cannot, and nothing else is wrong.
        TemporalUnavailable: it could be started if Temporal answered.
    """
    settings, refused = services.settings, Refusals()
    survey = await survey_sources(services.sources, services.temporal, settings)
    graph = await _resolve_graph(request, services, refused)
    traits = None if graph is None else read_graph_traits(graph)
    sources = choose_sources(request.sources, traits, survey, settings)
    survey = await add_unserved_sources(survey, sources, services.temporal)
    if request.sources is None:
        sources = tuple(name for name in sources if name not in survey.unserved)
    followed = await _load_followed_run(request, services, refused)
    asked, engine = await run_in_threadpool(  # files are read and graphs are walked beside the event loop
        build_input, request, run_id, graph, traits, sources, survey, services.tenant, settings, refused
    )
    if asked is not None and not refused.mention("model"):
        sources_known = not refused.mention("sources")
        refused.faults += await find_model_faults(asked, services.temporal, settings, sources_known=sources_known)
    refused.require_none()
    assert asked is not None, "it has no faults"
    if survey.unreachable is not None:
        raise survey.unreachable
    return JudgedRun(assign_model_queues(asked, settings).model_copy(update={"follows": followed}), engine)


def build_input(
    request: RunRequest,
    run_id: str,
    graph: ResearchGraph | None,
    traits: GraphTraits | None,
    sources: tuple[str, ...],
    survey: SourceSurvey,
    tenant: Tenant,
    settings: Settings,
    refused: Refusals,
) -> tuple[ResearchInput | None, Engine]:
    """The workflow's input, as far as its parts are in order; None if there is no graph, or no budget."""
    models = request.model.chosen()
    engine = _choose_engine(request, settings, refused)
    refused.faults += find_choice_faults(request.sources, sources, traits, survey, settings)
    refused.faults += find_model_name_faults(models, graph)
    if request.graph is not None and request.mode != DEFAULT_MODE:
        refused.add("mode", ["leave it out: the graph that you send is the mode"])
    domain, rubrics = choose_rubrics(request.domain, settings, refused)
    limits = _read_limits(request, Limits() if traits is None else traits.defaults, refused)
    if graph is None or traits is None:
        return None, engine
    _judge_graph(request, graph, traits, survey, refused)
    if limits is None:
        return None, engine
    chooses = traits.chooses_mode and not refused.mention("sources", "model")
    barred = find_barred_modes(limits, sources, settings, engine, survey.lacking, models) if chooses else {}
    refused.faults += find_limit_faults(graph, limits, barred)
    asked = ResearchInput(
        run_id=run_id,
        question=request.question,
        mode=graph.name,
        graph=with_path_seconds(graph, request.budget.path_seconds or settings.path_seconds),
        limits=limits,
        sources=sources,
        databases=tuple(settings.databases) if traits.may_ask_databases else (),
        tool_servers=tuple(settings.mcp_servers),
        background=request.background,
        instructions=request.instructions,
        review=request.review,
        approve_plan=request.approve_plan,
        approvals=request.approvals,
        priority=request.priority,
        models=models,
        barred=barred,
        domain=domain,
        domains=rubrics,
        tenant=tenant,
    )
    return asked, engine


async def _resolve_graph(request: RunRequest, services: Services, refused: Refusals) -> ResearchGraph | None:
    """The graph that a request holds or names; None if it has faults, or there is none."""
    if request.graph is not None:
        return await resolve_own_graph(request.graph, services, refused)
    graph = await find_named_graph(request.mode, services.store.graphs)
    if graph is None:
        known = await list_graph_names(services.store.graphs)
        refused.add("mode", explain_unknown_name("mode", request.mode, known))
    return graph


async def resolve_own_graph(given: dict[str, Any], services: Services, refused: Refusals) -> ResearchGraph | None:
    """The graph that came with a request; None if it has faults."""
    try:
        return await validate_received_graph(given, services.store, inside="/graph")
    except (RequestInvalid, GraphInvalid) as error:
        refused.add_error(error)
        return None


async def _load_followed_run(request: RunRequest, services: Services, refused: Refusals) -> FollowedRun | None:
    if request.previous_run is None:
        return None
    try:
        return await load_followed_run(request.previous_run, request.question, services.temporal, services.store)
    except CannotFollow as error:
        refused.add("previous_run", [str(error)])
        return None


def _choose_engine(request: RunRequest, settings: Settings, refused: Refusals) -> Engine:
    """What runs a request; without the graph engine that is plain code, which not every request can have."""
    if settings.use_graph_execution if request.use_graph is None else request.use_graph:
        return "graph"
    why = "without the graph engine" + (" (USE_GRAPH_EXECUTION=false)" if request.use_graph is None else "")
    instead = "send `use_graph: true`"
    if request.graph is not None:
        refused.add("graph", [f"a graph of your own cannot run {why}: {instead}"])
    elif list_aliases().get(request.mode, request.mode) not in CHAIN_MODES and not refused.mention("mode"):
        known = ", ".join(CHAIN_MODES)
        refused.add("mode", [f"{request.mode!r} cannot run {why}: choose {known}, or {instead}"])
    return "chain"


def _judge_graph(
    request: RunRequest, graph: ResearchGraph, traits: GraphTraits, survey: SourceSurvey, refused: Refusals
) -> None:
    """Whether this graph can do what is asked of it, with the workers that there are."""
    if request.approve_plan and not traits.plans_sections:
        planning = ", ".join(name for name, mode in MODES.items() if has_sections(mode))
        text = f"the graph {graph.name!r} plans no sections; these modes do: {planning}"
        refused.add("approve_plan", [text])
    if survey.lacking and not traits.chooses_mode:
        field = "graph" if request.graph else "mode"
        refused.add(field, extra_faults(repr(graph.name), graph, survey.lacking))


def _read_limits(request: RunRequest, defaults: Limits, refused: Refusals) -> Limits | None:
    try:
        return request.budget.limits(defaults)
    except RequestInvalid as error:
        refused.add_error(error)
        return None


def choose_rubrics(
    wanted: str | dict[str, Any] | None, settings: Settings, refused: Refusals
) -> tuple[str, tuple[Rubric, ...]]:
    """The name of a run's domain, empty if its question decides, and the rubrics that the run is given.

    Raises:
        InputInvalid: the server's own rubrics cannot be used.
    """
    if isinstance(wanted, dict):
        return _read_own_rubric(wanted, refused)
    known = known_domains(settings)
    if wanted is None:
        return "", tuple(known.values())
    refused.add("domain", explain_unknown_name("domain", wanted, [GENERAL, *known]))
    return wanted, (known[wanted],) if wanted in known else ()


def _read_own_rubric(given: dict[str, Any], refused: Refusals) -> tuple[str, tuple[Rubric, ...]]:
    try:
        rubric = Rubric.model_validate(given)
    except ValidationError as error:
        for fault in field_faults(error.errors(include_url=False, include_context=False)[:MAX_FAULTS]):
            refused.add(f"domain.{fault.field}".rstrip("."), [fault.message])
        return "", ()
    if rubric.name == GENERAL:
        refused.add("domain.name", [f"{GENERAL!r} is the judge that goes by no rubric: give yours another name"])
    return rubric.name, (rubric,)
