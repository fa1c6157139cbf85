"""Whether the process lives, and whether a run that is asked for now would be worked on."""

import asyncio
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import Field

from elcano.api.http.request_identity import PUBLIC
from elcano.api.services import InProcess, Writable
from elcano.graphs.contracts import model_queue
from elcano.graphs.model_names import provider_of
from elcano.service.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.service.fields import Described
from elcano.service.temporal.client import Temporal
from elcano.settings.settings import Settings


class Health(Described):
    """The process answers."""

    status: Literal["ok"] = "ok"
    """Nothing else was checked."""


class Check(Described):
    """One thing that the API needs."""

    ok: bool = Field(examples=[True])
    """Whether it works."""
    detail: str = Field(default="", examples=["no worker polls the task queue 'elcano': start one that does"])
    """Description of the problem; empty if there is none."""


class Readiness(Described):
    """Whether a run that is asked for now would be worked on."""

    ready: bool
    """True if every check passed."""
    checks: dict[Literal["temporal", "store", "worker"], Check]
    """Each check's result."""


router = APIRouter(tags=["health"], dependencies=[PUBLIC])


@router.get("/healthz")
async def healthz() -> Health:
    """Say that this process answers; nothing else is checked."""
    return Health()


@router.get("/readyz", responses={503: {"model": Readiness, "description": "Something is missing; `checks` says what"}})
async def readyz(process: InProcess, response: Response) -> Readiness:
    """Check everything that a run needs to start and to continue: Temporal, the store, workers that can pick it up.

    Whether the store is writable is remembered for three seconds, unless a request found that it is not. A worker that
    stops is missed at once, one that was killed after some 15 seconds.
    """
    temporal, store = await asyncio.gather(_check_temporal(process.temporal), _check_store(process.writable))
    if temporal.ok:
        worker = await _check_workers(process.temporal, process.settings)
    else:  # asking it of workers would take ten seconds, and probes do not wait for so long
        worker = Check(ok=False, detail="only Temporal knows whether a worker is there")
    ready = temporal.ok and store.ok and worker.ok
    if not ready:
        response.status_code = 503
    return Readiness(ready=ready, checks={"temporal": temporal, "store": store, "worker": worker})


async def _check_temporal(temporal: Temporal) -> Check:
    try:
        await temporal.check()
    except (TemporalUnavailable, TemporalRefused) as error:
        return Check(ok=False, detail=str(error))
    return Check(ok=True)


async def _check_store(writable: Writable) -> Check:
    fault = await writable.fault()
    return Check(ok=fault is None, detail=fault or "")


async def _check_workers(temporal: Temporal, settings: Settings) -> Check:
    """Workers for runs, and for calls of the models that runs ask unless they name others."""
    rated = {provider_of(model) for model in (settings.model, *settings.agent_models.values())} & {
        *settings.model_rates
    }
    try:
        fault = await temporal.workers.find_fault()
        idle = {name: await temporal.workers.find_queue_fault(model_queue(name)) for name in sorted(rated)}
    except (TemporalUnavailable, TemporalRefused) as error:
        return Check(ok=False, detail=str(error))
    except RunForgotten:
        return Check(ok=False, detail="Temporal does not have the namespace: make it, or correct TEMPORAL_NAMESPACE")
    unserved = [f"no worker calls models of {name!r}: {why}" for name, why in idle.items() if why]
    return Check(ok=not fault and not unserved, detail="; ".join(filter(None, [fault, *unserved])))
