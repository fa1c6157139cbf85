"""Whether the store can be written: a full or read-only disk still reads well.

Only writing tells, and whoever watches the service asks every few seconds. So a good answer holds for a while; a bad
one does not, and a request that finds the store in trouble ends a good one.
"""

import asyncio
import logging
import time
from typing import Final

from elcano.storage.health import Probe, store_trouble

GOOD_SECONDS: Final = 30.0
"""How long the store is believed to be as writable as it was."""

ANSWER_SECONDS: Final = 3.0
"""How long the store may take; whoever watches the service waits seconds for an answer, not longer."""

_log = logging.getLogger("api.writable")


class Writable:
    """Asks the store, seldom."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._asking: asyncio.Task[str | None] | None = None
        self._good_until = 0.0

    def forget(self) -> None:
        """Makes the next caller get a fresh answer."""
        self._good_until = 0.0

    async def fault(self) -> str | None:
        """Why the store cannot be written; None if it can. Those who ask at the same time share the answer."""
        if time.monotonic() < self._good_until:
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._asked())
        return await asyncio.shield(self._asking)

    async def _asked(self) -> str | None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._probe.write()
        except TimeoutError:
            _log.warning("the store did not take anything within %g s", ANSWER_SECONDS)
            return f"the store cannot be used: it did not answer within {ANSWER_SECONDS:g} s"
        except Exception as error:  # whatever it is, it is the answer
            _log.exception("the store cannot be written")
            return store_trouble(error) or "the store cannot be written; the log says why"
        self._good_until = time.monotonic() + GOOD_SECONDS
        return None
