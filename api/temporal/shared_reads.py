"""Reads of a run that many ask for at the same moment, made once.

After an event every page that shows the run reads it, and so do clients that poll. Who asks while a read is under way
shares the next one, which begins when that is over: so no answer is older than its question, and a client that has just
changed the run reads what it changed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from elcano.api.http.errors import TemporalUnavailable, WorkerUnavailable

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
            shared.add_done_callback(_retrieve_error)
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


def _retrieve_error(shared: asyncio.Task[Any]) -> None:
    """Take note of the error of a read for which nobody waits any more."""
    if not shared.cancelled():
        shared.exception()
