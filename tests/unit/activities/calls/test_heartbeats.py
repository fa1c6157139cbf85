"""A call beats often at first and while it has something new to show, and more rarely when it only waits."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.heartbeats import (
    BEAT,
    PUSHED_BEATS,
    QUIET_AFTER,
    QUIET_BEATS,
    _pushed,
    choose_pause,
    count_allowed_pauses,
    send_heartbeats,
)
from elcano.graphs.contracts import Words


def test_a_call_that_waits_for_long_beats_four_times_as_rarely() -> None:
    assert [choose_pause(quiet, pushed=False) for quiet in (0, 1, QUIET_AFTER)] == [1, 1, 1]
    assert choose_pause(QUIET_AFTER + 1, pushed=False) == QUIET_BEATS


def test_a_call_whose_cancellation_is_pushed_beats_rarely_from_the_start_but_says_what_is_new() -> None:
    assert [choose_pause(quiet, pushed=True) for quiet in (0, 1, 100)] == [1, PUSHED_BEATS, PUSHED_BEATS]


@pytest.mark.parametrize(
    ("silence", "pauses"), [(30.0, 20), (8.0, 5), (1.5, 1), (0.1, 1), (None, PUSHED_BEATS)], ids=str
)
def test_a_call_beats_three_times_within_its_heartbeat_timeout_however_short_someone_set_it(
    silence: float | None, pauses: int
) -> None:
    allowed = None if silence is None else timedelta(seconds=silence)
    assert count_allowed_pauses(allowed, BEAT) == pauses


async def test_a_call_with_a_short_heartbeat_timeout_beats_as_often_as_it_must(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`temporal activity update-options --heartbeat-timeout 1s`, with pushed cancellations: else one beat in eight."""
    monkeypatch.setattr("elcano.activities.calls.heartbeats.PUSHED_BEATS", 1_000_000)
    beats = 0
    beaten = asyncio.Event()
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, heartbeat_timeout=timedelta(milliseconds=3))

    def beat(*details: Any) -> None:
        nonlocal beats
        beats += 1
        if beats > 3:
            beaten.set()

    environment.on_heartbeat = beat

    async def work() -> None:
        _pushed.set(True)
        async with send_heartbeats(timedelta(milliseconds=1)):
            await beaten.wait()

    await environment.run(work)


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
