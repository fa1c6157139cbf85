"""Runs that go on after their end or from an earlier step, and runs that begin as another one did."""

import json
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BeforeValidator, Field

from elcano.api.control.bodies import MOST_SECTIONS, SectionBody
from elcano.api.control.routes import RequestId, TopUpBody
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    ControlRefused,
    FieldFault,
    KeyReused,
    OutcomeUnknown,
    RequestInvalid,
    ResumeRefused,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
    WorkerUnavailable,
    problem_docs,
)
from elcano.api.http.fields import EXAMPLE_RUN, Described, Request, Spoken, Text
from elcano.api.resume.fork import Fork, start_fork
from elcano.api.resume.resumption import ResumedRun, Resumption, RunDependencies, resume_ended_run, roll_back
from elcano.api.runs.idempotent_start import RequestKey, Starter
from elcano.api.runs.routes import LOCATION, IdempotencyKey
from elcano.api.runs.run_request import (
    MAX_BACKGROUND,
    MAX_INSTRUCTIONS,
    MAX_QUESTION,
    BudgetRequest,
    ModelRequest,
    default_model,
)
from elcano.api.runs.run_status import read_run
from elcano.api.runs.run_view import RunView
from elcano.api.runs.runnable_graphs import validate_received_graph
from elcano.api.runs.source_availability import find_source_faults
from elcano.api.runs.submission import model_faults
from elcano.api.services import Asker, Provided, Services
from elcano.graphs.contracts import ModelChoice
from elcano.graphs.errors import GraphInvalid, RunOpen
from elcano.graphs.state.budget import TopUp, usd_from_microusd
from elcano.graphs.state.plan import SectionPlan, plan_fault

Model = Annotated[
    ModelRequest | None,
    BeforeValidator(default_model, json_schema_input_type=Annotated[str, Field()] | ModelRequest | None),
]
SourceNames = list[Annotated[str, Field(max_length=100)]]


class ResumeBody(Request):
    """Changes since the run ended; all of them are optional."""

    reason: Text = Field(default="", max_length=500, examples=["The key works again."])
    """Shown in the events."""
    add: TopUpBody | None = None
    """What it may spend in addition."""
    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer from here on, as in the request for a run; left out: as before."""
    sources: SourceNames | None = Field(default=None, min_length=1, max_length=50, examples=[["packages"]])
    """What is searched from here on; left out: as before."""
    sections: list[Annotated[str, Field(max_length=500)]] = Field(default=[], max_length=200, examples=[["Costs"]])
    """Titles of sections to be researched on, whatever became of them; left out: those that are missing."""


class RollBackBody(Request):
    """Where a run is to go back to."""

    step: int = Field(ge=1, le=100_000, examples=[4])
    """The step before which it is to be again; `GET /v1/runs/{run_id}/steps` lists them."""
    reason: Text = Field(default="", max_length=500, examples=["The plan misses the point."])
    """Shown in the events."""


class ForkBody(Request):
    """The step where a new run forks from another, and what it changes; omitted fields keep the other's values."""

    step: int = Field(ge=1, le=100_000, examples=[4])
    """The first step that the new run takes itself; `GET /v1/runs/{run_id}/steps` lists them."""
    reason: Text = Field(default="", max_length=500, examples=["The same with a stronger model."])
    """Shown in the events."""
    question: Spoken | None = Field(default=None, max_length=MAX_QUESTION, examples=["And on Windows?"])
    """What is to be found out."""
    background: Text | None = Field(default=None, max_length=MAX_BACKGROUND, examples=["We only run on Windows."])
    """What the agents should know besides the question."""
    instructions: Text | None = Field(default=None, max_length=MAX_INSTRUCTIONS, examples=["One page."])
    """What you want of the report's length, tone or form."""
    guidance: Text = Field(default="", max_length=2_000, examples=["Look at costs."])
    """A further instruction to its agents."""
    plan: list[SectionBody] | None = Field(default=None, min_length=1, max_length=200)
    """The sections that are researched; useful at the step that researches them."""
    graph: dict[str, Any] | None = None
    """A graph of your own, which takes the shared steps in the same way."""
    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer."""
    budget: BudgetRequest | None = None
    """What the new run may spend; it does not pay for the steps that it shares."""
    sources: SourceNames | None = Field(default=None, min_length=1, max_length=50, examples=[["packages"]])
    """What is searched."""


class ReusedWorkView(Described):
    """The work that is reused, and so not paid for again."""

    steps: int = Field(examples=[5])
    """Steps of the run."""
    calls: int = Field(examples=[21])
    """Calls of agents and tools, those of sections that are kept or go on too."""
    sections: int = Field(examples=[7])
    """Sections that have ended."""
    tokens: int = Field(examples=[180_000])
    """What they used."""
    cost_usd: float = Field(examples=[0.42])
    """What they cost."""


class ResumeAccepted(Described):
    """The run goes on."""

    run_id: str = Field(examples=[EXAMPLE_RUN])
    """The run."""
    step: int = Field(examples=[6])
    """The step that comes next."""
    node: str = Field(examples=["parallel_loops"])
    """Its node."""
    kept: ReusedWorkView
    """What of the run is kept."""

    @classmethod
    def of(cls, went_on: ResumedRun) -> "ResumeAccepted":
        """The answer."""
        saved = went_on.saved
        kept = ReusedWorkView(
            cost_usd=usd_from_microusd(saved.cost_microusd), **saved.model_dump(exclude={"cost_microusd"})
        )
        return cls(run_id=went_on.run_id, step=went_on.step, node=went_on.node, kept=kept)


_READ = (RunForgotten, RunUnreadable, WorkerUnavailable)
_COMMON = (
    BodyUnreadable,
    RunNotFound,
    BodyTooLarge,
    ResumeRefused,
    RequestInvalid,
    KeyReused,
    TemporalRefused,
    TemporalUnavailable,
    *_READ,
)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post("/resume", status_code=202, responses=problem_docs(*_COMMON, RunOpen))
async def resume_run(
    run_id: str, services: Provided, asker: Asker, request_id: RequestId, body: ResumeBody | None = None
) -> ResumeAccepted:
    """Resume a run that failed, was stopped, or ended without all that was asked for, where it left off.

    Every call, search and section that was done is kept, and nothing of it is paid for again; the call that failed is
    made again. A run with missing sections has them researched, and its report is written anew. The time since its end
    does not count. Mend first what was wrong: a key, a quota, a source; or say here which model is to answer, or what
    may be spent in addition.
    """
    wanted = body or ResumeBody()
    await _require_known_names(wanted.model, wanted.sources, services)
    resumption = Resumption(
        extra=TopUp() if wanted.add is None else wanted.add.added(),
        models=_build_model_choice(wanted.model),
        sources=None if wanted.sources is None else tuple(dict.fromkeys(wanted.sources)),
        sections=tuple(wanted.sections),
        reason=wanted.reason,
    )
    return ResumeAccepted.of(await resume_ended_run(run_id, resumption, request_id, _build_reached(services, asker)))


@router.post("/rollback", status_code=202, responses=problem_docs(*_COMMON, ControlRefused, OutcomeUnknown))
async def roll_back_run(
    run_id: str, body: RollBackBody, services: Provided, asker: Asker, request_id: RequestId
) -> ResumeAccepted:
    """Take a run back to before one of its steps, from where it goes on; what came after that is undone.

    It may be under way or have ended. What it knows, has found and has spent is then what it was at that step; numbers
    of events go on, and an event says what was undone.
    """
    return ResumeAccepted.of(
        await roll_back(run_id, body.step, body.reason, request_id, _build_reached(services, asker))
    )


@router.post(
    "/fork",
    status_code=201,
    responses={
        200: {"model": RunView, "description": "The run that the same key and request started", "headers": LOCATION},
        201: {"description": "The new run", "headers": LOCATION},
        **problem_docs(*_COMMON, GraphInvalid, TooManyRuns),
    },
)
async def fork_run(
    run_id: str,
    body: ForkBody,
    services: Provided,
    asker: Asker,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> RunView:
    """Start a run that begins with the steps of another one, without paying for them, and differs from there on.

    The other run may be under way or have ended, and is not touched.
    """

    async def wanted() -> Fork:
        await _require_known_names(body.model, body.sources, services)
        graph = (
            None if body.graph is None else await validate_received_graph(body.graph, services.store, inside="/graph")
        )
        return Fork(
            step=body.step,
            question=body.question,
            background=body.background,
            instructions=body.instructions,
            guidance=body.guidance,
            plan=_build_section_plan(body.plan),
            graph=graph,
            models=_build_model_choice(body.model),
            sources=None if body.sources is None else tuple(dict.fromkeys(body.sources)),
            budget=body.budget,
            reason=body.reason,
        )

    said = json.dumps(body.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    hashed = sha256(f"{run_id} {said}".encode()).hexdigest()
    keyed = None if idempotency_key is None else RequestKey(idempotency_key, hashed)
    submission = await start_fork(
        run_id,
        wanted,
        keyed,
        _build_reached(services, asker),
        Starter(services.temporal, services.store, services.admit, services.settings),
    )
    own = submission.run.run_id
    response.headers["Location"] = f"/v1/runs/{own}"
    if submission.new:
        return RunView.of(submission.run).with_links(services.workflows_page)
    response.status_code = 200
    return (await read_run(own, services.temporal, services.store)).with_links(services.workflows_page)


def _build_reached(services: Services, asker: str) -> RunDependencies:
    return RunDependencies(temporal=services.temporal, store=services.store, settings=services.settings, by=asker)


async def _require_known_names(model: ModelRequest | None, sources: SourceNames | None, services: Services) -> None:
    """Refuses models and sources that this server does not know.

    Raises:
        RequestInvalid: with all faults.
    """
    faults = [] if model is None else list(model_faults(model))
    if sources:
        faults = [*await find_source_faults("sources", sources, services.temporal, services.settings), *faults]
    if faults:
        raise RequestInvalid(faults)


def _build_model_choice(model: ModelRequest | None) -> ModelChoice | None:
    return None if model is None else ModelChoice(default=model.default, by_agent=model.by_agent)


def _build_section_plan(sections: list[SectionBody] | None) -> tuple[SectionPlan, ...] | None:
    """A plan's sections, whose titles have to be different.

    Raises:
        RequestInvalid: two are the same.
    """
    if sections is None:
        return None
    plan = tuple(section.planned() for section in sections)
    if (fault := plan_fault(plan, MOST_SECTIONS)) is not None:
        raise RequestInvalid([FieldFault(field="plan", message=fault)])
    return plan
