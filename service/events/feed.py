"""The stream that clients of one run read: a list of events that only grows, and the text that is being written.

A client that comes late or reads slowly misses nothing of the list and delays no other, because each has only its own
position in it. Of the text each gets the newest; older text is gone.

Messages are server-sent events (HTML standard, 9.2), one message an event. The `event` of a message is the type of its
event, but for `error`: browsers dispatch `error` themselves when a connection breaks, so that one is sent as
`node_error`. The type in its data is `error` as everywhere.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from pydantic import Field

from elcano.graphs.state.events import AgentEvent
from elcano.service.events.journal_merge import Branch, Cursor, Key, LostBranch, Merge, MergedEvent, ReaderPlace
from elcano.service.fields import Described, Moment, datetime_from_seconds, event_view
from elcano.service.temporal.connection import NO_WORKER

RECONNECT_MILLISECONDS: Final = 2_000
_RENAMED: Final[Mapping[str, str]] = {"error": "node_error"}


def get_event_name(type: str) -> str:
    """The `event` of the message for an event of this type."""
    return _RENAMED.get(type, type)


class Waiting(Described):
    """The data of a `waiting` message: there are no new events to send at the moment."""

    message: str = Field(examples=[NO_WORKER])
    """The service that does not answer, the worker that is missing, or the call that is retried."""
    at: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """Since when, or when it was last tried."""


class UnreadableBranch(Described):
    """The data of an `unreadable` message: a branch has ended, and events of it are missing from the stream."""

    message: str = Field(examples=["the events of 'Costs' cannot be read any more"])
    """Description of what is missing."""
    path: str = Field(examples=["0004.loop-2"])
    """The branch, as its parent's events name it."""
    section: str = Field(examples=["Costs"])
    """The branch's title."""


class Streaming(Described):
    """The data of a `streaming` message: what an agent has written so far. It is shown and forgotten, and no event."""

    node: str = Field(examples=["writer"])
    """The node of its graph that writes."""
    step: int = Field(examples=[17])
    """The step of its run, as its events name it."""
    attempt: int = Field(examples=[1])
    """Which attempt of the call writes."""
    text: str = Field(examples=["# The harbour\n\nIt froze in the winter of"])
    """The end of the text, 2,000 characters at most, as Markdown; empty: what was shown of this path is void."""
    characters: int = Field(examples=[40])
    """The length of the whole text so far."""
    path: str = Field(examples=["0004.loop-2"])
    """The branch that writes, as its events name it; empty for the run itself."""
    section: str = Field(examples=["Costs"])
    """The branch's title."""


@dataclass(frozen=True)
class NumberedEvent:
    """An event, and the place of a reader who has it."""

    event: AgentEvent
    cursor: Cursor

    @cached_property
    def encoded(self) -> bytes:
        """The message as it is sent: made once for all readers who are given this same object."""
        name = get_event_name(self.event.type)
        data = json.dumps(event_view(self.event), ensure_ascii=False, separators=(",", ":"))
        return _format_message(data, name, str(self.cursor))


Item: TypeAlias = NumberedEvent | Waiting | UnreadableBranch | Streaming
"""A message to a reader."""


_NAMES: Final[Mapping[type[object], str]] = {Waiting: "waiting", UnreadableBranch: "unreadable", Streaming: "streaming"}
"""Names of messages that are not events: they have no `id`, so that a client continues after its last event."""


def encode_message(item: Item) -> bytes:
    """One message as it is sent."""
    if isinstance(item, NumberedEvent):
        return item.encoded
    return _format_message(item.model_dump_json(), _NAMES[type(item)])


def _format_message(data: str, name: str, id: str | None = None) -> bytes:
    place = "" if id is None else f"id: {id}\n"  # JSON on one line: no data has a line break
    return f"event: {name}\ndata: {data}\n{place}retry: {RECONNECT_MILLISECONDS}\n\n".encode()


REMIND: Final = 30.0
"""Seconds between two notices of the same silence."""
BATCH: Final = 100
"""Events that a reader is given at once; what comes later waits for its turn, as do other readers."""
QUIET: Final = 15.0
"""Seconds without anything new after which a reader is notified: proxies cut connections on which nothing comes."""
SHARED: Final = 256
"""Messages kept to be shared, the latest first: readers who follow a run as it continues are given the same objects,
and each is encoded once. Who is further behind gets messages of its own."""


class Feed:
    """A run's events so far and those of its branches, merged, for any number of readers."""

    def __init__(self, opened: Callable[[Branch], Sequence[AgentEvent]]) -> None:
        """`opened` is called for each branch as it begins, and returns those of its events that are already there."""
        self.closed = False
        """Nothing will be added."""
        self._merge = Merge(opened)
        self._merged: list[MergedEvent | LostBranch] = []
        self._last = 0
        self._silent: set[Key] = set()
        self._noticed: dict[str, float] = {}
        self._waiting: Waiting | None = None
        self._shared: dict[int, NumberedEvent] = {}
        """The latest messages by their position."""
        self._words: dict[str, Streaming] = {}
        """The newest of each path."""
        self._news = asyncio.Event()

    def add(self, key: Key, events: Sequence[AgentEvent]) -> None:
        """Adds events of one journal. A call, even without events, means that the journal is no longer waited for."""
        self._silent.discard(key)
        if not self._silent:
            self._noticed.clear()
            self._waiting = None
        merged = list(self._merge.add(key, events))
        self._merged += merged
        self.closed = self.closed or self._merge.finished
        self._last = max(
            [self._last, *(one.event.seq for one in merged if isinstance(one, MergedEvent) and not one.key)]
        )
        if merged:
            self._tell()

    def wait(self, key: Key, message: str) -> None:
        """Notifies readers of an unreadable journal: the first time at once, then at most every `REMIND` seconds."""
        self._silent.add(key)
        now = time.time()
        if now - self._noticed.get(message, 0.0) >= REMIND:
            self._noticed[message] = now
            self._waiting = Waiting(message=message, at=datetime_from_seconds(now))
            self._tell()

    def show(self, words: Streaming) -> None:
        """Shows readers text as it is written, replacing the text shown before for the same path."""
        self._words[words.path] = words
        self._tell()

    def close(self) -> None:
        """Lets readers end when they have read everything."""
        self.closed = True
        self._tell()

    def exhausted(self, cursor: Cursor) -> bool:
        """Whether there is nothing after `cursor`, and never will be."""
        return self.closed and self._last <= cursor.number

    @property
    def size(self) -> int:
        """Number of events so far."""
        return len(self._merged)

    async def follow(self, cursor: Cursor) -> AsyncIterator[Sequence[Item]]:
        """Every event after `cursor`, as it comes, until the feed is closed; notices and words between them.

        What is there already comes up to `BATCH` at a time. An empty batch says that there has been nothing for `QUIET`
        seconds.
        """
        place = ReaderPlace(cursor)
        position = 0
        shown: Waiting | None = None
        read: dict[str, Streaming] = {}
        while True:
            news = self._news  # taken before reading: what is added from here on sets it
            while position < len(self._merged):
                batch: list[Item] = []
                while position < len(self._merged) and len(batch) < BATCH:
                    one = self._merged[position]
                    if isinstance(one, LostBranch):
                        if one.branch.key in place.cursor.branches:
                            batch.append(_build_unreadable_notice(one.branch))
                    else:
                        batch += [self._share(position, event, behind) for event, behind in place.take(one)]
                    position += 1
                if batch:
                    yield batch
            if self.closed:
                return
            if self._waiting is not None and self._waiting is not shown:
                shown = self._waiting
                yield [shown]
            if words := [
                one for path, one in self._words.items() if one != read.get(path) and (one.text or path in read)
            ]:
                read |= {one.path: one for one in words}
                yield words
            try:
                async with asyncio.timeout(QUIET):
                    await news.wait()
            except TimeoutError:
                yield []

    def _share(self, position: int, event: AgentEvent, behind: Cursor) -> NumberedEvent:
        """Return the message of an event for a reader whose place behind it is `behind`.

        It is the one that other readers with the same place were given, as long as that is among the latest.
        """
        shared = self._shared.get(position)
        if shared is not None and shared.event is event and shared.cursor == behind:
            return shared
        made = NumberedEvent(event, behind)
        if shared is None and position >= len(self._merged) - SHARED:
            self._shared[position] = made
            while len(self._shared) > SHARED:
                del self._shared[next(iter(self._shared))]
        return made

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _build_unreadable_notice(branch: Branch) -> UnreadableBranch:
    section = branch.started.section
    return UnreadableBranch(
        message=f"the events of {section!r} cannot be read any more, or not all of them",
        path=branch.started.path,
        section=section,
    )
