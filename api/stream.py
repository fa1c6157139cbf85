"""All events of a run are fetched once per process, however many clients follow it.

A `Feed` is what clients read: a list that only grows, so one that comes late or reads slowly misses nothing and delays
nobody. A `Watcher` fills it while somebody reads: the long poll of the history wakes it, one query fetches what is new.
"""

import asyncio
import logging
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from pydantic import Field

from api.endings import settle
from api.errors import (
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    WorkerNotAnswering,
)
from api.rpc import NO_WORKER
from api.schemas import Described
from api.temporal import Temporal
from graphs.contracts import ProgressPage
from graphs.events import AgentEvent
from storage.store import Store

POLL_FLOOR: Final = 5.0
"""Seconds between two looks at a run whose history does not wake us."""
COALESCE: Final = 0.025
"""Seconds in which a burst of changes becomes one query."""
PATIENCE: Final = 2.0
"""Seconds without an answer after which clients are told that there is none."""
REMIND: Final = 30.0
"""Seconds between two notices of the same silence."""

_log = logging.getLogger("api.stream")


class Waiting(Described):
    """The data of a `waiting` message: nothing new can be told at the moment."""

    message: str = Field(examples=[NO_WORKER])
    """Who does not answer."""
    at: float = Field(examples=[1_795_000_000.25])
    """Since when, in seconds since the epoch, or when it was last tried."""


class Feed:
    """A run's events so far, for any number of readers."""

    def __init__(self, events: Sequence[AgentEvent] = (), *, closed: bool = False) -> None:
        self.events = list(events)
        self.closed = closed
        """Nothing will be added."""
        self._waiting: Waiting | None = None
        self._news = asyncio.Event()

    @property
    def last(self) -> int:
        """Number of the last event; 0 before the first."""
        return self.events[-1].seq if self.events else 0

    def publish(self, events: Sequence[AgentEvent]) -> None:
        """Adds events. Having been told something, also nothing, means that nobody waits any more."""
        self._waiting = None
        self.events += events
        if events:
            self._tell()

    def wait(self, message: str) -> None:
        """Tells readers that nobody answers, at once the first time and then sparingly."""
        now = time.time()
        if self._waiting is None or now - self._waiting.at >= REMIND:
            self._waiting = Waiting(message=message, at=now)
            self._tell()

    def close(self) -> None:
        """Lets readers end when they have read everything."""
        self.closed = True
        self._tell()

    async def follow(self, since: int) -> AsyncIterator[AgentEvent | Waiting]:
        """Every event after number `since`, as it comes, until the feed is closed; notices of waiting between them."""
        position = bisect_right(self.events, since, key=lambda event: event.seq)
        shown: Waiting | None = None
        while True:
            news = self._news  # taken before reading: what is added from here on sets it
            while position < len(self.events):
                event = self.events[position]
                position += 1
                if event.seq > since:
                    yield event
            if self.closed:
                return
            if self._waiting is not None and self._waiting is not shown:
                shown = self._waiting
                yield shown
            await news.wait()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


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
