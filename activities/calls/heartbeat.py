"""Beats while an activity works, so that a worker that dies is noticed in seconds and a cancellation arrives.

A beat carries what the next attempt needs to go on; one without details would make Temporal forget the last ones.
Behind that it may carry the words that are being written, for whoever watches, and how many attempts were no tries.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

from temporalio import activity

from elcano.activities.calls.tries import lost_attempts
from elcano.graphs.contracts import BEAT_SECONDS, Words

BEAT: Final = timedelta(seconds=BEAT_SECONDS)
"""The answer to a beat is how a call learns that it was given up: what a cancelled run uses is free soon. And it fits
many times into the 30 s after which Temporal gives a silent activity to another worker."""

_log = logging.getLogger("activities.heartbeat")


class Pulse:
    """Heartbeat details of one attempt; they start with those that the previous attempt left."""

    def __init__(self) -> None:
        self.details: Sequence[Any] = activity.info().heartbeat_details[:1]
        self._written: Callable[[], Words | None] | None = None

    def carry(self, *details: object) -> None:
        """Every beat carries `details` from now on; the first one is sent at once."""
        self.details = details
        self.beat()

    def show(self, written: Callable[[], Words | None]) -> None:
        """Every beat asks `written` from now on what there is to show, and carries that too."""
        self._written = written

    def beat(self) -> None:
        """Tells Temporal that the activity is alive and how far it is."""
        words = self._words()
        shown = None if words is None else words.model_dump(mode="json")
        # What a beat has not is left out behind, and said to be nothing in its place before what it has.
        carried = [next(iter(self.details), None), shown, lost_attempts() or None]
        while carried and carried[-1] is None:
            carried.pop()
        activity.heartbeat(*carried)

    def _words(self) -> Words | None:
        """Return the text to show. An error here is logged and ends the display, never the heartbeats."""
        try:
            return None if self._written is None else self._written()
        except Exception:
            _log.exception("what is being written cannot be shown")
            self._written = None
            return None


@asynccontextmanager
async def send_heartbeats(interval: timedelta = BEAT) -> AsyncIterator[Pulse]:
    """Beats at once and then every `interval` until the block is left; needs the event loop to stay free."""
    pulse = Pulse()
    beating = asyncio.create_task(_beat_periodically(pulse, interval))
    try:
        yield pulse
    finally:
        beating.cancel()


async def _beat_periodically(pulse: Pulse, interval: timedelta) -> None:
    while True:
        pulse.beat()
        await asyncio.sleep(interval.total_seconds())
