"""What the clients of one run read: a list that only grows.

One that comes late or reads slowly misses nothing and delays nobody, because each has only its own place in the list.
"""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from typing import Final

from pydantic import Field

from api.rpc import NO_WORKER
from api.schemas import Described
from graphs.events import AgentEvent

REMIND: Final = 30.0
"""Seconds between two notices of the same silence."""


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
