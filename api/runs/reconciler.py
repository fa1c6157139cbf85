"""Compares the store's open runs with Temporal periodically, so that a run that has ended does not stay open.

Three kinds of runs need it: one whose API process died before or after the workflow was started, one whose start got no
answer, and one that was ended from outside. Temporal says what is so. Any number of API processes may do this at once:
everything that is done here can be done twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Final

from elcano.api.http.errors import RunForgotten, TemporalUnavailable
from elcano.api.runs.deletion import Expiry
from elcano.api.runs.endings import START_GRACE, archive_if_ended
from elcano.api.temporal.client import Temporal
from elcano.graphs.errors import ElcanoError
from elcano.settings.settings import Settings
from elcano.storage.store import OpenRun, Store

BATCH: Final = 100
"""Runs compared per round. The next round continues after them, and starts anew at the end."""

_log = logging.getLogger("api.reconciler")


class Reconciler:
    """Looks at the open runs, oldest first, a batch at a time."""

    def __init__(self, temporal: Temporal, store: Store) -> None:
        self._temporal = temporal
        self._store = store
        self._after: OpenRun | None = None

    async def look(self) -> None:
        """Compares the next batch. A run that cannot be settled is logged and looked at again in its turn.

        Raises:
            TemporalUnavailable: the rest of the batch was not compared; the next look begins with it.
        """
        batch = await self._store.open_runs(after=self._after, limit=BATCH)
        for kept in batch:
            if not kept.begun and time.time() - kept.run.started_at < START_GRACE:
                continue  # it may just be being started
            self._after = kept  # whatever comes of it, the next look goes on behind it
            try:
                await self._compare(kept)
            except TemporalUnavailable:
                raise
            except ElcanoError as error:
                _log.warning("run %s cannot be settled: %s", kept.run.run_id, error)
            except Exception:  # whatever is wrong with one run is nothing to the others
                _log.exception("run %s cannot be settled", kept.run.run_id)
        self._after = batch[-1] if len(batch) == BATCH else None

    async def _compare(self, kept: OpenRun) -> None:
        store = self._store.of(kept.run.tenant)
        if not kept.begun:
            try:
                await self._temporal.describe(kept.run.run_id)
            except RunForgotten:
                await store.admission.withdraw(kept.run.run_id)
                _log.info("run %s was never started", kept.run.run_id)
                return
            await store.runs.begin(kept.run)
        settled = await archive_if_ended(kept.run, self._temporal, store)
        if settled.status != "running":
            _log.info("run %s has ended: %s", kept.run.run_id, settled.status)


@asynccontextmanager
async def reconcile_in_background(temporal: Temporal, store: Store, settings: Settings) -> AsyncIterator[None]:
    """Reconciles at once and then every `reconcile_seconds` while the block runs, and deletes expired runs."""
    looks = (Reconciler(temporal, store).look, Expiry(temporal, store, settings.keep_days).look)
    task = asyncio.create_task(_look_again_and_again(looks, settings.reconcile_seconds))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _look_again_and_again(looks: Iterable[Callable[[], Awaitable[None]]], every: float) -> None:
    while True:
        for look in looks:
            try:
                await look()
            except TemporalUnavailable as error:
                _log.warning("runs cannot be compared with Temporal now: %s", error)
            except Exception:  # a store that fails now may work at the next look, and requests tell of it too
                _log.exception("runs cannot be looked at; next try in %g s", every)
        await asyncio.sleep(every)
