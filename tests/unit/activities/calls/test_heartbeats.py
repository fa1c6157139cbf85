"""A call beats often at first and while it has something new to show, and more rarely when it only waits."""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.heartbeats import (
    PUSHED_BEATS,
    QUIET_AFTER,
    QUIET_BEATS,
    choose_pause,
    send_heartbeats,
)
from elcano.graphs.contracts import Words


def test_a_call_that_waits_for_long_beats_four_times_as_rarely() -> None:
    assert [choose_pause(quiet, pushed=False) for quiet in (0, 1, QUIET_AFTER)] == [1, 1, 1]
    assert choose_pause(QUIET_AFTER + 1, pushed=False) == QUIET_BEATS


def test_a_call_whose_cancellation_is_pushed_beats_rarely_from_the_start_but_says_what_is_new() -> None:
    assert [choose_pause(quiet, pushed=True) for quiet in (0, 1, 100)] == [1, PUSHED_BEATS, PUSHED_BEATS]


async def test_something_new_is_sent_however_long_nothing_was() -> None:
    """The words change whenever they are asked for, so each beat is followed by the next one as in the beginning."""
    environment = ActivityEnvironment()
    texts: list[str] = []
    enough = asyncio.Event()

    def beat(*details: Any) -> None:
        texts.extend(one["text"] for one in details[1:2])
        if len(texts) > 2 * QUIET_AFTER:
            enough.set()

    environment.on_heartbeat = beat

    async def work() -> None:
        async with send_heartbeats(timedelta(milliseconds=1)) as pulse:
            await asyncio.sleep(0.03)  # quiet by now
            written = iter(range(1_000_000))
            pulse.show(lambda: Words(step=1, node="writer", attempt=1, text=str(next(written)), characters=1))
            await enough.wait()

    await environment.run(work)
    assert len(set(texts)) == len(texts)
