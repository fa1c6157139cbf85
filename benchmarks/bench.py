"""What a benchmark is given: whether it is small, an empty folder, a Temporal server, and a way to tell its ratios.

A ratio compares two figures of one run on one machine, or counts something that no machine changes, and of each the
lower is the better one. `figures.toml` holds what a machine gave; a benchmark that tells another name than those fails
its test.
"""

import time
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from statistics import median
from typing import Final

from temporalio.client import Client

from benchmarks.server import temporal_server

MARGIN: Final = 1.5
"""A ratio so many times as large as the committed one is worse, one so many times smaller is better."""
FIGURES: Final[Mapping[str, Mapping[str, float]]] = tomllib.loads(
    Path(__file__).with_name("figures.toml").read_text(encoding="utf-8")
)
"""Committed ratios, by benchmark and name."""


@dataclass
class Bench:
    """One benchmark that runs."""

    name: str
    folder: Path
    small: bool = False
    """Whether it only has to run through, in seconds; what it prints then says little."""
    shared: Client | None = None
    """Of a server that others use as well; None starts one."""
    ratios: dict[str, float] = field(default_factory=dict)

    def choose(self, full: int, small: int) -> int:
        """How many of something: fewer if the benchmark is small."""
        return small if self.small else full

    def say(self, text: str) -> None:
        """Print a line of details."""
        print(f"  {text}", flush=True)

    def tell(self, name: str, ratio: float) -> None:
        """Print a ratio and how it compares with the committed one."""
        self.ratios[name] = ratio
        print(f"  {name:<40} {ratio:8.3f}  {compare(ratio, FIGURES.get(self.name, {}).get(name))}", flush=True)

    async def milliseconds(self, ask: Callable[[int], Awaitable[object]], tries: int) -> float:
        """The median of `tries` requests, after one that is not counted."""
        await ask(0)
        taken = []
        for number in range(tries):
            began = time.perf_counter()
            await ask(number)
            taken.append((time.perf_counter() - began) * 1_000)
        return median(taken)

    @asynccontextmanager
    async def temporal(self) -> AsyncIterator[Client]:
        """A client of a server."""
        if self.shared is not None:
            yield self.shared
            return
        async with temporal_server() as client:
            yield client


def compare(ratio: float, usual: float | None) -> str:
    """What a ratio is beside the committed one, in words."""
    if usual is None or isnan(usual):
        return "nothing to compare with"
    if ratio > usual * MARGIN:
        return f"WORSE than {usual:g}"
    return f"{'better than' if ratio < usual / MARGIN else 'as usual:'} {usual:g}"
