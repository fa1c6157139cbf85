"""A call's time is counted by a clock that stands still while its process does."""

import asyncio
import time

import pytest

from elcano.activities.calls.heartbeats import CallTimedOut, wait_patiently


async def test_an_answer_that_came_during_a_stall_is_in_time() -> None:
    asyncio.get_running_loop().call_later(0.05, time.sleep, 2.0)
    assert await wait_patiently(asyncio.sleep(0.2, "an answer"), 1.0) == "an answer"


async def test_a_call_without_an_answer_is_given_up() -> None:
    with pytest.raises(CallTimedOut):
        await wait_patiently(asyncio.Event().wait(), 0.2)


async def test_a_timeout_of_the_call_itself_is_told_as_it_is() -> None:
    async def call() -> None:
        raise TimeoutError("the socket's own")

    with pytest.raises(TimeoutError, match="the socket's own"):
        await wait_patiently(call(), 10.0)
