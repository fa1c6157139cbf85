"""A fixture that does not end is found in what the suite writes of it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.coroutine_stacks import write_stacks


@asynccontextmanager
async def place_that_is_not_left() -> AsyncIterator[None]:
    yield
    await asyncio.Event().wait()


async def leave() -> None:
    async with place_that_is_not_left():
        pass


async def test_the_innermost_line_is_named() -> None:
    waiting = asyncio.create_task(leave(), name="who waits")
    await asyncio.sleep(0)
    read, write = os.pipe()
    write_stacks("A fixture does not end.", write)
    lines = os.read(read, 65_536).decode().splitlines()
    os.close(read)
    os.close(write)
    waiting.cancel()
    of_task = lines[lines.index("- who waits") + 1 :][:4]
    assert [line.split()[-1] for line in of_task] == ["leave", "__aexit__", "place_that_is_not_left", "wait"]
