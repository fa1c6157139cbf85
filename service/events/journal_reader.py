"""Reads one workflow while it is followed: its events as they are recorded, and the text that is being written.

A long poll of the history wakes the reader of events, one query fetches them. The last event that it hands over is a
terminal one: the workflow's own, or the one that the store got if it ended without one.

Text is read from heartbeats, while a client watches and an agent writes, which is known from the events. The server is
asked twice a second then, just after the next heartbeat is due, and less often as long as there is nothing new. Words
are void when the step ends, and when their attempt does.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.contracts import BEAT_SECONDS
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
from elcano.service.events.feed import REMIND, Streaming
from elcano.service.runs.endings import START_GRACE, archive_if_ended, last_event
from elcano.service.runs.run_status import goes_on, waited_for
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import NO_WORKER
from elcano.service.temporal.history import WatchedHistory
from elcano.service.temporal.shared_reads import Places
from elcano.service.temporal.writing import Writing, list_writers
from elcano.storage.health import describe_store_error, store_trouble
from elcano.storage.store import TenantStore

POLL_FLOOR: Final = 5.0
"""Seconds between two looks at a workflow whose history does not wake us."""
FIRST_PAUSE: Final = 0.1
"""Seconds until a history that cannot be watched is tried again, doubled each time up to `POLL_FLOOR`: the first event
about a branch is older than its workflow."""
COALESCE: Final = 0.005
"""Seconds in which a burst of changes becomes one query."""
PATIENCE: Final = 2.0
"""Seconds without an answer after which clients are told that there is none."""
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
        self._changed.set()
        self._history_ended = False
        self._watched = WatchedHistory()
        self._looked = asyncio.Event()
        self._up_to_date = False
        """Whether the last look brought everything that there was."""
        self._deleted = False
        self._say_after = time.monotonic() + POLL_FLOOR

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
        """Notes that the workflow may have done something; what exactly is for the query to say."""
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
            await asyncio.sleep(pause)
            pause = min(2 * pause, POLL_FLOOR)

    async def _look(self) -> None:
        ended, self._history_ended = self._history_ended, False
        self._up_to_date = False
        watched, task = self._watched, self._watched.task
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
        message = self._name_section(await waited_for(self._run.run_id, self._temporal))
        message = message or await self._find_missing_worker()
        self._say_after = time.monotonic() + (REMIND if message else POLL_FLOOR)
        if message:
            self._wait(message)

    def _name_section(self, message: str) -> str:
        return f"{self._run.branch_of.section}: {message}" if message and self._run.branch_of else message

    async def _find_missing_worker(self) -> str:
        """Say that no worker runs, if so; all runs share the look-up."""
        with suppress(TemporalUnavailable, TemporalRefused):
            if not await self._temporal.workers.polls_queue(self._temporal.task_queue):
                return NO_WORKER
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
        if run is None or run.status == "running" or await goes_on(run, self._temporal):
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
        self._receive(events)


SLOW_SECONDS: Final = 1.0
"""Maximum polling interval while an agent writes: it may think this long before its first words are seen."""
IDLE_SECONDS: Final = 5.0
"""The longest pause while none does that should: the call waits for a worker or a provider, or Temporal is away."""
LAG_SECONDS: Final = 0.04
"""From a heartbeat to when the server has it; measured, with room for the SDK's own bundling of heartbeats."""

_OVER: Final = frozenset({"error", "ending_early"})
"""Events of a node that end its agent's writing, besides its own: beginning and end may have the same type."""
_UNDOES: Final = frozenset({"rolling_back", "rolled_back", "run_resumed", "execution_ended"})

_words_log = logging.getLogger("api.words")


class WordsReader:
    """Reads the text that one workflow writes; `show` receives it, and a notice when it becomes void."""

    def __init__(self, run_id: str, temporal: Temporal, show: Callable[[Streaming], None]) -> None:
        self._run_id = run_id
        self._temporal = temporal
        self._show = show
        self._begun: AgentEvent | None = None
        """The events by which agents announced that they write."""
        self._shown: Streaming | None = None
        self._writes = asyncio.Event()

    def drop_written(self, events: Sequence[AgentEvent]) -> None:
        """Learns from further events of the workflow whether an agent writes; a step is one agent's."""
        for event in events:
            if self._begun is not None and _is_end_of_step(event, self._begun):
                over, self._begun = self._begun, None
                if (event.step, event.node) == (over.step, over.node):
                    continue
            if self._begun is None and event.type in _list_begins() and event.node:
                self._begun = event
        if self._begun is not None:
            self._writes.set()
        else:
            self._writes.clear()
            self._void()

    async def run(self) -> None:
        """Reads until it is cancelled."""
        while True:
            await self._writes.wait()
            pause = BEAT_SECONDS
            await asyncio.sleep(pause)  # the first words come with the first beat
            while self._writes.is_set():
                pause = await self._look(pause)
                await asyncio.sleep(pause)

    async def _look(self, pause: float) -> float:
        """Shows new text and returns the seconds until the next look. `pause` is the time since the last one."""
        try:
            async with self._temporal.turns.words.take():
                writing = await self._temporal.writing(self._run_id)
        except (RunForgotten, TemporalRefused, TemporalUnavailable) as error:
            _words_log.info("what %s writes cannot be seen at the moment: %s", self._run_id, error)
            return min(2 * pause, IDLE_SECONDS)
        begun = self._begun
        if begun is None:
            return BEAT_SECONDS
        words = None if writing is None else writing.words
        if words is None or words.step != begun.step or not words.text:
            self._void()
            return min(2 * pause, IDLE_SECONDS if writing is None else SLOW_SECONDS)
        found = Streaming.from_record(words, path=begun.path, section=begun.section)
        if found == self._shown:
            return min(2 * pause, SLOW_SECONDS)
        self._shown = found
        self._show(found)
        return _until_beat(writing)

    def _void(self) -> None:
        if self._shown is not None:
            self._show(self._shown.model_copy(update={"text": "", "characters": 0}))
            self._shown = None


def _until_beat(writing: Writing | None) -> float:
    """Seconds until the next heartbeat should have come; some more if that is nearly now."""
    if writing is None or writing.beaten is None:
        return BEAT_SECONDS
    pause = BEAT_SECONDS - writing.beaten % BEAT_SECONDS + LAG_SECONDS
    return pause if pause > 0.8 * BEAT_SECONDS else pause + BEAT_SECONDS


def _is_end_of_step(event: AgentEvent, begun: AgentEvent) -> bool:
    """Whether `event` says that the step ended that `begun` began; that its call is held does not."""
    if event.terminal or event.type in _UNDOES or event.step > begun.step:
        return True
    return event.node == begun.node and event.type in _OVER | _list_begins() | _list_completions()


def _list_begins() -> frozenset[str]:
    """The events with which agents begin to write."""
    return frozenset(AGENTS[name].starts for name in list_writers())


def _list_completions() -> frozenset[str]:
    """The events with which they end."""
    return frozenset(AGENTS[name].completes for name in list_writers())
