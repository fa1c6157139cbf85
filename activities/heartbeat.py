"""Beats while an activity works, so that a worker that dies is noticed in seconds and a cancellation arrives."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio import activity

BEAT: Final = timedelta(seconds=5)


@asynccontextmanager
async def heartbeats(interval: timedelta = BEAT) -> AsyncIterator[None]:
    """Beats at once and then every `interval` until the block is left; needs the event loop to stay free."""
    beating = asyncio.create_task(_beat(interval))
    try:
        yield
    finally:
        beating.cancel()


async def _beat(interval: timedelta) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(interval.total_seconds())
