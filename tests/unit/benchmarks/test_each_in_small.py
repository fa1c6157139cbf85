"""Each benchmark runs through in small and tells the ratios that `figures.toml` names; their size is not tested."""

from collections.abc import AsyncIterator
from math import nan
from pathlib import Path

import pytest
from temporalio.client import Client

from benchmarks.__main__ import BENCHMARKS
from benchmarks.bench import FIGURES, Bench, compare
from benchmarks.server import temporal_server
from tests.cases import long_case


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Client]:
    """Not that of the session: benchmarks leave runs there, and nobody is to find them."""
    async with temporal_server() as client:
        yield client


SHORT = frozenset({"engine", "encryption", "history", "index", "knowledge", "pubmed-parsing"})
"""Those that take a second or two in small; they use what benchmarks share, the server, workers and stores."""


@pytest.mark.parametrize("name", [name if name in SHORT else long_case(name) for name in BENCHMARKS])
async def test_it_runs_through_and_tells_its_ratios(name: str, server: Client, tmp_path: Path) -> None:
    bench = Bench(name, tmp_path, small=True, shared=server)
    await BENCHMARKS[name].main(bench)
    assert list(bench.ratios) == list(FIGURES[name])


def test_figures_are_of_benchmarks_that_there_are() -> None:
    assert FIGURES.keys() == BENCHMARKS.keys()


def test_a_ratio_is_told_beside_the_committed_one() -> None:
    assert compare(1.2, 1.0) == "as usual: 1"
    assert compare(1.6, 1.0) == "WORSE than 1"
    assert compare(0.5, 1.0) == "better than 1"
    assert compare(1.0, 0.0) == "WORSE than 0"
    assert compare(0.0, 0.0) == "as usual: 0"
    assert compare(1.0, None) == compare(1.0, nan) == "nothing to compare with"
