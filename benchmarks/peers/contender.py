"""One of those who are compared: a program that is told what to do, and what that took."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import psutil

from benchmarks.load.meters import read_cpu
from benchmarks.peers.work import Done

Keeping = Callable[[Sequence[str]], Awaitable[float]]
"""kB that are kept: of the runs with these ids, or of all that there were."""


class Plan(NamedTuple):
    """How much is done."""

    rounds: int
    steps: int
    runs: int
    steps_at_once: int
    kept: int
    """Runs by which (c) is measured."""


class Figures(NamedTuple):
    """Of one contender in one round."""

    step: float
    """Milliseconds."""
    rate: float
    """Runs a second."""
    processor: float
    """Milliseconds of a step of (b)."""


@dataclass(frozen=True)
class Contender:
    """A program that does the work, and the server that it does it with, if it has one."""

    name: str
    program: asyncio.subprocess.Process
    server: psutil.Process | None
    keeping: Keeping

    async def work(self, runs: int, steps: int) -> tuple[Done, float]:
        """Makes so many runs at once; what it did, and the processor seconds that this took.

        Raises:
            RuntimeError: its program ended, or did other work than was asked for.
        """
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        before = self._server_seconds()
        self.program.stdin.write(f"{runs} {steps}\n".encode())
        while not (line := await self.program.stdout.readline()).startswith(b"{"):  # libraries print, too
            if not line:
                raise RuntimeError(f"the program of {self.name} ended")
        done: Done = json.loads(line)
        if done["texts"] != runs * steps:
            raise RuntimeError(f"{self.name} wrote {done['texts']} texts instead of {runs * steps}")
        return done, done["processor"] + self._server_seconds() - before

    def _server_seconds(self) -> float:
        return read_cpu(self.server) if self.server else 0.0

    async def measure(self, plan: Plan) -> Figures:
        """(a) and (b)."""
        one, _ = await self.work(1, plan.steps)
        many, processor = await self.work(plan.runs, plan.steps_at_once)
        return Figures(
            step=1_000 * one["seconds"] / plan.steps,
            rate=plan.runs / many["seconds"],
            processor=1_000 * processor / plan.runs / plan.steps_at_once,
        )

    async def measure_kept(self, plan: Plan) -> float:
        """(c)."""
        before = await self.keeping(())
        done, _ = await self.work(plan.kept, plan.steps)
        return (await self.keeping(done["ids"]) - before) / plan.kept


def compare(rounds: Sequence[Sequence[Figures]]) -> list[Figures]:
    """How many times the first one's the figures of each contender are: medians of the ratios of the rounds."""
    return [
        Figures(*(median(one[place][field] / one[0][field] for one in rounds) for field in range(len(Figures._fields))))
        for place in range(len(rounds[0]))
    ]
