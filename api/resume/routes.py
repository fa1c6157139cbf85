"""Routes for resuming, rolling back and forking runs.

A fork begins with steps of another run and goes its own way from there. What the other run did up to there is in the
new one's log and is not paid for again; what it found and drafted is kept for both. The other run is not touched, and
may have ended or not.
"""

import time
from typing import Any

from fastapi import APIRouter, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from elcano.api.control.routes import RequestId
from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.routes import LOCATION, IdempotencyKey, show_submission
from elcano.api.services import Asker, Provided
from elcano.graphs.added_steps import add_answer_step
from elcano.graphs.contracts import ForkedFrom, RunPriority
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.errors import EngineFault, GraphInvalid, RunOpen
from elcano.graphs.lifecycle import resume_input
from elcano.graphs.lifecycle.start_and_fold import LogPrefix, before_step, compute_saved_work, fold
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.plan import SectionPlan, plan_fault
from elcano.service.control.approvals import MOST_SECTIONS, SectionBody
from elcano.service.errors import (
    ControlRefused,
    FieldFault,
    KeyReused,
    MoneyUsedUp,
    OutcomeUnknown,
    QuotaUsedUp,
    RequestInvalid,
    ResumeRefused,
    RunBlocked,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
    WorkerUnavailable,
)
from elcano.service.fields import Request, Spoken, Text
from elcano.service.process import Services
from elcano.service.resume.resume_and_rollback import (
    Model,
    ResumeAccepted,
    ResumeBody,
    RollBackBody,
    SourceNames,
    judge_names,
    judge_run_models,
    resume_ended_run,
    roll_back,
    with_changes,
)
from elcano.service.runs.judgement import JudgedRun, Refusals, read_limits
from elcano.service.runs.model_checks import assign_model_queues
from elcano.service.runs.request_facts import resolve_own_graph
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_request import MAX_BACKGROUND, MAX_INSTRUCTIONS, MAX_QUESTION, BudgetRequest
from elcano.service.runs.run_status import current_run
from elcano.service.runs.run_view import RunView
from elcano.service.runs.submission import build_request_key, submit_run
from elcano.storage.lineage import days_of, list_entries_before_step, shared_logs


class ForkBody(Request):
    """The step where a new run forks from another, and what it changes; omitted fields keep the other's values."""

    step: int = Field(ge=1, le=100_000, examples=[4])
    """The first step that the new run takes itself; `GET /v1/runs/{run_id}/steps` lists them."""
    reason: Text = Field(default="", max_length=500, examples=["The same with a stronger model."])
    """Shown in the events."""
    question: Spoken | None = Field(default=None, max_length=MAX_QUESTION, examples=["And on Windows?"])
    """The question."""
    background: Text | None = Field(default=None, max_length=MAX_BACKGROUND, examples=["We only run on Windows."])
    """Context that the agents get besides the question."""
    instructions: Text | None = Field(default=None, max_length=MAX_INSTRUCTIONS, examples=["One page."])
    """Instructions on the report's length, tone or form."""
    guidance: Text = Field(default="", max_length=2_000, examples=["Look at costs."])
    """A further instruction to its agents."""
    plan: list[SectionBody] | None = Field(default=None, min_length=1, max_length=200)
    """The sections that are researched; useful at the step that researches them."""
    graph: dict[str, Any] | None = None
    """A graph of your own, which takes the shared steps in the same way."""
    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer."""
    priority: RunPriority | None = Field(default=None, examples=["batch"])
    """Whether its calls go after those of interactive runs (`batch`)."""
    budget: BudgetRequest | None = None
    """The limits of the new run; it does not pay for the shared steps."""
    sources: SourceNames | None = Field(default=None, min_length=1, max_length=50, examples=[["packages"]])
    """The sources to search."""


async def judge_fork(run_id: str, wanted: ForkBody, own: str, services: Services, by: str) -> JudgedRun:
    """The run `own` that shares the steps of `run_id` before the wanted step.

    Raises:
        RunNotFound: there is no such run.
        ResumeRefused: it is a section of a run.
        InputInvalid: it has had no such step.
        RequestInvalid: a changed graph does not fit the steps that are shared, or another part cannot work; all faults.
        GraphInvalid: its own graph has faults, and nothing else is wrong.
        WorkerUnavailable, RunUnreadable: the run is under way, and its log cannot be read.
    """
    refused = await judge_names(wanted.model, wanted.sources, services)
    graph = None if wanted.graph is None else await resolve_own_graph(wanted.graph, services, refused)
    plan = _read_section_plan(wanted.plan, refused)
    refused.require_none()
    run = await current_run(run_id, services.temporal, services.store)
    if run.branch_of is not None:
        raise ResumeRefused(f"{run_id!r} is a section: fork the run that it belongs to, {run.branch_of.run_id!r}")
    log = await read_log(run, services.temporal, services.store)
    shared = log.model_copy(update={"entries": before_step(log, wanted.step).entries})
    sections = await shared_logs(shared, services.store.runs, services.store.artifacts)
    lines = list_entries_before_step(await services.store.ledger.entries(run_id, branches=True), run_id, wanted.step)
    asked = _with_fork_changes(log.asked, own, wanted, graph, days_of(lines, log.asked.searched))
    asked = await run_in_threadpool(_build_fork_input, asked, log, wanted, plan, sections, by)
    limits = None if asked.resumed_from is None else asked.resumed_from.entry.limits
    refused.faults += await judge_run_models(asked, services, limits)
    refused.require_none()
    await services.temporal.check()  # an outage leaves nothing behind
    return JudgedRun(assign_model_queues(asked, services.settings), run.engine)


def _read_section_plan(sections: list[SectionBody] | None, refused: Refusals) -> tuple[SectionPlan, ...] | None:
    """A plan's sections, whose titles have to be different."""
    if sections is None:
        return None
    plan = tuple(section.planned() for section in sections)
    if (fault := plan_fault(plan, MOST_SECTIONS)) is not None:
        refused.add("plan", [fault])
    return plan


def _with_fork_changes(
    origin: ResearchInput, own: str, wanted: ForkBody, graph: ResearchGraph | None, searched: tuple[str, ...]
) -> ResearchInput:
    """The input of the other run with what is to be different; `searched` are the dates of the searches it shares."""
    given = wanted.model_dump(exclude_none=True, include={"question", "background", "instructions", "priority"})
    if graph is not None and origin.output_schema and graph.appendix is None:
        graph = add_answer_step(graph)
    graph = graph or origin.graph
    follows = origin.follows
    if follows is not None and wanted.question is not None:  # what the other question lacked is of no concern to it
        follows = follows.model_copy(update={"in_context": ""})
    changed = {
        **given,
        "run_id": own,
        "graph": graph,
        "mode": graph.name,
        "guidance": (*origin.guidance, wanted.guidance) if wanted.guidance else origin.guidance,
        "forked_from": ForkedFrom(run_id=origin.run_id, step=wanted.step),
        "searched": searched,
        "follows": follows,
    }
    return with_changes(origin, wanted.model, wanted.sources).model_copy(update=changed)


def _build_fork_input(
    asked: ResearchInput,
    log: RunLog,
    wanted: ForkBody,
    plan: tuple[SectionPlan, ...] | None,
    sections: tuple[str, ...],
    by: str,
) -> ResearchInput:
    """Build the new run's input; `sections` are the logs of what it shares."""
    cut = _fold_shared_entries(log, asked, wanted.step)
    limits = cut.run.budget.limits if wanted.budget is None else read_limits(wanted.budget, cut.run.budget.limits)
    entry = RunResumed(
        at=0.0,
        why="forked",
        by=by,
        reason=wanted.reason,
        saved=compute_saved_work(log.asked.graph, before_step(log, wanted.step)),
        from_run=log.asked.run_id,
        limits=limits,
        plan=plan,
        retry_now=True,
    )
    found = tuple(ref.id for ref in cut.run.state.evidence)
    resumed_from = ResumedFrom(
        entry=entry, evidence=found, artifacts=(*resume_input.list_draft_artifacts(cut.run), *sections)
    )
    return resume_input.build_fork_input(asked, cut, resumed_from, time.time())


def _fold_shared_entries(log: RunLog, asked: ResearchInput, step: int) -> LogPrefix:
    """The shared entries, folded by the new run's graph and question.

    Raises:
        RequestInvalid: its graph goes another way.
    """
    cut = before_step(log, step)
    try:
        run = fold(asked, cut.entries)
    except EngineFault as error:
        message = f"it does not fit the steps that are shared, fork at an earlier one: {error}"
        raise RequestInvalid([FieldFault(field="graph", message=message)]) from error
    return cut.model_copy(update={"run": run})


_READ = (RunBlocked, RunForgotten, RunUnreadable, WorkerUnavailable)
_COMMON = (
    RunNotFound,
    ResumeRefused,
    KeyReused,
    TemporalRefused,
    TemporalUnavailable,
    *_READ,
)
_FULL = (TooManyRuns, QuotaUsedUp, MoneyUsedUp)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post(
    "/resume",
    dependencies=[requires("control_run")],
    status_code=202,
    responses=problem_docs(*_COMMON, RunOpen, *_FULL),
)
async def resume_run(
    run_id: str, services: Provided, asker: Asker, request_id: RequestId, body: ResumeBody | None = None
) -> ResumeAccepted:
    """Resume a run that failed, was stopped, or ended without all that was asked for, where it left off.

    Every call, search and section that was done is kept, and nothing of it is paid for again; the call that failed is
    made again. A run with missing sections has them researched, and its report is written anew. The time since its end
    does not count. Mend first what was wrong: a key, a quota, a source; or say here which model is to answer, or what
    may be spent in addition.
    """
    return await resume_ended_run(run_id, body or ResumeBody(), request_id, services, asker)


@router.post(
    "/rollback",
    dependencies=[requires("control_run")],
    status_code=202,
    responses=problem_docs(*_COMMON, ControlRefused, OutcomeUnknown, *_FULL),
)
async def roll_back_run(
    run_id: str, body: RollBackBody, services: Provided, asker: Asker, request_id: RequestId
) -> ResumeAccepted:
    """Roll a run back to before one of its steps and continue from there; the steps after that are undone.

    It may be running or have ended. Its findings and usage are then those of that step; event numbers continue, and an
    event says what was undone.
    """
    return await roll_back(run_id, body, request_id, services, asker)


@router.post(
    "/fork",
    dependencies=[requires("start_run")],
    status_code=201,
    responses={
        200: {"model": RunView, "description": "The run that the same key and request started", "headers": LOCATION},
        201: {"description": "The new run", "headers": LOCATION},
        **problem_docs(*_COMMON, GraphInvalid, *_FULL),
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
    key = build_request_key(idempotency_key, body, about=f"{run_id} ")
    submission = await submit_run(lambda own: judge_fork(run_id, body, own, services, asker), key, services)
    return await show_submission(submission, services, response)
