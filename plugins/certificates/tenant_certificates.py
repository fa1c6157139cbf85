"""The certificates of a tenant's runs, for an export of the tenant."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from elcano.graphs.contracts import REPORTED
from elcano.graphs.errors import StoreDamaged
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.plugins.certificates.run_certificate import write_certificate
from elcano.storage.plugin_store import TenantFile
from elcano.storage.store import TenantStore

PAGE: Final = 50
"""Runs that are listed at a time."""


async def export_certificates(store: TenantStore) -> AsyncIterator[TenantFile]:
    """A certificate of each run that ended with a report and left its log."""
    before: str | None = None
    while True:
        page = await store.runs.page(limit=PAGE, before=before)
        for one in page.runs:
            if one.run.status in REPORTED and one.run.report is not None and one.run.log:
                yield TenantFile(f"certificates/{one.run_id}.certificate.json", _write_certificate(one.run_id, store))
        before = page.next
        if before is None:
            return


async def _write_certificate(run_id: str, store: TenantStore) -> AsyncIterator[bytes]:
    run = await store.runs.get(run_id)
    if run is None or run.report is None:
        raise StoreDamaged(f"the run {run_id!r} was deleted or resumed meanwhile")
    log = await asyncio.to_thread(RunLog.model_validate_json, await _load_artifact(run.log, run, store))
    async for piece in write_certificate(run, log, await _load_artifact(run.report.artifact, run, store), store):
        yield piece


async def _load_artifact(key: str, run: ArchivedRun, store: TenantStore) -> str:
    content = await store.artifacts.get(key)
    if content is None:
        raise StoreDamaged(f"the artifact {key} of run {run.run_id!r} is not in the store any more")
    return content
