"""All events of a run are fetched once per process, however many clients follow it.

A `Watcher` fills a run's feed while somebody reads it: the long poll of the history wakes it, one query fetches what is
new.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from api.endings import settle
from api.errors import (
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    WorkerNotAnswering,
)
from api.feed import Feed
from api.rpc import NO_WORKER
from api.temporal import Temporal
from graphs.contracts import ProgressPage
from storage.store import Store

POLL_FLOOR: Final = 5.0
"""Seconds between two looks at a run whose history does not wake us."""
COALESCE: Final = 0.025
"""Seconds in which a burst of changes becomes one query."""
PATIENCE: Final = 2.0
"""Seconds without an answer after which clients are told that there is none."""

_log = logging.getLogger("api.stream")


class Watcher:
    """Fills the feed of one running run until the run has ended."""

    def __init__(self, run_id: str, temporal: Temporal, store: Store) -> None:
        self.feed = Feed()
        self._run_id = run_id
        self._temporal = temporal
        self._store = store
        self._changed = asyncio.Event()
        self._changed.set()
        self._history_ended = False

    async def run(self) -> None:
        """Watches; returns when the feed is complete. A feed that breaks off is closed: its readers come again."""
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(self._listen())
                while not self.feed.closed:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(POLL_FLOOR):
                            await self._changed.wait()
                    self._changed.clear()
                    await self._look()
                    await asyncio.sleep(COALESCE)
                listening.cancel()
        finally:
            self.feed.close()

    async def _listen(self) -> None:
        """Notes that the workflow may have done something; what exactly is for the query to say."""
        while True:
            try:
                async for _ in self._temporal.changes(self._run_id):
                    self._changed.set()
                self._history_ended = True
                self._changed.set()
            except (RunForgotten, TemporalUnavailable, TemporalRefused) as error:
                _log.info("the history of %s cannot be watched at the moment: %s", self._run_id, error)
            await asyncio.sleep(POLL_FLOOR)

    async def _look(self) -> None:
        ended, self._history_ended = self._history_ended, False
        try:
            page = await self._page()
            while page.more:
                page = await self._page()
            if page.done:
                self.feed.close()
            elif ended:
                await self._settle()
        except (RunForgotten, RunUnreadable) as error:
            self.feed.wait(str(error))
            await self._settle()
        except (WorkerNotAnswering, TemporalUnavailable, TemporalRefused) as error:
            self._history_ended = ended
            self.feed.wait(str(error))
            await self._read_archive()

    async def _page(self) -> ProgressPage:
        slow = asyncio.get_running_loop().call_later(PATIENCE, self.feed.wait, NO_WORKER)
        try:
            page = await self._temporal.progress(self._run_id, self.feed.last)
        finally:
            slow.cancel()
        self.feed.publish(page.events)
        return page

    async def _settle(self) -> None:
        run = await self._store.runs.get(self._run_id)
        if run is None:
            raise RunNotFound(self._run_id)
        await settle(run, self._temporal, self._store, self.feed.events)
        await self._read_archive()

    async def _read_archive(self) -> None:
        """What the store has of the run's end, if it has ended."""
        events = await self._store.runs.events(self._run_id, self.feed.last)
        if events:
            self.feed.publish(events)
            self.feed.close()


class Feeds:
    """The feeds that are being read in this process."""

    def __init__(self, temporal: Temporal, store: Store) -> None:
        self._temporal = temporal
        self._store = store
        self._watched: dict[str, _Watched] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self, run_id: str) -> AsyncIterator[Feed]:
        """The feed of a run: of an ended one from the store, of a running one shared by all who have it open.

        Raises:
            RunNotFound: there is no such run.
        """
        run = await self._store.runs.get(run_id)
        if run is None:
            raise RunNotFound(run_id)
        if run.status != "running":
            yield Feed(await self._store.runs.events(run_id), closed=True)
            return
        watched = self._join(run_id)
        try:
            yield watched.feed
        finally:
            self._leave(run_id, watched)

    async def close(self) -> None:
        """Ends every watcher, and with it every stream."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _join(self, run_id: str) -> "_Watched":
        watched = self._watched.get(run_id)
        if watched is None or watched.task.done():
            watcher = Watcher(run_id, self._temporal, self._store)
            task = asyncio.create_task(watcher.run(), name=f"watch {run_id}")
            self._tasks.add(task)
            task.add_done_callback(self._ended)
            watched = self._watched[run_id] = _Watched(watcher.feed, task)
        watched.readers += 1
        return watched

    def _leave(self, run_id: str, watched: "_Watched") -> None:
        watched.readers -= 1
        if watched.readers == 0:
            watched.task.cancel()
            if self._watched.get(run_id) is watched:
                del self._watched[run_id]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s broke off", task.get_name(), exc_info=error)


class _Watched:
    """A feed, the task that fills it, and how many read it."""

    def __init__(self, feed: Feed, task: asyncio.Task[None]) -> None:
        self.feed = feed
        self.task = task
        self.readers = 0
