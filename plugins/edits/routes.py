"""`POST /v1/runs/{run_id}/edits`: changes a finished report by words, in a run of its own."""

from fastapi import APIRouter, Response
from pydantic import Field

from elcano.api.http.errors import (
    KeyReused,
    MoneyUsedUp,
    QuotaUsedUp,
    Refusal,
    ReportLost,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
    WorkerUnavailable,
    problem_docs,
)
from elcano.api.http.fields import Request, Spoken
from elcano.api.http.request_identity import requires
from elcano.api.reports.results import load_artifact
from elcano.api.resume.resume_and_rollback import Model, judge_run_models
from elcano.api.runs.follow_up import CannotFollow, load_followed_run
from elcano.api.runs.judgement import JudgedRun, Refusals, read_limits
from elcano.api.runs.model_checks import assign_model_queues, read_model_choice
from elcano.api.runs.routes import LOCATION, IdempotencyKey, show_submission
from elcano.api.runs.run_log import read_log
from elcano.api.runs.run_request import MAX_INSTRUCTIONS, BudgetRequest
from elcano.api.runs.run_status import current_run
from elcano.api.runs.run_view import RunView
from elcano.api.runs.submission import build_request_key, submit_run
from elcano.api.services import Provided, Services
from elcano.graphs.checks.budget_limits import default_limits, limit_faults
from elcano.graphs.contracts import RunPriority
from elcano.graphs.lifecycle.handover import find_exit_draft
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.run_contracts import JournalPages, ResearchInput
from elcano.graphs.state.state import MOST_TAKEN_OVER
from elcano.plugins.edits.editor import EDIT, build_edit_graph


class EditRefused(Refusal, status=409, title="The report cannot be changed"):
    """A run has no report that can be changed by words; the text says why, and what would help."""


class EditBody(Request):
    """What is to change in a report."""

    instruction: Spoken = Field(
        max_length=MAX_INSTRUCTIONS, examples=["Shorter, for managers, with a table of doses, in German."]
    )
    """In your words: its length, readers, tone, form, language, what to add from its passages or to leave out."""
    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer, as in the request for a run; left out: those of the run whose report it is."""
    budget: BudgetRequest | None = None
    """The limits of the new run."""
    priority: RunPriority = "interactive"
    """`batch` for what nobody waits for."""


router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post(
    "/edits",
    dependencies=[requires("start_run")],
    status_code=201,
    responses={
        200: {"model": RunView, "description": "The run that the same key and request started", "headers": LOCATION},
        201: {"description": "The new run", "headers": LOCATION},
        **problem_docs(
            RunNotFound,
            EditRefused,
            ReportLost,
            KeyReused,
            TemporalRefused,
            TemporalUnavailable,
            RunForgotten,
            RunUnreadable,
            WorkerUnavailable,
            TooManyRuns,
            QuotaUsedUp,
            MoneyUsedUp,
        ),
    },
)
async def edit_report(
    run_id: str,
    body: EditBody,
    services: Provided,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> RunView:
    """Change a finished report by words, in a run that searches nothing and writes a report of its own.

    It is written from the same passages, under the same numbers, and every statement is checked as in any report: what
    no passage supports is mended, left out or marked. The run whose report it is, `previous_run`, stays as it is.
    """
    key = build_request_key(idempotency_key, body, about=f"edit {run_id} ")
    submission = await submit_run(lambda own: judge_edit(run_id, body, own, services), key, services)
    return await show_submission(submission, services, response)


async def judge_edit(run_id: str, wanted: EditBody, own: str, services: Services) -> JudgedRun:
    """The run `own` that changes the report of `run_id`.

    Raises:
        RunNotFound: there is no such run.
        EditRefused: it has no report that can be changed so.
        RequestInvalid: models or limits cannot work; with all faults.
    """
    run = await current_run(run_id, services.temporal, services.store)
    if run.branch_of is not None:
        raise EditRefused(f"{run_id!r} is a section: change the report of its run, {run.branch_of.run_id!r}")
    if run.status == "running":
        raise EditRefused(f"the run {run_id!r} has not ended: wait for its report, or steer it")
    log = await read_log(run, services.temporal, services.store)
    pages = JournalPages(run=log.run, entries=log.entries, events=(), started_at=0.0)
    written = find_exit_draft(Journal(log.asked.graph, pages))
    if run.report is None or written is None:
        raise EditRefused(f"the run {run_id!r} ended without a written report ({run.status}): resume it, or ask anew")
    draft = ReportDraft.model_validate_json(await load_artifact(written.artifact, services.store))
    if draft.known or draft.attachments:
        raise EditRefused(
            "its numbers are proven by the cells of query results, which other words would lose: "
            f"ask a follow-up question instead (`previous_run`: {run_id!r}) with what you want in `instructions`"
        )
    if not draft.claims:
        raise EditRefused(
            "the report says nothing that could be changed: no passage that was found answers its question"
        )
    graph = build_edit_graph(written.artifact, run.report.artifact)
    refused = Refusals()
    limits = read_limits(wanted.budget or BudgetRequest(), default_limits(graph))
    refused.add("budget", limit_faults(graph, limits))
    try:
        follows = await load_followed_run(
            run_id, log.asked.question, services.temporal, services.store, most=MOST_TAKEN_OVER
        )
    except CannotFollow as error:
        raise EditRefused(str(error)) from None
    asked = ResearchInput(
        run_id=own,
        question=log.asked.question,
        mode=EDIT,
        graph=graph,
        limits=limits,
        background=log.asked.background,
        instructions=wanted.instruction,
        review=True,
        priority=wanted.priority,
        trust=log.asked.trust,
        models=log.asked.models if wanted.model is None else read_model_choice(wanted.model),
        call_seconds=services.settings.call_seconds,
        follows=follows.model_copy(update={"artifacts": (written.artifact, run.report.artifact)}),
        tenant=services.tenant,
    )
    refused.faults += await judge_run_models(asked, services)
    refused.require_none()
    await services.temporal.check()  # an outage leaves nothing behind
    return JudgedRun(assign_model_queues(asked, services.settings), "graph")
