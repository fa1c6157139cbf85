"""Whether the process lives, and whether a run that is asked for now would be worked on."""

import asyncio

from fastapi import APIRouter, Response

from elcano.api.http.errors import TemporalRefused, TemporalUnavailable
from elcano.api.http.schemas import Check, Health, Readiness
from elcano.api.runs.writable import Writable
from elcano.api.services import InProcess
from elcano.api.temporal.client import Temporal

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Health:
    """Say that this process answers; nothing else is checked."""
    return Health()


@router.get("/readyz", responses={503: {"model": Readiness, "description": "Something is missing; `checks` says what"}})
async def readyz(process: InProcess, response: Response) -> Readiness:
    """Check everything that a run needs: Temporal, the store, a worker.

    That the store can be written is remembered for half a minute, unless a request found that it cannot.
    """
    temporal, store, worker = await asyncio.gather(
        _temporal(process.temporal), _store(process.writable), _worker(process.temporal)
    )
    ready = temporal.ok and store.ok and worker.ok
    if not ready:
        response.status_code = 503
    return Readiness(ready=ready, checks={"temporal": temporal, "store": store, "worker": worker})


async def _temporal(temporal: Temporal) -> Check:
    try:
        await temporal.check()
    except (TemporalUnavailable, TemporalRefused) as error:
        return Check(ok=False, detail=str(error))
    return Check(ok=True)


async def _store(writable: Writable) -> Check:
    fault = await writable.fault()
    return Check(ok=fault is None, detail=fault or "")


async def _worker(temporal: Temporal) -> Check:
    try:
        polls = await temporal.worker_polls()
    except (TemporalUnavailable, TemporalRefused) as error:
        return Check(ok=False, detail=str(error))
    return Check(ok=polls, detail="" if polls else f"no worker polls the task queue {temporal.task_queue!r}")
