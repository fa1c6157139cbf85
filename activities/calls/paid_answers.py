"""Answers that were paid for are written though the store is away for a while: an attempt that fails pays again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from elcano.storage.health import STORE_OUTAGES, store_trouble

PATIENCE_SECONDS: Final = 90.0
"""A database or a store of objects that restarts is back by then. Otherwise the attempt fails, and its run says why."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 5.0
"""Seconds between two tries: doubled from the first to the longest."""

Written = TypeVar("Written")


async def write_paid(write: Callable[[], Awaitable[Written]]) -> Written:
    """Return what `write` does; while the store is away it is called again, so calling it twice must change nothing.

    Raises:
        Exception: that of `write`, at once if it is none that passes, or else the last one.
    """
    deadline, pause = time.monotonic() + PATIENCE_SECONDS, FIRST_PAUSE
    while True:
        try:
            return await write()
        except STORE_OUTAGES as error:
            if store_trouble(error) is None or time.monotonic() + pause > deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
