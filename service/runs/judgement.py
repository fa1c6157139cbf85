"""The judgement of a request for a run: everything that can be refused is refused here, all at once.

It is pure: what it depends on besides the request was gathered before, in `request_facts.py`. What depends on a part
that is wrong, such as the cost of a graph that there is not, is not judged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from elcano.graphs.checks.budget_limits import find_budget_faults
from elcano.graphs.checks.callees import extra_faults
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import CHAIN_MODES, Engine
from elcano.graphs.errors import ElcanoError
from elcano.graphs.graph_traits import GraphTraits
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES, list_aliases, with_path_seconds
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.run_contracts import FollowedRun, ResearchInput
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits, microusd_from_usd
from elcano.graphs.state.rubric import GENERAL, Rubric
from elcano.graphs.tenants import EVERYTHING, Allowance, Tenant
from elcano.graphs.trust import NO_LIMITS, Trust
from elcano.service.errors import FieldFault, RequestInvalid, field_faults, list_request_faults
from elcano.service.runs.mode_checks import find_allowance_faults, find_barred_modes, find_no_mode_faults
from elcano.service.runs.model_checks import (
    assign_model_queues,
    find_model_name_faults,
    find_price_faults,
    judge_models,
    read_model_choice,
)
from elcano.service.runs.run_request import BudgetRequest, RunRequest
from elcano.service.runs.trust_checks import explain_source_refusal, find_model_contact_faults
from elcano.service.source_survey import SourceSurvey, list_barred_modes
from elcano.settings.settings import Settings


@dataclass
class Refusals:
    """The faults of a request, collected until all of it was checked."""

    faults: list[FieldFault] = field(default_factory=list)
    errors: list[ElcanoError] = field(default_factory=list)
    """Errors that refused a part as a whole; their faults are among `faults`."""

    def add(self, field: str, messages: Iterable[str]) -> None:
        """The same field is wrong in these ways."""
        self.faults += [FieldFault(field=field, message=message) for message in messages]

    def add_error(self, error: ElcanoError) -> None:
        """Part of it was refused as a whole."""
        self.errors.append(error)
        self.faults += list_request_faults(error)

    def mention(self, *fields: str) -> bool:
        """Whether one of these fields, or a part of it, is wrong, so that what depends on it cannot be judged."""
        return any(fault.field.partition(".")[0] in fields for fault in self.faults)

    def require_none(self) -> None:
        """Refuses the request if there are any.

        Raises:
            RequestInvalid: with all faults.
            GraphInvalid: nothing else is wrong than its graph.
        """
        if len(self.errors) == 1 and len(self.faults) == len(list_request_faults(self.errors[0])):
            raise self.errors[0]
        if self.faults:
            raise RequestInvalid(self.faults)


@dataclass(frozen=True)
class RequestFacts:
    """Everything that the judgement of a request depends on besides the request."""

    tenant: Tenant
    settings: Settings
    graph: GraphTraits | None
    """The graph that it names or holds; None if there is none, or it has faults."""
    survey: SourceSurvey
    """Sources that can be searched, and what workers lack."""
    sources: tuple[str, ...]
    """The sources that the run searches."""
    domains: Mapping[str, Rubric]
    """The rubrics that there are here."""
    follows: FollowedRun | None
    """Data of the run that it follows."""
    refused: Refusals
    """Faults of the graph, the sources and the run that it follows."""
    allowance: Allowance = EVERYTHING
    """Allowance of the tenant."""
    trust: Trust = NO_LIMITS
    """Limits on sources and hosts of the run."""


@dataclass(frozen=True)
class JudgedRun:
    """A run that can be started: what a request comes to. Temporal answered while it was judged."""

    asked: ResearchInput
    engine: Engine


def judge_request(request: RunRequest, facts: RequestFacts, run_id: str) -> JudgedRun:
    """The run that a request comes to.

    Raises:
        RequestInvalid: it cannot work, with all faults.
        GraphInvalid: its graph cannot, and nothing else is wrong.
    """
    settings, graph, refused = facts.settings, facts.graph, facts.refused
    engine = _choose_engine(request, settings, refused)
    if request.graph is not None and request.mode != DEFAULT_MODE:
        refused.add("mode", ["leave it out: the graph that you send is the mode"])
    domain, rubrics = choose_rubrics(request.domain, facts.domains, refused)
    if graph is not None:
        _judge_graph(request, graph, facts.survey, refused)
    sources = None if refused.mention("sources") else facts.sources
    limits = _judge_limits(request, graph, refused)
    models = read_model_choice(request.model)
    refused.faults += judge_models(models, graph, sources, facts.survey.workers.unpolled, settings)
    if graph is not None:
        refused.faults += _find_limited_models(models, graph, limits, facts)
    barred: dict[str, str] = {}
    if graph is not None and limits is not None and graph.chooses_mode:
        if sources is not None and not find_model_name_faults(models):
            barred = find_barred_modes(limits, sources, settings, engine, facts.survey.workers.lacking, models)
        if facts.allowance != EVERYTHING:
            barred = {**barred, **list_barred_modes(facts.allowance)}
        refused.faults += find_no_mode_faults(limits, barred)
    elif graph is not None and limits is not None and (over := find_budget_faults(graph.graph, limits)):
        refused.add("budget", over)
    if graph is None or limits is None or refused.faults:
        refused.require_none()
        raise AssertionError("a request without a graph or limits has faults")
    walked = graph.graph
    if graph.has_data_paths:
        walked = with_path_seconds(walked, request.budget.path_seconds or settings.path_seconds)
    asked = ResearchInput(
        run_id=run_id,
        question=request.question,
        mode=walked.name,
        graph=walked,
        limits=limits,
        sources=facts.sources,
        databases=_list_databases(facts) if graph.may_ask_databases else (),
        tool_servers=tuple(settings.mcp_servers),
        background=request.background,
        instructions=request.instructions,
        output_schema=request.output_schema or {},
        review=request.review,
        approve_plan=request.approve_plan,
        approvals=request.approvals,
        priority=request.priority,
        metadata=request.metadata,
        trust=facts.trust,
        models=models,
        call_seconds=settings.call_seconds,
        barred=barred,
        domain=domain,
        domains=rubrics,
        follows=facts.follows,
        tenant=facts.tenant,
    )
    return JudgedRun(assign_model_queues(asked, settings) if settings.model_rates else asked, engine)


def _find_limited_models(
    models: ModelChoice, graph: GraphTraits, limits: Limits | None, facts: RequestFacts
) -> list[FieldFault]:
    """The faults of models that the run's trust, its limit of money, or its tenant's allowance does not let pass."""
    faults: list[FieldFault] = []
    if facts.trust != NO_LIMITS:
        faults += find_model_contact_faults(facts.trust, graph.callees, models, facts.settings)
    if limits is not None:
        faults += find_price_faults(limits, graph.callees, models, facts.settings)
    if facts.allowance != EVERYTHING:
        faults += find_allowance_faults(facts.allowance, graph, models, facts.settings)
    return faults


def _judge_limits(request: RunRequest, graph: GraphTraits | None, refused: Refusals) -> Limits | None:
    """The limits of the run; None if the budget that is asked for is wrong."""
    try:
        return read_limits(request.budget, Limits() if graph is None else graph.defaults)
    except RequestInvalid as error:
        refused.add_error(error)
        return None


def _list_databases(facts: RequestFacts) -> tuple[str, ...]:
    """The databases that a run may ask."""
    settings, specs = facts.settings, facts.survey.specs
    return tuple(
        name
        for name in settings.databases
        if name not in specs or not explain_source_refusal(facts.trust, specs[name], settings)
    )


def _choose_engine(request: RunRequest, settings: Settings, refused: Refusals) -> Engine:
    """Choose the engine of a request; without the graph engine it is plain code, which not every request can use."""
    if settings.use_graph_execution if request.use_graph is None else request.use_graph:
        return "graph"
    why = "without the graph engine" + (" (USE_GRAPH_EXECUTION=false)" if request.use_graph is None else "")
    instead = "send `use_graph: true`"
    if request.graph is not None:
        refused.add("graph", [f"a graph of your own cannot run {why}: {instead}"])
    elif list_aliases().get(request.mode, request.mode) not in CHAIN_MODES and not refused.mention("mode", "graph"):
        known = ", ".join(CHAIN_MODES)
        refused.add("mode", [f"{request.mode!r} cannot run {why}: choose {known}, or {instead}"])
    if request.clarify:
        refused.add("clarify", [f"nothing is asked back {why}: {instead}"])
    return "chain"


def _judge_graph(request: RunRequest, graph: GraphTraits, survey: SourceSurvey, refused: Refusals) -> None:
    """Whether this graph can do what is asked of it, with the workers that there are."""
    if request.approve_plan and not graph.plans_sections:
        planning = ", ".join(name for name, mode in MODES.items() if has_sections(mode))
        text = f"the graph {graph.graph.name!r} plans no sections; these modes do: {planning}"
        refused.add("approve_plan", [text])
    if survey.workers.lacking and not graph.chooses_mode:
        field = "graph" if request.graph else "mode"
        refused.add(field, extra_faults(repr(graph.graph.name), graph.graph, survey.workers.lacking))


def read_limits(budget: BudgetRequest, defaults: Limits) -> Limits:
    """The limits that a request asks for; what it leaves out is taken from `defaults`.

    Raises:
        RequestInvalid: a value is out of its range.
    """
    given: dict[str, Any] = budget.model_dump(exclude={"cost_usd", "path_seconds"}, exclude_none=True)
    if budget.cost_usd is not None:
        given["cost_microusd"] = microusd_from_usd(budget.cost_usd)
    try:
        return Limits.model_validate({**defaults.model_dump(), **given})
    except ValidationError as error:
        raise RequestInvalid([_name_limit(fault) for fault in field_faults(error.errors())]) from error


def _name_limit(fault: FieldFault) -> FieldFault:
    """A fault of `Limits` in the words of the request."""
    if fault.field == "cost_microusd":
        return FieldFault(field="budget.cost_usd", message="must be at most 10000")
    return FieldFault(field=f"budget.{fault.field}", message=fault.message)


def choose_rubrics(
    wanted: str | dict[str, Any] | None, known: Mapping[str, Rubric], refused: Refusals
) -> tuple[str, tuple[Rubric, ...]]:
    """The name of a run's domain, empty if its question decides, and the rubrics that the run is given."""
    if isinstance(wanted, dict):
        return _read_own_rubric(wanted, refused)
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
