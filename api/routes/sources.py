"""Sources: what can be searched here."""

import asyncio

from fastapi import APIRouter

from elcano.api.http.source_view import SourceView
from elcano.api.runs.sources import known, lacking, unserved
from elcano.api.services import Provided

router = APIRouter(prefix="/v1/sources", tags=["sources"])


@router.get("")
async def list_sources(services: Provided) -> list[SourceView]:
    """List the sources that a run can search, with what they can do, what they allow and what they lack."""
    specs = known(services.settings)
    lacks, idle = await asyncio.gather(
        lacking(services.temporal, services.settings),
        asyncio.gather(*(unserved(spec, services.temporal) for spec in specs.values())),
    )
    return [SourceView.of(spec, lacks[spec.name] or why) for spec, why in zip(specs.values(), idle, strict=True)]
