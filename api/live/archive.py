"""Feeds of runs that have ended: read and merged once, in a thread, and kept as long as there is room.

A run that is taken up again is ended by another execution, and its feed is another one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from elcano.api.live.feed import Feed
from elcano.api.live.journal_merge import Branch
from elcano.graphs.records import ArchivedRun
from elcano.graphs.values.events import AgentEvent
from elcano.graphs.values.tenant import Tenant
from elcano.storage.store import Store

KEPT_EVENTS: Final = 20_000
"""How many events are kept in memory for readers to come, some 60 MB at most; what is being read does not count."""

_Ending: TypeAlias = tuple[Tenant, str, str, float | None]
"""A tenant's run, the execution that ended it, and when."""


class Archive:
    """The feeds that were asked for last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading: dict[_Ending, asyncio.Task[Feed | None]] = {}
        self._known: WeakValueDictionary[_Ending, Feed] = WeakValueDictionary()
        """Those that somebody reads, and those that are kept."""
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
            return  # whoever waits for it gets the error
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
