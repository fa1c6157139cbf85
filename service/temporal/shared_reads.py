"""Reads of runs: what many ask for at the same moment is read once, and only so many looks are under way at a time.

After an event every page that shows the run reads it, and so do clients that poll. Who asks while a read is under way
shares the next one, which begins when that is over: so no answer is older than its question, and a client that has just
changed the run reads what it changed.

However many runs are followed, looks at them take turns. More would wait for each other in the server and its workers
until they are out of time, and each of those takes the server, the worker and this process as much as one that is
answered.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from elcano.service.errors import TemporalUnavailable, WorkerUnavailable

Read = TypeVar("Read")


class SharedReads:
    """The reads under way, and those that begin after them."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, asyncio.Task[Any]] = {}
        self._next: dict[Hashable, asyncio.Task[Any]] = {}

    async def share(self, what: Hashable, read: Callable[[], Awaitable[Read]]) -> Read:
        """The result of `read`, or that of another call for the same `what` which began no earlier than this one.

        Raises:
            WorkerUnavailable, TemporalUnavailable: also if the read before it was not answered: none would be now.
        """
        shared = self._next.get(what)
        if shared is None or shared.done():
            shared = self._next[what] = asyncio.create_task(self._read(what, read, self._under_way.get(what)))
            shared.add_done_callback(retrieve_error)
        found: Read = await asyncio.shield(shared)  # who goes away leaves it to the others
        return found

    async def _read(
        self, what: Hashable, read: Callable[[], Awaitable[Read]], before: asyncio.Task[Any] | None
    ) -> Read:
        unanswered = None
        if before is not None:
            await asyncio.wait([before])
            unanswered = None if before.cancelled() else before.exception()
        here = self._under_way[what] = self._next.pop(what)
        try:
            if isinstance(unanswered, WorkerUnavailable | TemporalUnavailable):
                raise unanswered
            return await read()
        finally:
            if self._under_way.get(what) is here:
                del self._under_way[what]


def retrieve_error(shared: asyncio.Task[Any]) -> None:
    """Take note of the error of a shared task, also if no one waits for it any more."""
    if not shared.cancelled():
        shared.exception()


CHANGES_AT_ONCE: Final = 16
"""A worker answers one query after another, in 2 to 10 ms each."""
CHECKS_AT_ONCE: Final = 2
WORDS_AT_ONCE: Final = 4
WATCHES_AT_ONCE: Final = 500
"""A frontend of Temporal holds 1,200 for a namespace and refuses more, which then ask all over again."""
TURN_SECONDS: Final = 0.5
"""A look that takes longer gives its place to the next: runs that no worker answers for keep no one waiting."""


class Places:
    """Places for looks of one kind, taken in the order of asking."""

    def __init__(self, at_once: int, seconds: float = math.inf) -> None:
        """`seconds` is how long a place is kept at most."""
        self._free = asyncio.Semaphore(at_once)
        self._seconds = seconds

    @property
    def taken(self) -> bool:
        """Whether a caller would have to wait for a place."""
        return self._free.locked()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Waits for a place, and keeps it until the end, or until it has been kept for as long as may be."""
        await self._free.acquire()
        left = False

        def leave() -> None:
            nonlocal left
            if not left:
                left = True
                self._free.release()

        overdue = asyncio.get_running_loop().call_later(self._seconds, leave)
        try:
            yield
        finally:
            overdue.cancel()
            leave()


class Turns:
    """Places for each kind of look, so that none keeps those of another kind waiting."""

    def __init__(self) -> None:
        self.watches = Places(WATCHES_AT_ONCE)
        """At histories, until something happens."""
        self.changes = Places(CHANGES_AT_ONCE, TURN_SECONDS)
        """At runs in which something happened."""
        self.checks = Places(CHECKS_AT_ONCE, TURN_SECONDS)
        """At runs in which nothing did, or which did not answer before."""
        self.words = Places(WORDS_AT_ONCE, TURN_SECONDS)
        """The live text of agents."""
