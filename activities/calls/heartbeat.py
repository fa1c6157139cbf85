"""Beats while an activity works, so that a worker that dies is noticed in seconds and a cancellation arrives.

A beat carries what the next attempt needs to go on; one without details would make Temporal forget the last ones.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

from temporalio import activity

BEAT: Final = timedelta(seconds=0.5)
"""The answer to a beat is how a call learns that it was given up: what a cancelled run uses is free soon. And it fits
many times into the 4 s after which Temporal gives a silent activity to another worker."""


class Pulse:
    """What the beats of one attempt carry: at first whatever the attempt before it left."""

    def __init__(self) -> None:
        self.details: Sequence[Any] = activity.info().heartbeat_details

    def carry(self, *details: object) -> None:
        """Every beat carries `details` from now on; the first one is sent at once."""
        self.details = details
        self.beat()

    def beat(self) -> None:
        """Tells Temporal that the activity is alive and how far it is."""
        activity.heartbeat(*self.details)


@asynccontextmanager
async def heartbeats(interval: timedelta = BEAT) -> AsyncIterator[Pulse]:
    """Beats at once and then every `interval` until the block is left; needs the event loop to stay free."""
    pulse = Pulse()
    beating = asyncio.create_task(_beat(pulse, interval))
    try:
        yield pulse
    finally:
        beating.cancel()


async def _beat(pulse: Pulse, interval: timedelta) -> None:
    while True:
        pulse.beat()
        await asyncio.sleep(interval.total_seconds())
