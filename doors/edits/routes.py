"""`POST /v1/runs/{run_id}/edits` and `/updates`: a finished report is changed by words, or brought up to date."""

from typing import Any, Final

from fastapi import APIRouter, Response

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.routes import LOCATION, IdempotencyKey, show_submission
from elcano.api.services import Provided
from elcano.doors.edits.judgement import ChangeBody, EditBody, EditRefused, judge_edit, judge_update
from elcano.service.errors import (
    KeyReused,
    MoneyUsedUp,
    QuotaUsedUp,
    ReportLost,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
    WorkerUnavailable,
)
from elcano.service.runs.run_view import RunView
from elcano.service.runs.submission import build_request_key, submit_run

RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
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
}

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post("/edits", dependencies=[requires("start_run")], status_code=201, responses=RESPONSES)
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


@router.post("/updates", dependencies=[requires("start_run")], status_code=201, responses=RESPONSES)
async def update_report(
    run_id: str,
    services: Provided,
    response: Response,
    body: ChangeBody | None = None,
    idempotency_key: IdempotencyKey = None,
) -> RunView:
    """Bring a finished report up to date, in a run that makes its searches again and writes only what has changed.

    Quotes that are still in their documents are kept. Quotes that their document no longer has, and passages that are
    new, are given to a model, which writes anew what rests on them; if there are none, no model is asked. The run
    whose report it is, `previous_run`, stays as it is, and `GET /v1/runs/{run_id}/diff/{other}` says what changed.
    """
    wanted = body or ChangeBody()
    key = build_request_key(idempotency_key, wanted, about=f"update {run_id} ")
    submission = await submit_run(lambda own: judge_update(run_id, wanted, own, services), key, services)
    return await show_submission(submission, services, response)
