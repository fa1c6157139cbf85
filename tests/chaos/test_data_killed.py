"""A worker dies while it forecasts, while paths go side by side, while a tool is called: the answer is the same.

But of a tool that writes: that is not called again, and the report says that nobody knows.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from elcano.dev.stack import Stack, open_stack
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ParallelNode
from elcano.settings import Settings
from tests.chaos.conftest import ask, completed, kill_worker, report, told
from tests.chaos.researcher import Place, Researcher
from tests.chaos.storm.collecting import timeless
from tests.chaos.storm.surroundings import Surroundings
from tests.chaos.storm.tables import TOOLS, Way, question, sources
from tests.unit.dev.test_dev import lives, until

Reached = Callable[[], bool | Awaitable[bool]]


@pytest.fixture(scope="module")
def surroundings(folder: Path) -> Surroundings:
    return Surroundings(folder)


@pytest.fixture(scope="module")
def asked(chosen: Settings, surroundings: Surroundings) -> Settings:
    """Settings of a stack with databases and a server of tools."""
    found = {"databases": dict(surroundings.databases), "mcp_servers": surroundings.servers}
    return chosen.model_copy(update=found)


@pytest.fixture(scope="module")
async def running(asked: Settings, surroundings: Surroundings) -> AsyncIterator[Stack]:
    """A stack that the tests share; it leaves nothing behind."""
    async with open_stack(asked) as stack:
        yield stack
    assert surroundings.left_behind() == ()
    assert surroundings.harmed() == ()


async def killed(running: Stack, settings: Settings, way: Way, reached: Callable[[str], Reached], **more: Any) -> str:
    """Starts a run, kills the worker once it has `reached` a place, and gives the run when it is over.

    Whatever the worker had started ends soon after it, and no event is told twice.
    """
    run = await ask(settings, question(way, 0), mode="data", sources=list(sources(way)), **more)
    following = asyncio.create_task(told(settings, run))
    await until(reached(run))
    worker = psutil.Process(running.worker.pid)
    started = [child.pid for child in worker.children(recursive=True)]
    running.worker.kill()
    await until(lambda: running.worker.pid != worker.pid)
    await until(lambda: not any(map(lives, started)))
    seen = await following
    assert [one.event for one in seen].count("complete") == 1
    assert len({one.id for one in seen}) == len(seen)
    return run


def calls(settings: Settings, run: str) -> Awaitable[dict[str, int]]:
    """How often each node was completed."""

    async def counted() -> dict[str, int]:
        found: dict[str, int] = {}
        for (_, node, _, _), times in (await completed(settings, run)).items():
            found[node] = found.get(node, 0) + times
        return found

    return counted()


def forecasts(running: Stack) -> bool:
    """Whether the worker has begun its process of forecasts, which loads its libraries for seconds."""
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(running.worker.pid).children()
        return any("forecasting.fitting" in part for child in children for part in child.cmdline())
    return False


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_a_forecast_is_made_by_the_worker_after_the_one_that_died(running: Stack, asked: Settings) -> None:
    async with asyncio.timeout(380):
        run = await killed(running, asked, "series", lambda run: lambda: forecasts(running))
        done = await calls(asked, run)
        assert (done["data_execution"], done["forecast"]) == (1, 1)
        text = await report(asked, run)
    assert "## How it was forecast" in text
    assert "failed" not in text


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_paths_go_on_where_they_were(running: Stack, asked: Settings, researcher: Researcher) -> None:
    """In a graph whose paths have as long as they take: the mode's have 15 seconds."""
    mode = MODES["data"]
    nodes = tuple(
        one.model_copy(update={"timeout_seconds": 300.0}) if isinstance(one, ParallelNode) else one
        for one in mode.nodes
    )
    graph = mode.model_copy(update={"nodes": nodes}).model_dump(mode="json")
    paths = [f"How many tons came to each port in {year}? (way {way})" for year, way in PATHS]
    async with asyncio.timeout(380):
        whole = question("patient", 0)
        twin = await ask(asked, whole, graph=graph, sources=["ships"])
        await told(asked, twin)
        researcher.hold([Place(path, "sql_writer", 1) for path in paths])
        run = await ask(asked, whole, graph=graph, sources=["ships"])
        following = asyncio.create_task(told(asked, run))
        await until(lambda: researcher.holds)
        await kill_worker(running)
        researcher.release()
        seen = await following
        assert timeless(await report(asked, run)) == timeless(await report(asked, twin))
        assert await completed(asked, run) == await completed(asked, twin)
    assert [one.event for one in seen].count("branch_complete") == len(paths)


PATHS = ((1519, "query"), (1520, "mended"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


def called(path: Path) -> Callable[[str], Reached]:
    """Once the tool has noted its first call in the file."""
    return lambda run: lambda: lines(path) == 1


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_a_tool_that_reads_is_called_again_and_one_that_writes_is_not(
    running: Stack, asked: Settings, folder: Path
) -> None:
    noted = {"reads": folder / TOOLS / "waiting", "writes": folder / TOOLS / "written"}
    async with asyncio.timeout(380):
        texts = {}
        ways: tuple[Way, ...] = ("reads", "writes")
        for way in ways:
            run = await killed(running, asked, way, called(noted[way]))
            done = await calls(asked, run)
            assert done.get("tool_execution", 0) == (1 if way == "reads" else 0)
            assert done["data_execution"] == 1
            texts[way] = await report(asked, run)
    assert (lines(noted["reads"]), lines(noted["writes"])) == (2, 1)
    assert "it is unknown" not in texts["reads"]
    assert "was called, and it is unknown whether its write happened" in texts["writes"]
