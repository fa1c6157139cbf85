"""A limit on the looks at runs that are under way, however many runs are followed.

More would wait for each other in the server and its workers until they are out of time, and each of those takes the
server, the worker and this process as much as one that is answered.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

CHANGES_AT_ONCE: Final = 16
"""A worker answers one query after another, in 2 to 10 ms each."""
CHECKS_AT_ONCE: Final = 2
WORDS_AT_ONCE: Final = 4
WATCHES_AT_ONCE: Final = 500
"""A frontend of Temporal holds 1,200 for a namespace and refuses more, which then ask all over again."""
TURN_SECONDS: Final = 0.5
"""A look that takes longer gives its place to the next: runs that no worker answers for keep nobody waiting."""


class Places:
    """Places for looks of one kind, taken in the order of asking."""

    def __init__(self, at_once: int, seconds: float = math.inf) -> None:
        """`seconds` is how long a place is kept at most."""
        self._free = asyncio.Semaphore(at_once)
        self._seconds = seconds

    @property
    def taken(self) -> bool:
        """Whether who asks for a place would have to wait."""
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
        """At what agents are writing."""
