"""What every contender does, and how its program is told to: for all environments, so it needs nothing but Python.

A step reads the text that the step before it wrote, and writes another one; the first reads nothing. A contender is a
program. Of every line that it reads, `RUNS STEPS`, it makes so many runs of so many steps at once, to their ends, and
answers with `Done` in a line of JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final, TypedDict

CHARACTERS: Final = 2_000
"""Of every text. It is random, so that nobody's compression makes it much smaller."""
Run = Callable[[int], Awaitable[str]]
"""Makes a run of so many steps; its id."""


class Done(TypedDict):
    """What a contender did in its turn."""

    seconds: float
    processor: float
    """Seconds of processor that its own program took."""
    texts: int
    """How many it wrote."""
    ids: list[str]
    """Of its runs."""


class Author:
    """Writes the texts of one program, and counts them."""

    def __init__(self) -> None:
        self.texts = 0

    def write(self, before: str) -> str:
        """The text that follows another one, always the same."""
        self.texts += 1
        return Random(before).randbytes(CHARACTERS // 2).hex()


AUTHOR: Final = Author()


async def take_turns(run: Run) -> None:
    """Answers every line until there are no more."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        runs, steps = map(int, line.split())
        before, began, used = AUTHOR.texts, time.perf_counter(), time.process_time()
        ids = await asyncio.gather(*(run(steps) for _ in range(runs)))
        done = Done(
            seconds=time.perf_counter() - began,
            processor=time.process_time() - used,
            texts=AUTHOR.texts - before,
            ids=list(ids),
        )
        print(json.dumps(done), flush=True)
