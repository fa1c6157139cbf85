"""The journals of a run and of its branches as one stream, and a reader's place in it. Pure: no Temporal, no store.

What holds of the order: within one journal the numbers rise; everything of a branch comes after the `branch_started`
and before the `branch_complete` of the run that it belongs to; a terminal event comes after everything of the branches
that are open then. Between those bounds events come in the order of their times, as far as they have arrived; of
a run that has ended that is one order, always the same. A branch's own first and last events are not in the stream: the
two events of its parent stand for them.

A `Cursor` is a text that any API process can continue from. `12` means everything up to event 12 of the run. While
branches are open their places follow, each as the number of the event that started it and the number of the last event
of its own that was read: `12+9:5+10:0`. A branch of a branch has the numbers of both beginnings: `12+9:7+9.3:2`. A
branch that is not named was read to its end, or starts later.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, TypeAlias

from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import LastEventIdInvalid

Key: TypeAlias = tuple[int, ...]
"""Names a journal: `()` is the run's own, `(9,)` that of the branch that its event 9 started, `(9, 3)` that of the
branch that event 3 of that branch started."""


@dataclass(frozen=True)
class Branch:
    """A branch that has begun."""

    key: Key
    run_id: str
    """Its workflow's id."""
    started: AgentEvent
    """The `branch_started` of its parent."""


@dataclass(frozen=True)
class MergedEvent:
    """One event of a merged stream."""

    key: Key
    """The journal that it belongs to."""
    event: AgentEvent
    opens: Key | None = None
    """The branch that begins with it."""
    closes: Key | None = None
    """The journal of which nothing can follow: of the branch that is complete, or `()`, of the whole run."""


@dataclass(frozen=True)
class LostBranch:
    """A branch that has ended and whose events cannot be read, or not all."""

    branch: Branch


class Merge:
    """Puts events in order as they arrive."""

    def __init__(self, opened: Callable[[Branch], Sequence[AgentEvent]]) -> None:
        """`opened` is called for each branch as it begins, and returns those of its events that are already there."""
        self._opened = opened
        self._queues: dict[Key, deque[AgentEvent]] = {(): deque()}
        """The journals that have not ended, each with the events not sent yet."""
        self._branches: dict[Key, Branch] = {}
        self._by_path: dict[tuple[Key, str], Key] = {}
        self._ready: list[tuple[float, Key]] = []
        """A heap of the journals whose next event may be sent."""

    @property
    def finished(self) -> bool:
        """Whether the run's own terminal event has been passed on."""
        return () not in self._queues

    def add(self, key: Key, events: Sequence[AgentEvent]) -> Iterator[MergedEvent | LostBranch]:
        """Yields every event that can be passed on now that these events of a journal have arrived."""
        self._append(key, events)
        while self._ready:
            _, first = heappop(self._ready)
            yield from self._tell(first, self._queues[first].popleft())

    def _append(self, key: Key, events: Sequence[AgentEvent]) -> None:
        queue = self._queues.get(key)
        if queue is None:
            return  # after a terminal event there is nothing
        idle = not queue
        queue += events
        if idle:
            self._line_up(key)

    def _tell(self, key: Key, event: AgentEvent) -> Iterator[MergedEvent | LostBranch]:
        if event.terminal:
            yield from self._end(key, event)
            return
        opens, closes = None, None
        if event.type == "branch_started":
            opens = self._begin(Branch((*key, event.seq), str(event.data["run_id"]), event))
        elif event.type == "branch_complete":
            closes = self._by_path.pop((key, event.path), None)
        if not (key and event.type == "started"):
            yield MergedEvent(key, event, opens=opens, closes=closes)
        self._line_up(key)
        if opens is not None:
            self._append(opens, self._opened(self._branches[opens]))

    def _begin(self, branch: Branch) -> Key:
        self._queues[branch.key] = deque()
        self._branches[branch.key] = branch
        self._by_path[branch.key[:-1], branch.started.path] = branch.key
        return branch.key

    def _end(self, key: Key, event: AgentEvent) -> Iterator[MergedEvent | LostBranch]:
        if not key:
            del self._queues[key]
            yield MergedEvent(key, event, closes=key)
            return
        parent = key[:-1]
        was_held = self._held(parent)
        del self._queues[key]
        branch = self._branches.pop(key)
        if event.data.get("incomplete"):
            yield LostBranch(branch)
        if was_held:
            self._line_up(parent)

    def _line_up(self, key: Key) -> None:
        if self._queues[key] and not self._held(key):
            heappush(self._ready, (self._queues[key][0].at, key))

    def _held(self, key: Key) -> bool:
        """Whether the journal's next event has to wait for a branch."""
        if not self._queues[key]:
            return False
        event = self._queues[key][0]
        if event.terminal:
            return any(branch[:-1] == key for branch in self._branches)
        return event.type == "branch_complete" and self._by_path.get((key, event.path)) in self._queues


MAX_LENGTH: Final = 16_000
"""Characters; a thousand open branches have room in it."""

_FORM: Final = re.compile(r"\d{1,15}(\+\d{1,9}(\.\d{1,9}){0,2}:\d{1,9})*", re.ASCII)


@dataclass(frozen=True)
class Cursor:
    """A place in a merged stream."""

    number: int = 0
    """The run's last event that was read."""
    branches: Mapping[Key, int] = field(default_factory=dict)
    """For each open branch the last event that was read of it; 0 for none."""

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """The place that `text` names.

        Raises:
            LastEventIdInvalid: it names none.
        """
        if len(text) > MAX_LENGTH or not _FORM.fullmatch(text):
            raise LastEventIdInvalid(
                f"{text[:50]!r} is not an event's id (`12`, or `12+9:5` while branches are open); "
                "leave it out to read from the beginning"
            )
        number, *places = text.split("+")
        branches = {}
        for place in places:
            key, _, last = place.partition(":")
            branches[tuple(map(int, key.split(".")))] = int(last)
        return cls(int(number), branches)

    def __str__(self) -> str:
        places = (f"+{'.'.join(map(str, key))}:{last}" for key, last in sorted(self.branches.items()))
        return f"{self.number}{''.join(places)}"

    def covers(self, merged: MergedEvent) -> bool:
        """Whether the reader has this event; of a branch that is neither open nor to come it has everything."""
        if not merged.key:
            return merged.event.seq <= self.number
        return merged.key not in self.branches or merged.event.seq <= self.branches[merged.key]

    def after(self, merged: MergedEvent) -> "Cursor":
        """The place behind an event that comes next in a merged stream."""
        number, branches = self.number, dict(self.branches)
        if merged.key:
            branches[merged.key] = merged.event.seq
        else:
            number = merged.event.seq
        if merged.opens is not None:
            branches[merged.opens] = 0
        if merged.closes is not None:
            closed = merged.closes
            branches = {key: last for key, last in branches.items() if key[: len(closed)] != closed}
        return Cursor(number, branches)


class ReaderPlace:
    """The place of one reader in a merged stream, from which it continues.

    A number alone, as a client takes it from the run's `last_event`, says nothing of the branches that are open there:
    of those the reader has the events before that one.
    """

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self._before: list[MergedEvent] | None = [] if cursor.number and not cursor.branches else None
        """Messages that wait until the event of that number arrives."""
        self._open: dict[Key, float] = {}
        """The branches that were open there, with the time of that event."""

    def take(self, merged: MergedEvent) -> Iterator[tuple[AgentEvent, Cursor]]:
        """Move behind the next event of the stream; yields what the reader does not have, with its place behind it."""
        if self._before is not None:
            if merged.key or merged.event.seq < self.cursor.number:
                self._before.append(merged)
                return
            yield from self._pass_number([*self._before, merged], merged.event.at)
        if not self.cursor.covers(merged):
            self.cursor = self.cursor.after(merged)
            if merged.event.at >= self._open.get(merged.key[:1], 0.0):
                yield merged.event, self.cursor

    def _pass_number(self, before: Sequence[MergedEvent], at: float) -> Iterator[tuple[AgentEvent, Cursor]]:
        """Yield the events of open branches since `at`; the last of `before` is the event of that number."""
        self._before = None
        number, open_there = self.cursor.number, Cursor()
        for one in before:
            open_there = open_there.after(one)
        self._open = {key: at for key in open_there.branches if len(key) == 1}
        since = [one for one in before if one.key[:1] in self._open and one.event.at >= at]
        self.cursor = Cursor()
        for one in before:
            if one not in since and (one.key or one.event.seq <= number):
                self.cursor = self.cursor.after(one)
        for one in since:
            self.cursor = self.cursor.after(one)
            yield one.event, self.cursor
