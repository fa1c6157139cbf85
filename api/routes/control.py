"""Runs that are under way: stop one, or let it spend more."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Header, Response

from elcano.api.http.budgets import LimitsView
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    KeyReused,
    OutcomeUnknown,
    RequestInvalid,
    RunEnded,
    RunNotFound,
    StopRefused,
    TemporalRefused,
    TemporalUnavailable,
    TopUpRefused,
    problem_docs,
)
from elcano.api.http.requests import StopBody, TopUpBody
from elcano.api.http.schemas import StopAccepted, TopUpAccepted
from elcano.api.runs.controls import STOP, TOP_UP, ask, new_request_id
from elcano.api.services import Provided
from elcano.graphs.contracts import StopRequest

COMMON = (
    BodyUnreadable,
    RunNotFound,
    RunEnded,
    BodyTooLarge,
    RequestInvalid,
    KeyReused,
    TemporalRefused,
    TemporalUnavailable,
    OutcomeUnknown,
)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


async def request_id(
    response: Response,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=255,
            description="A text of your own for this request to this run: sent again with it, the request is done once "
            "and gets its first answer. Left out, the server makes one; the answer has it under the same name.",
            examples=["3f0c6f5e-more-tokens"],
        ),
    ] = None,
) -> str:
    """The request's id: the client's, or a new one, which the answer tells."""
    chosen = idempotency_key if idempotency_key is not None else new_request_id()
    response.headers["Idempotency-Key"] = chosen
    return chosen


RequestId: TypeAlias = Annotated[str, Depends(request_id)]


@router.post("/stop", status_code=202, responses=problem_docs(*COMMON, StopRefused))
async def stop_run(
    run_id: str, services: Provided, request_id: RequestId, body: StopBody | None = None
) -> StopAccepted:
    """Stop a run: it ends its research and writes the report from what it has.

    If no worker answers within ten seconds, it is not known whether the request will be applied: send it again with the
    `Idempotency-Key` of the answer to learn.
    """
    reason = body.reason if body else ""
    request = StopRequest(reason=reason)
    await ask(STOP, run_id, request, request_id, temporal=services.temporal, store=services.kept)
    return StopAccepted(run_id=run_id, reason=reason)


@router.post("/top-up", status_code=202, responses=problem_docs(*COMMON, TopUpRefused))
async def top_up_run(run_id: str, services: Provided, request_id: RequestId, body: TopUpBody) -> TopUpAccepted:
    """Raise a run's limits; one that is paused because they were used up goes on.

    If no worker answers within ten seconds, it is not known whether the request will be applied: send it again with the
    `Idempotency-Key` of the answer to learn. However often it is sent, it counts once.
    """
    limits = await ask(TOP_UP, run_id, body.added(), request_id, temporal=services.temporal, store=services.kept)
    return TopUpAccepted(run_id=run_id, limits=LimitsView.of(limits))
