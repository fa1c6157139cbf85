"""Sources: what can be searched here, how each stands, and whether it finds anything."""

import asyncio

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    RequestInvalid,
    SourceCheckFailed,
    SourceClosed,
    SourceNotFound,
    StoreUnavailable,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.source_view import CheckRequest, CheckView, SourceView
from elcano.api.runs.collections import empty_collections
from elcano.api.runs.source_availability import (
    explain_unserved_source,
    find_missing_setup,
    found_in,
    list_all_sources,
    require_open,
    switched_off,
)
from elcano.api.services import Provided, Services
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.providers import SourceCheck

router = APIRouter(prefix="/v1/sources", tags=["sources"], responses=problem_docs(StoreUnavailable))


@router.get("")
async def list_sources(services: Provided) -> list[SourceView]:
    """List the sources that there are, with what they can do, what they allow, what they lack and how they stand."""
    return await _build_source_views(list(list_all_sources(services.settings).values()), services)


@router.get("/{name}", responses=problem_docs(RequestInvalid, SourceNotFound))
async def get_source(name: str, services: Provided) -> SourceView:
    """Read one source."""
    (shown,) = await _build_source_views([found_in(list_all_sources(services.settings), name)], services)
    return shown


@router.post(
    "/{name}/check",
    responses=problem_docs(
        BodyTooLarge,
        BodyUnreadable,
        RequestInvalid,
        SourceClosed,
        SourceNotFound,
        SourceCheckFailed,
        TemporalRefused,
        TemporalUnavailable,
    ),
)
async def check_source(name: str, request: CheckRequest, services: Provided) -> CheckView:
    """Search one source once, through a worker, for at most 30 seconds; nothing of it is kept."""
    spec = found_in(list_all_sources(services.settings), name)
    await require_open(spec, services.temporal, services.settings)
    queue = spec.queue or services.temporal.task_queue
    check = SourceCheck(source=name, queue=queue, query=request.query, limit=request.limit, tenant=services.tenant)
    return CheckView.of(name, await services.temporal.looks.check_source(check))


async def _build_source_views(specs: list[SourceSpec], services: Services) -> list[SourceView]:
    empty = await run_in_threadpool(empty_collections, services.settings)
    lacks, idle, (providers, now) = await asyncio.gather(
        find_missing_setup(services.temporal, services.settings),
        asyncio.gather(*(explain_unserved_source(spec, services.temporal) for spec in specs)),
        services.providers.all(),
    )
    views = []
    for spec, why in zip(specs, idle, strict=True):
        if off := switched_off(spec, services.settings):
            views.append(SourceView.of(spec, off, "off"))
        elif lack := lacks[spec.name]:
            views.append(SourceView.of(spec, lack, "needs_key"))
        elif nothing := empty.get(spec.name):
            views.append(SourceView.of(spec, nothing, "empty"))
        else:
            provider = providers.get(spec.name)
            stands = None if provider is None else (provider, now)
            views.append(SourceView.of(spec, why, "unserved", stands=stands))
    return views
