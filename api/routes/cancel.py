"""Cancelling a run: not an action of its engine, which would need a worker to hear it, but of Temporal."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from pydantic import Field

from elcano.api.http.accepted import Accepted
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    RequestInvalid,
    RunEnded,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.requests import Request, Text
from elcano.api.runs.cancellation import cancel_open_run
from elcano.api.services import Asker, Provided
from elcano.graphs.state.failures import REASON_CHARACTERS, Cancellation

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


class CancelBody(Request):
    """Why a run is to end without a report."""

    reason: Text = Field(default="", max_length=REASON_CHARACTERS, examples=["The question was wrong."])
    """Shown in the last event."""


class CancelAccepted(Accepted):
    """The run was cancelled; it ends without a report, and its findings stay readable."""

    reason: str = Field(examples=["The question was wrong."])
    """Why."""
    worker: Literal["polling", "not polling"] = Field(examples=["polling"])
    """`not polling`: no worker asked for work lately; the run ends when one does."""


@router.post(
    "/cancel",
    status_code=202,
    responses=problem_docs(
        BodyUnreadable,
        RunNotFound,
        RunEnded,
        BodyTooLarge,
        RequestInvalid,
        TemporalRefused,
        TemporalUnavailable,
    ),
)
async def cancel_run(
    run_id: str, services: Provided, asker: Asker, body: Annotated[CancelBody | None, Body()] = None
) -> CancelAccepted:
    """Cancel a run: it ends at once, without a report, and frees everything that was running for it.

    What it found stays readable. It can be cancelled whatever it does or waits for, and as often as you like. A run
    that has just written its last words may still end as it would have.
    """
    sent = body or CancelBody()
    cancellation = Cancellation(by=asker, reason=sent.reason)
    polled = await cancel_open_run(run_id, cancellation, services.temporal, services.store)
    return CancelAccepted(run_id=run_id, reason=sent.reason, worker="polling" if polled else "not polling")
