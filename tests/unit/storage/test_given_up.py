"""A call that is given up in the middle of a transaction keeps nobody from writing."""

import asyncio
import gc
import sqlite3
import warnings
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import aiosqlite
import pytest

from elcano.graphs.records import ArchivedRun
from elcano.storage.sql.sqlite_connection import Connection, connect_in_thread
from elcano.storage.store import DATABASE_FILE, Store, open_store


def run(number: int) -> ArchivedRun:
    return ArchivedRun(
        run_id=f"default-{number:03d}",
        question="Why?",
        mode="simple",
        tenant="default",
        status="completed",
        started_at=1,
    )


def writes(file: Path) -> bool:
    """Whether somebody else can write, without waiting."""
    with closing(sqlite3.connect(file, timeout=0.5)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        other.rollback()
        return True


def test_a_connection_that_is_closed_lets_go_though_somebody_keeps_its_cursor(tmp_path: Path) -> None:
    file = tmp_path / "kept.db"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE t (x)")
    for factory, free in ((sqlite3.Connection, False), (Connection, True)):
        connection = sqlite3.connect(file, factory=factory)
        connection.execute("BEGIN IMMEDIATE")
        cursor = connection.execute("INSERT INTO t VALUES (1) RETURNING x")
        connection.close()
        assert writes(file) == free, factory  # Python's own does not: else this class is not needed any more
        del cursor
    assert writes(file)


def test_a_connection_is_closed_as_often_as_anybody_likes(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "twice.db", factory=Connection)
    connection.close()
    connection.close()  # as aiosqlite does with one whose closing was given up


def test_a_connection_that_nobody_closes_is_closed_with_what_it_had_begun(tmp_path: Path) -> None:
    file = tmp_path / "dropped.db"
    connection = sqlite3.connect(file, factory=Connection)
    connection.execute("CREATE TABLE t (x)")
    connection.execute("BEGIN IMMEDIATE")
    cursor = connection.execute("INSERT INTO t VALUES (1) RETURNING x")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        del connection, cursor
        gc.collect()
    assert not told
    assert writes(file)


async def test_a_closing_that_is_cancelled_ends_nevertheless(tmp_path: Path) -> None:
    """SQLAlchemy lets it continue by itself and stops the thread, which would end without an answer to it."""

    async def close(connection: aiosqlite.Connection) -> bool:
        await asyncio.sleep(0)
        closing = asyncio.create_task(connection.close())
        await asyncio.sleep(0)
        connection.stop()
        done, _ = await asyncio.wait({closing}, timeout=0.5)
        closing.cancel()
        return bool(done)

    assert await close(await connect_in_thread(str(tmp_path / "ours.db")))
    assert not await close(await aiosqlite.connect(tmp_path / "theirs.db"))  # else this class is not needed any more


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as store:
        yield store


async def test_what_is_given_up_anywhere_in_a_transaction_leaves_no_lock(kept: Store, tmp_path: Path) -> None:
    runs = kept.of("default").runs
    given_up: list[BaseException] = []
    for turns in range(60):
        keeping = asyncio.create_task(runs.archive(run(turns), []))
        for _ in range(turns // 2):
            await asyncio.sleep(0)
        await asyncio.sleep(0.0005 * (turns % 2))
        keeping.cancel()
        try:
            await keeping
        except asyncio.CancelledError as error:
            given_up.append(error)  # as a log or a failure keeps it, with all that its traceback holds
        assert writes(tmp_path / DATABASE_FILE), turns
    assert given_up
    await runs.archive(run(1_000), [])
    assert await runs.get("default-1000") is not None
