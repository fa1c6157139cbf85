"""A loop on a thread of its own: what is given up ends there, and no program is held up by it."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from elcano.client.blocking import EventLoopThread


async def test_a_program_that_closes_nothing_ends() -> None:
    program = "from elcano.client import Elcano; elcano = Elcano('http://127.0.0.1:9')"
    ended = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program], timeout=60, check=False)
    assert ended.returncode == 0


def test_what_is_not_iterated_to_its_end_is_given_up() -> None:
    given_up = []

    async def count() -> AsyncIterator[int]:
        number = 0
        try:
            while True:
                number += 1
                yield number
                await asyncio.sleep(0)
        finally:
            given_up.append(True)

    loop = EventLoopThread()
    for number in loop.iterate(count()):
        if number == 3:
            break
    loop.close()
    assert given_up == [True]


def test_errors_are_raised_where_they_are_waited_for() -> None:
    async def fail() -> AsyncIterator[int]:
        yield 1
        raise ValueError("no more")

    async def refuse(reason: str) -> None:
        raise ValueError(reason)

    loop = EventLoopThread()
    items = loop.iterate(fail())
    assert next(items) == 1
    with pytest.raises(ValueError, match="no more"):
        next(items)
    with pytest.raises(ValueError, match="because"):
        loop.call(refuse, reason="because")
    loop.close()
