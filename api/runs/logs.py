"""The log of a run: from the store if the run has ended, from its workflow while it goes on.

A run that ended without telling so (terminated, or failed outside its own care) left no log in the store; as long as
Temporal keeps its history, a worker can read it there.
"""

import asyncio

from elcano.api.http.errors import RunUnreadable
from elcano.api.temporal.client import Temporal
from elcano.graphs.lifecycle.start import fold
from elcano.graphs.records import ArchivedRun, LogPage, RunLog
from elcano.storage.store import TenantStore


async def read_log(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> RunLog:
    """All entries of `run`, as `current_run` gave it.

    Raises:
        WorkerUnavailable: it goes on, and no worker answers.
        RunUnreadable: a worker cannot read it, or its record names a log that is not there.
        RunForgotten: it left no log, and Temporal does not know it any more.
        TemporalUnavailable: Temporal does not answer.
    """
    if run.status == "running" or not run.log:
        return await _asked_of_worker(run.run_id, temporal)
    kept = await store.artifacts.get(run.log)
    if kept is None:
        raise RunUnreadable(f"the log {run.log} of run {run.run_id!r} is not in the store any more")
    return await asyncio.to_thread(RunLog.model_validate_json, kept)


async def _asked_of_worker(run_id: str, temporal: Temporal) -> RunLog:
    """Page by page. A run only gets longer, unless it is taken back meanwhile: then it is read anew."""
    pages: list[LogPage] = [await temporal.log(run_id, 0)]
    while pages[-1].more:
        page = await temporal.log(run_id, sum(len(one.entries) for one in pages))
        pages = [*pages, page] if page.entries else [await temporal.log(run_id, 0)]
    asked = pages[0].asked
    assert asked is not None, "the first page says what was asked for"
    entries = tuple(entry for page in pages for entry in page.entries)
    return RunLog(asked=asked, entries=entries, run=await asyncio.to_thread(fold, asked, entries))
