"""Cancelling a run: it ends at once and without a report, by Temporal's own cancellation.

Temporal keeps the cancellation until a worker takes the run, so it needs none to be accepted. Asked for again, even
after the run's end, it changes nothing: the first reason stays.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from pydantic import Field

from elcano.api.http.errors import (
    RunEnded,
    RunForgotten,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.fields import Accepted, Request, Text
from elcano.api.runs.run_status import current_run
from elcano.api.services import Asker, Provided
from elcano.api.temporal.client import Temporal
from elcano.graphs.state.failures import REASON_CHARACTERS, Cancellation
from elcano.storage.store import TenantStore


async def cancel_open_run(run_id: str, cancellation: Cancellation, temporal: Temporal, store: TenantStore) -> bool:
    """Cancels a run. Returns whether a worker polls, which ends it now; else the next one that does.

    Raises:
        RunNotFound: there is no such run.
        RunEnded: it has ended otherwise; nothing was cancelled.
        TemporalUnavailable: it is not known whether it was cancelled; doing it again is safe.
    """
    run = await current_run(run_id, temporal, store)
    if run.status == "cancelled":  # as somebody wanted whose first answer was lost
        return await temporal.worker_polls()
    if run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}; there is nothing to cancel")
    try:
        # The server accepts to cancel what was terminated and is not settled yet, and does nothing.
        if (ended := (await temporal.describe(run_id)).status) not in ("running", "cancelled"):
            raise RunEnded(f"the run {run_id!r} has ended: {ended}; there is nothing to cancel")
        await temporal.cancel(run_id, cancellation.written)
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended; there is nothing to cancel") from error
    return await temporal.worker_polls()


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
        RunNotFound,
        RunEnded,
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
