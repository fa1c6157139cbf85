"""A run is deleted with all that it owns: in Temporal first and in the store last.

So a deletion that was cut off can be asked for again, and continues. Only runs that have ended are deleted, and runs as
a whole: what a section left belongs to its run.
"""

import logging
import time
from typing import Final

from elcano.graphs.errors import ElcanoError, RunOpen
from elcano.graphs.records import ArchivedRun
from elcano.graphs.tenants import Tenant
from elcano.service.errors import DeleteRefused, RunNotFound, TemporalUnavailable
from elcano.service.runs.endings import archive_if_ended
from elcano.service.runs.run_status import current_run
from elcano.service.temporal.client import Temporal
from elcano.storage.store import Store, TenantStore

EXPIRED_AT_ONCE: Final = 20
"""Runs that one look deletes because of their age; a run with sections is some ten workflows."""
DAY: Final = 86_400.0

_log = logging.getLogger("api.deletion")


async def delete_run(run_id: str, temporal: Temporal, store: TenantStore) -> None:
    """Deletes a run that has ended, with its sections.

    Raises:
        RunNotFound: there is no such run, or not any more.
        DeleteRefused: it has not ended, or is a section of a run.
        TemporalUnavailable: it is not known whether it has ended, or not everything was deleted; ask again.
    """
    run = await current_run(run_id, temporal, store)
    if run.branch_of is not None:
        raise DeleteRefused(f"{run_id!r} is a section: it is deleted with its run {run.branch_of.run_id!r}")
    ended_unheard = run.status == "running"
    if ended_unheard:
        run = await archive_if_ended(run, temporal, store)
    if run.status == "running":
        raise DeleteRefused(f"the run {run_id!r} has not ended: stop it (`POST /v1/runs/{run_id}/stop`) and ask again")
    await temporal.delete(run_id, [branch.run_id for branch in run.branches], run.execution)
    if ended_unheard:  # settled or not: what no worker could report of it goes with it
        await store.runs.archive(run, ())
    try:
        await store.runs.delete(run_id)
    except RunOpen as error:  # someone reset it meanwhile
        raise DeleteRefused(str(error)) from error


class Expiry:
    """Deletes runs that ended long ago, for all tenants, oldest first and in batches.

    One that cannot be deleted is passed over until all others were seen.
    """

    def __init__(self, temporal: Temporal, store: Store, keep_days: float) -> None:
        """Runs that ended more than `keep_days` ago are deleted; with 0 none is."""
        self._temporal = temporal
        self._store = store
        self._keep_days = keep_days
        self._passed_over: set[tuple[Tenant, str]] = set()

    async def look(self) -> None:
        """Deletes the next ones.

        Raises:
            TemporalUnavailable: it is not known of the next one whether it continues.
        """
        if not self._keep_days:
            return
        before = time.time() - self._keep_days * DAY
        expired = await self._store.expired(before, EXPIRED_AT_ONCE + len(self._passed_over))
        due = [run for run in expired if (run.tenant, run.run_id) not in self._passed_over][:EXPIRED_AT_ONCE]
        if not due:
            self._passed_over.clear()
        for run in due:
            await self._delete(run)

    async def _delete(self, run: ArchivedRun) -> None:
        try:
            await delete_run(run.run_id, self._temporal, self._store.of(run.tenant))
        except RunNotFound:  # another process was quicker
            return
        except TemporalUnavailable:
            raise
        except Exception as error:  # whatever is wrong with one run is nothing to the others
            self._passed_over.add((run.tenant, run.run_id))
            unforeseen = None if isinstance(error, ElcanoError) else error
            text = "run %s ended %g days ago and cannot be deleted: %s"
            _log.warning(text, run.run_id, self._keep_days, error, exc_info=unforeseen)
        else:
            _log.info("run %s was deleted: it ended more than %g days ago", run.run_id, self._keep_days)
