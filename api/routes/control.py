"""Runs that are under way: stop one, or let it spend more."""

from collections.abc import Awaitable
from typing import TypeVar

from fastapi import APIRouter

from api.budgets import LimitsView
from api.errors import (
    BodyTooLarge,
    BodyUnreadable,
    RequestInvalid,
    RunEnded,
    RunForgotten,
    RunNotFound,
    StopRefused,
    TemporalRefused,
    TemporalUnavailable,
    TopUpRefused,
    WorkerNotAnswering,
    problem_docs,
)
from api.reading import kept_run
from api.requests import StopBody, TopUpBody
from api.schemas import StopAccepted, TopUpAccepted
from api.services import Provided
from graphs.contracts import StopRequest
from storage.store import Store

Answer = TypeVar("Answer")

COMMON = (
    BodyUnreadable,
    RunNotFound,
    RunEnded,
    BodyTooLarge,
    RequestInvalid,
    TemporalRefused,
    TemporalUnavailable,
    WorkerNotAnswering,
)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["runs"])


@router.post("/stop", status_code=202, responses=problem_docs(*COMMON, StopRefused))
async def stop_run(run_id: str, services: Provided, body: StopBody | None = None) -> StopAccepted:
    """Stop a run: it ends its research and writes the report from what it has.

    A request that no worker takes within ten seconds is not kept: send it again.
    """
    reason = body.reason if body else ""
    await _require_running(run_id, services.store)
    await _unless_ended(run_id, services.temporal.stop(run_id, StopRequest(reason=reason)))
    return StopAccepted(run_id=run_id, reason=reason)


@router.post("/top-up", status_code=202, responses=problem_docs(*COMMON, TopUpRefused))
async def top_up_run(run_id: str, services: Provided, body: TopUpBody) -> TopUpAccepted:
    """Raise a run's limits; one that is paused because they were used up goes on.

    A request that no worker takes within ten seconds is not kept: send it again.
    """
    added = body.added()
    await _require_running(run_id, services.store)
    limits = await _unless_ended(run_id, services.temporal.top_up(run_id, added))
    return TopUpAccepted(run_id=run_id, limits=LimitsView.of(limits))


async def _require_running(run_id: str, store: Store) -> None:
    run = await kept_run(run_id, store)
    if run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}")


async def _unless_ended(run_id: str, request: Awaitable[Answer]) -> Answer:
    try:
        return await request
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended") from error
