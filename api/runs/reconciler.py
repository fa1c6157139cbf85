"""The store's open runs are compared with Temporal again and again, so that no run stays open because nobody asks.

Three kinds of runs need it: one whose API process died before or after the workflow was started, one whose start got no
answer, and one that was ended from outside. Temporal says what is so. Any number of API processes may do this at once:
everything that is done here can be done twice.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from elcano.api.http.errors import RunForgotten, TemporalUnavailable
from elcano.api.runs.endings import START_GRACE, settle
from elcano.api.temporal.client import Temporal
from elcano.graphs.errors import ElcanoError
from elcano.storage.across import OpenRun
from elcano.storage.store import Store

BATCH: Final = 100
"""Runs that one look compares. The next look goes on behind them, and begins anew at the end."""

_log = logging.getLogger("api.reconciler")


class Reconciler:
    """Looks at the open runs, oldest first, a batch at a time."""

    def __init__(self, temporal: Temporal, store: Store) -> None:
        self._temporal = temporal
        self._store = store
        self._after: OpenRun | None = None

    async def look(self) -> None:
        """Compares the next batch. A run that cannot be settled is logged and looked at again in its turn."""
        batch = await self._store.open_runs(after=self._after, limit=BATCH)
        for kept in batch:
            if not kept.begun and time.time() - kept.run.started_at < START_GRACE:
                continue  # it may just be being started
            try:
                await self._compare(kept)
            except TemporalUnavailable as error:
                _log.warning("open runs cannot be compared with Temporal now: %s", error)
                return
            except ElcanoError as error:
                _log.warning("run %s cannot be settled: %s", kept.run.run_id, error)
        self._after = batch[-1] if len(batch) == BATCH else None

    async def _compare(self, kept: OpenRun) -> None:
        own = self._store.of(kept.run.tenant)
        if not kept.begun:
            try:
                await self._temporal.describe(kept.run.run_id)
            except RunForgotten:
                await own.runs.withdraw(kept.run.run_id)
                _log.info("run %s was never started", kept.run.run_id)
                return
            await own.runs.begin(kept.run)
        settled = await settle(kept.run, self._temporal, own)
        if settled.status != "running":
            _log.info("run %s has ended: %s", kept.run.run_id, settled.status)


@asynccontextmanager
async def reconciling(temporal: Temporal, store: Store, every: float) -> AsyncIterator[None]:
    """Looks at once and then every `every` seconds, for the duration of the block."""
    task = asyncio.create_task(_look_again_and_again(Reconciler(temporal, store), every))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _look_again_and_again(reconciler: Reconciler, every: float) -> None:
    while True:
        try:
            await reconciler.look()
        except Exception:  # a store that fails now may work at the next look, and requests tell of it too
            _log.exception("open runs cannot be looked at; next try in %g s", every)
        await asyncio.sleep(every)
