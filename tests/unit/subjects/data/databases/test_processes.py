"""A statement that nothing interrupts ends with the process that it is in, and leaves nothing behind."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from elcano.activities.child_processes import Stop
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases import engine as engines
from elcano.subjects.data.databases.database import SIDE_BY_SIDE, Database
from elcano.subjects.data.databases.engine import FetchedRows, FileEngine, Limits
from tests.unit.subjects.data.databases import hostile
from tests.unit.subjects.data.databases.shop import duckdb_shop, sqlite_shop

MOST_MEMORY = 3_000_000_000
"""Bytes of one process at any time: both engines have less."""


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> FileEngine:
    return sqlite_shop(tmp_path) if request.param == "sqlite" else duckdb_shop(tmp_path)


@contextmanager
def watched() -> Iterator[list[int]]:
    """The most memory that any process below this one has, in bytes, seen every few milliseconds."""
    most, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    most[0] = max(most[0], process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def working(server: psutil.Process) -> list[psutil.Process]:
    """The processes that answer at the moment; one may end while it is looked at."""
    alive = []
    for process in server.children():
        with suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process)
    return alive


async def until(holds: Callable[[], bool]) -> None:
    while True:
        if holds():
            return
        await asyncio.sleep(0.01)


def server_of(engine: FileEngine) -> psutil.Process:
    """The process that forks them."""
    engine.run(["SELECT 1"], Limits(), Stop())
    for process in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # of another test, or ended since
            if process.cmdline()[5:6] == [engine.processes._function]:
                return process
    raise AssertionError("there is no such process")


async def test_what_nothing_interrupts_is_killed_with_little_memory(engine: FileEngine) -> None:
    """By the guards alone: the policy would refuse it."""
    server = server_of(engine)
    stopped = 0
    with watched() as most:
        for one in hostile.of(engine.dialect, hostile.ENDLESS):
            (outcome,) = engine.run([one.sql], Limits(seconds=0.5), Stop())
            if isinstance(outcome, QueryFault):  # what is quick in one engine takes hours in another
                assert outcome.stage in ("limits", "database"), (one.sql, outcome)
                stopped += 1
    assert stopped
    assert most[0] < MOST_MEMORY
    await until(lambda: not working(server))
    assert isinstance(engine.run(["SELECT 1"], Limits(), Stop())[0], FetchedRows)


async def test_no_thread_is_lost_to_statements_that_nothing_interrupts(tmp_path: Path) -> None:
    engine = sqlite_shop(tmp_path)
    server = server_of(engine)
    shop = Database(engine, seconds=600)
    endless = hostile.of("sqlite", hostile.ENDLESS)[0].sql
    asking = [asyncio.create_task(shop.run(endless, 5)) for _ in range(SIDE_BY_SIDE)]
    await until(lambda: len(working(server)) == SIDE_BY_SIDE)
    for one in asking:
        one.cancel()
    assert {type(one) for one in await asyncio.gather(*asking, return_exceptions=True)} == {asyncio.CancelledError}
    assert isinstance(await shop.run("SELECT 1", 5), FetchedRows)
    await until(lambda: not working(server))


def test_a_server_of_processes_that_was_killed_is_started_again(engine: FileEngine) -> None:
    killed = server_of(engine)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert isinstance(engine.run(["SELECT 1"], Limits(), Stop())[0], FetchedRows)
    assert server_of(engine).pid != killed.pid


def test_a_process_that_is_killed_has_answered_too_late_or_had_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = sqlite_shop(tmp_path)
    server = server_of(engine)
    endless = hostile.of("sqlite", hostile.ENDLESS)[0].sql

    def kill() -> None:
        while not (busy := [one for one in working(server) if one.cpu_times().user > 0.1]):  # it works at the query
            time.sleep(0.01)
        os.kill(busy[0].pid, signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    (fault,) = engine.run([endless], Limits(seconds=600), Stop())
    killing.join()
    assert isinstance(fault, QueryFault)
    assert "more memory than it may have" in fault.message
    monkeypatch.setattr(engines, "GRACE_SECONDS", 0.1)
    (fault,) = engine.run([endless], Limits(seconds=0.1), Stop())
    assert isinstance(fault, QueryFault)
    assert "stopped after 0.1 s" in fault.message
