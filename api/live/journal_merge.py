"""The journals of a run and of its branches as one stream. Pure: it knows neither Temporal nor the store.

What holds of the order: within one journal the numbers rise; everything of a branch comes after the `branch_started`
and before the `branch_complete` of the run that it belongs to; a terminal event comes after everything of the branches
that are still open then. Between those bounds events come in the order of their times, as far as they have arrived; of
a run that has ended that is one order, always the same.

A branch's own first and last events are not in the stream: the two events of its parent stand for them.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from elcano.graphs.state.events import AgentEvent

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
    """Whose it is."""
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
        """The journals that have not ended, each with what was not told yet."""
        self._branches: dict[Key, Branch] = {}
        self._by_path: dict[tuple[Key, str], Key] = {}
        self._ready: list[tuple[float, Key]] = []
        """A heap of the journals whose next event may be told."""

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
