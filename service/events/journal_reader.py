"""Reads the events of one workflow while it is followed.

A long poll of the history brings most events (`workflows/carried_events.py`), and otherwise wakes the reader, which
queries the run. The last event that it hands over is a terminal one: the workflow's own, or the one that the store got
if it ended without one.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from elcano.graphs.records import ArchivedRun, ProgressPage
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import (
    RunBlocked,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    WorkerUnavailable,
)
from elcano.service.events.feed import REMIND
from elcano.service.runs.endings import START_GRACE, archive_if_ended, last_event
from elcano.service.runs.pending_calls import waited_for
from elcano.service.runs.run_status import is_end_final
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import NO_WORKER
from elcano.service.temporal.history import WatchedHistory
from elcano.service.temporal.shared_reads import Places
from elcano.service.temporal.workers import UNPOLLED
from elcano.storage.health import describe_store_error, store_trouble
from elcano.storage.store import TenantStore

POLL_FLOOR: Final = 3.0
"""Seconds between two looks at a workflow whose history does not wake us."""
MOST_QUIET: Final = 20.0
"""The longest pause between two descriptions of a workflow in which nothing happens: it is described each time that it
has been quiet for twice as long."""
FIRST_PAUSE: Final = 0.1
"""Seconds until a history that cannot be watched is tried again, doubled each time up to `POLL_FLOOR`: the first event
about a branch is older than its workflow."""
COALESCE: Final = 0.005
"""Seconds in which a burst of changes becomes one query."""
PATIENCE: Final = 2.0
"""Seconds without an answer after which clients get the message that no worker answers."""
CANNOT_READ: Final = "the events cannot be read at the moment: see the log of the API"

_log = logging.getLogger("api.journals")


class JournalReader:
    """Reads the events of one workflow, from the first to the terminal one."""

    def __init__(
        self,
        run: ArchivedRun,
        temporal: Temporal,
        store: TenantStore,
        receive: Callable[[Sequence[AgentEvent]], None],
        wait: Callable[[str], None],
    ) -> None:
        """`receive` gets new events, `wait` says who does not answer. A branch's `run` need not be in the store."""
        self._run = run
        self._temporal = temporal
        self._store = store
        self._receive = receive
        self._wait = wait
        self._events: list[AgentEvent] = []
        self._changed = asyncio.Event()
        self._history_ended = False
        self._watched = WatchedHistory()
        self._looked = asyncio.Event()
        self._up_to_date = False
        """Whether the last look brought everything that there was."""
        self._deleted = False
        self._say_after = self._describe_after = time.monotonic() + POLL_FLOOR
        self._quiet = POLL_FLOOR

    async def run(self) -> None:
        """Reads; returns after the terminal event, or when the run was deleted."""
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(self._listen())
            while not self._ended:
                places = await self._wait_for_turn()
                try:
                    async with places.take():
                        self._changed.clear()
                        await self._look()
                except Exception as error:  # followers are notified, and the other runs are still read
                    self._report_failure(error)
                finally:
                    self._looked.set()
                await asyncio.sleep(COALESCE)
            listening.cancel()

    async def _wait_for_turn(self) -> Places:
        """Waits until the workflow has changed, or may be looked at for want of a change, and gives the place for it.

        What is looked at without a change waits for no place: a change that comes meanwhile would wait as well. A run
        whose history is still is not looked at: what keeps it waiting is for Temporal to say.
        """
        turns = self._temporal.turns
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_FLOOR):
                    await self._changed.wait()
                    return turns.changes
            if self._up_to_date and self._watched.is_still:
                try:
                    if not self._watched.waits_for_branches:
                        await self._say_waiting()
                except Exception as error:
                    self._report_failure(error)
            elif not turns.checks.taken:
                return turns.checks

    @property
    def _ended(self) -> bool:
        return self._deleted or (bool(self._events) and self._events[-1].terminal)

    @property
    def _last(self) -> int:
        return self._events[-1].seq if self._events else 0

    async def _listen(self) -> None:
        """Notes that the workflow may have done something; what exactly its history carries, or a query says."""
        pause = FIRST_PAUSE
        while True:
            try:
                async for watched in self._temporal.changes(self._run.run_id):
                    self._watched = watched
                    self._looked.clear()
                    self._changed.set()
                    if watched.is_open:  # what comes until it ends is no news
                        await self._looked.wait()
                self._history_ended = True
                self._changed.set()
                pause = POLL_FLOOR
            except Exception as error:  # what is wrong with the run itself is for `_look` to say
                _log.info("the history of %s cannot be watched at the moment: %s", self._run.run_id, error)
                self._changed.set()
            await asyncio.sleep(pause)
            pause = min(2 * pause, POLL_FLOOR)

    async def _look(self) -> None:
        ended, self._history_ended = self._history_ended, False
        self._up_to_date = False
        watched, task = self._watched, self._watched.task
        if (carried := watched.take_carried(self._last)) is not None:
            self._take(carried)
            self._up_to_date = True
            if self._ended or not ended:
                return
        try:
            page = await self._page()
            while page.more:
                page = await self._page()
            self._up_to_date, watched.read = True, task
            if ended and not self._ended:
                await self._settle()
            elif not page.events:
                await self._say_waiting()
        except RunForgotten as error:
            if time.time() - self._run.started_at > START_GRACE:
                self._wait(str(error))
            await self._settle()
        except RunUnreadable as error:
            self._wait(self._name_section(str(error)))
            await self._settle()
            await self._give_up_orphan(error)
        except (WorkerUnavailable, TemporalUnavailable, TemporalRefused) as error:
            self._history_ended = ended
            self._wait(self._name_section(str(error)) if isinstance(error, RunBlocked) else str(error))
            await (self._settle() if ended and isinstance(error, WorkerUnavailable) else self._read_archive())

    def _report_failure(self, error: Exception) -> None:
        why = store_trouble(error)
        if why is None:
            _log.error("the events of %s cannot be read at the moment", self._run.run_id, exc_info=error)
        else:  # all readers meet it at once, and tracebacks of hundreds take longer than reading would
            said = describe_store_error(error)
            _log.warning("the events of %s cannot be read at the moment: %s", self._run.run_id, said)
        self._wait(why or CANNOT_READ)

    async def _say_waiting(self) -> None:
        """Reports the run's current wait if there have been no new events for a while."""
        if time.monotonic() < self._say_after:
            return
        message = ""
        if time.monotonic() >= self._describe_after:
            message = self._name_section(await waited_for(self._run.run_id, self._temporal))
            self._quiet = min(2 * self._quiet, MOST_QUIET)
            self._describe_after = time.monotonic() + self._quiet
        message = message or await self._find_missing_worker()
        self._say_after = time.monotonic() + (REMIND if message else POLL_FLOOR)
        if message:
            self._wait(message)

    def _name_section(self, message: str) -> str:
        return f"{self._run.branch_of.section}: {message}" if message and self._run.branch_of else message

    async def _find_missing_worker(self) -> str:
        """Say that no worker runs, if so, or why it gets no calls; all runs share the look-up."""
        with suppress(TemporalUnavailable, TemporalRefused):
            fault = await self._temporal.workers.find_queue_fault(self._temporal.task_queue)
            return NO_WORKER if fault.startswith(UNPOLLED) else fault
        return ""

    async def _page(self) -> ProgressPage:
        slow = asyncio.create_task(self._say_slow())
        try:
            page = await self._temporal.progress(self._run.run_id, self._last)
        finally:
            slow.cancel()
        self._take(page.events)
        return page

    async def _say_slow(self) -> None:
        """Reports why the run does not answer, after a while."""
        await asyncio.sleep(PATIENCE)
        self._wait(self._name_section(await waited_for(self._run.run_id, self._temporal)) or NO_WORKER)

    async def _settle(self) -> None:
        try:
            await archive_if_ended(self._run, self._temporal, self._store, self._events)
        except RunNotFound:
            self._deleted = True
            return
        await self._read_archive()

    async def _read_archive(self) -> None:
        """Return the stored end of the run, if it has ended."""
        run = await self._store.runs.get(self._run.run_id)
        if run is None or run.status == "running" or not await is_end_final(run, self._temporal):
            return
        events = await self._store.runs.events(self._run.run_id, self._last)
        if events:
            self._take(events)

    async def _give_up_orphan(self, error: RunUnreadable) -> None:
        """Stops waiting for an unreadable branch whose run has ended, since nothing will end it any more."""
        if self._ended or self._run.branch_of is None:
            return
        root = await self._store.runs.get(self._run.branch_of.run_id)
        if root is not None and root.status != "running":
            self._take([last_event(self._run, str(error), self._events, complete=False)])

    def _take(self, events: Sequence[AgentEvent]) -> None:
        self._events += events
        self._quiet = POLL_FLOOR
        self._receive(events)
