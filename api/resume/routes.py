"""Routes for resuming, rolling back and forking runs."""

from fastapi import APIRouter, Response

from elcano.api.control.routes import RequestId
from elcano.api.http.errors import (
    ControlRefused,
    KeyReused,
    MoneyUsedUp,
    OutcomeUnknown,
    QuotaUsedUp,
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
from elcano.api.http.request_identity import requires
from elcano.api.resume.fork import ForkBody, judge_fork
from elcano.api.resume.resume_and_rollback import ResumeAccepted, ResumeBody, RollBackBody, resume_ended_run, roll_back
from elcano.api.runs.routes import LOCATION, IdempotencyKey, show_submission
from elcano.api.runs.run_view import RunView
from elcano.api.runs.submission import build_request_key, submit_run
from elcano.api.services import Asker, Provided
from elcano.graphs.errors import GraphInvalid, RunOpen

_READ = (RunForgotten, RunUnreadable, WorkerUnavailable)
_COMMON = (
    RunNotFound,
    ResumeRefused,
    KeyReused,
    TemporalRefused,
    TemporalUnavailable,
    *_READ,
)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post(
    "/resume", dependencies=[requires("control_run")], status_code=202, responses=problem_docs(*_COMMON, RunOpen)
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
    responses=problem_docs(*_COMMON, ControlRefused, OutcomeUnknown),
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
        **problem_docs(*_COMMON, GraphInvalid, TooManyRuns, QuotaUsedUp, MoneyUsedUp),
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
