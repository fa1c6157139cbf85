"""All events of a run are fetched once per process, however many clients follow it.

A `Watcher` fills a run's feed while someone reads it, with one reader of journals for the run and one for each of its
branches that is open, and shows what those write meanwhile. What has ended comes from the archive.

Feeds of runs that have ended: read and merged once, in a thread, and kept as long as there is room.

A run that is taken up again is ended by another execution, and its feed is another one.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from elcano.graphs.contracts import BranchOf
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.tenants import Tenant
from elcano.measures import record_value
from elcano.service.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.service.events.feed import Feed
from elcano.service.events.journal_merge import Branch, Key
from elcano.service.events.journal_reader import JournalReader
from elcano.service.events.live_text_reader import WordsReader
from elcano.service.runs.run_status import find_existing_run
from elcano.service.temporal.client import Temporal
from elcano.storage.store import Store, TenantStore

KEPT_EVENTS: Final = 20_000
"""Number of events kept in memory for later readers, some 60 MB at most; those being read do not count."""

_Ending: TypeAlias = tuple[Tenant, str, str, float | None]
"""A tenant's run, the execution that ended it, and when."""


class Archive:
    """The feeds that were asked for last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading: dict[_Ending, asyncio.Task[Feed | None]] = {}
        self._known: WeakValueDictionary[_Ending, Feed] = WeakValueDictionary()
        """Journals with readers, and stored ones."""
        self._kept: OrderedDict[_Ending, Feed] = OrderedDict()

    async def feed(self, run: ArchivedRun) -> Feed | None:
        """The whole feed of a run that has ended; None if a branch of it has not got into the store yet."""
        ending = (run.tenant, run.run_id, run.execution, run.finished_at)
        known = self._known.get(ending)
        if known is not None:
            if ending in self._kept:
                self._kept.move_to_end(ending)
            return known
        reading = self._reading.get(ending)
        if reading is None:
            reading = asyncio.create_task(self._read(run), name=f"read the archive of {run.run_id}")
            self._reading[ending] = reading
            reading.add_done_callback(lambda done: self._keep(ending, done))
        return await asyncio.shield(reading)  # a reader who leaves does not take it from the others

    def forget(self, tenant: Tenant, run_id: str) -> None:
        """Keeps a run that was deleted no longer; who reads its feed reads on."""
        for ending in [ending for ending in self._known if ending[:2] == (tenant, run_id)]:
            self._kept.pop(ending, None)
            self._known.pop(ending, None)

    async def close(self) -> None:
        """Cancels all reads in progress."""
        reading = list(self._reading.values())
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)

    async def _read(self, run: ArchivedRun) -> Feed | None:
        stored = await self._store.of(run.tenant).runs.journals(run.run_id)
        return await asyncio.to_thread(archived_feed, run.run_id, stored)

    def _keep(self, ending: _Ending, done: asyncio.Task[Feed | None]) -> None:
        del self._reading[ending]
        if done.cancelled() or done.exception() is not None:
            return  # its waiter gets the error
        feed = done.result()
        if feed is None:
            return
        self._known[ending] = feed
        if feed.size <= KEPT_EVENTS:
            self._kept[ending] = feed
            while sum(kept.size for kept in self._kept.values()) > KEPT_EVENTS:
                self._kept.popitem(last=False)


def archived_feed(run_id: str, stored: Mapping[str, Sequence[AgentEvent]]) -> Feed | None:
    """The whole feed of a run that has ended; None if a branch of it has not got into the store yet."""
    missing: list[Branch] = []

    def opened(branch: Branch) -> Sequence[AgentEvent]:
        if branch.run_id not in stored:
            missing.append(branch)
        return stored.get(branch.run_id, ())

    feed = Feed(opened)
    feed.add((), stored.get(run_id, ()))
    if missing:
        return None
    feed.close()
    return feed


_log = logging.getLogger("api.stream")


class Watcher:
    """Fills the feed of one run until its terminal event, and everything before it, has been passed on."""

    def __init__(self, run: ArchivedRun, temporal: Temporal, store: TenantStore) -> None:
        self.feed = Feed(self._opened)
        self._run = run
        self._temporal = temporal
        self._store = store
        self._stored: dict[str, list[AgentEvent]] = {}
        self._group = asyncio.TaskGroup()

    async def run(self) -> None:
        """Watches; returns when the feed is complete. A feed that breaks off is closed: its readers come again."""
        try:
            self._stored = await self._store.runs.journals(self._run.run_id)
            if self._run.execution:  # it was reset since: its record may not have been opened again yet
                self._stored = {}
            elif self._stored:
                with suppress(RunForgotten, TemporalUnavailable, TemporalRefused):
                    last = await self._temporal.glance.last_execution(self._run.run_id)
                    for section in last.sections:  # archived by an end that the server has not accepted yet
                        self._stored.pop(section, None)
            async with self._group:
                self.feed.add((), self._begun((), self._run))
        finally:
            self.feed.close()

    def _opened(self, branch: Branch) -> Sequence[AgentEvent]:
        return self._begun(branch.key, _branch_run(self._run, branch))

    def _begun(self, key: Key, run: ArchivedRun) -> Sequence[AgentEvent]:
        """Return the stored part of a journal; a journal that the store does not have is read from here on."""
        stored = self._stored.pop(run.run_id, None)
        if stored is not None:
            return stored
        words = WordsReader(run.run_id, self._temporal, self.feed.show)
        watched_from = time.time()

        def add_events(events: Sequence[AgentEvent]) -> None:
            self.feed.add(key, events)
            if events and events[-1].at >= watched_from:  # earlier ones wait for no one
                record_value("stream_lag", time.time() - events[-1].at)
            words.drop_written(events)

        reader = JournalReader(run, self._temporal, self._store, add_events, partial(self.feed.wait, key))
        self._group.create_task(_read_journal_and_words(reader, words), name=f"read {run.run_id}")
        return ()


async def _read_journal_and_words(journal: JournalReader, words: WordsReader) -> None:
    """Read a journal to its end, and the text being written next to it, whose failure does not stop the journal."""
    reading = asyncio.create_task(words.run())
    reading.add_done_callback(_log_reader_error)
    try:
        await journal.run()
    finally:
        reading.cancel()


def _log_reader_error(reading: asyncio.Task[None]) -> None:
    if not reading.cancelled() and (error := reading.exception()) is not None:
        _log.error("what is being written cannot be shown any more", exc_info=error)


class Feeds:
    """The feeds that are being read in this process."""

    def __init__(self, temporal: Temporal, store: Store) -> None:
        self._temporal = temporal
        self._store = store
        self._archive = Archive(store)
        self._watched: dict[tuple[Tenant, str], _Watched] = {}
        """By tenant and run."""
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self, tenant: Tenant, run_id: str) -> AsyncIterator[Feed]:
        """The feed of a tenant's run, shared by all who have it open; of an ended one it is read from the store.

        Raises:
            RunNotFound: the tenant has no such run.
        """
        run = await find_existing_run(run_id, self._temporal, self._store.of(tenant))
        if run.status != "running":
            archived = await self._archive.feed(run)
            if archived is not None:
                yield archived
                return
        watched = self._join(run)
        try:
            yield watched.feed
        finally:
            self._leave((tenant, run_id), watched)

    def forget(self, tenant: Tenant, run_id: str) -> None:
        """Keeps nothing more of a run that was deleted; who reads it reads to its end."""
        self._archive.forget(tenant, run_id)

    async def close(self) -> None:
        """Ends every watcher, and with it every stream."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._archive.close()

    def _join(self, run: ArchivedRun) -> "_Watched":
        whose = (run.tenant, run.run_id)
        watched = self._watched.get(whose)
        if watched is None or watched.task.done():
            watcher = Watcher(run, self._temporal, self._store.of(run.tenant))
            task = asyncio.create_task(watcher.run(), name=f"watch {run.run_id}")
            self._tasks.add(task)
            task.add_done_callback(self._ended)
            watched = self._watched[whose] = _Watched(watcher.feed, task)
        watched.readers += 1
        return watched

    def _leave(self, whose: tuple[Tenant, str], watched: "_Watched") -> None:
        watched.readers -= 1
        if watched.readers == 0:
            watched.task.cancel()
            if self._watched.get(whose) is watched:
                del self._watched[whose]

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


def _branch_run(run: ArchivedRun, branch: Branch) -> ArchivedRun:
    """A branch as the store would keep it while it runs."""
    started = branch.started
    return ArchivedRun(
        run_id=branch.run_id,
        question=str(started.data.get("question", "")),
        mode=run.mode,
        tenant=run.tenant,
        status="running",
        started_at=started.at,
        sources=run.sources,
        engine=run.engine,
        priority=run.priority,
        branch_of=BranchOf(run_id=run.run_id, path=started.path, section=started.section),
    )
