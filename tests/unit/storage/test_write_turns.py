"""Writers of one SQLite file take turns: no one waits while others that came later write."""

import asyncio
import gc
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from elcano.storage.sql import sqlite_connection
from elcano.storage.sql.engine import database_url, open_engine
from elcano.storage.sql.sqlite_connection import Connection, WriteTurns


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "turns.db")) as made:
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, writer TEXT)")
    return tmp_path / "turns.db"


@pytest.fixture
def connect(file: Path) -> Iterator[Callable[[], Connection]]:
    opened: list[Connection] = []

    def connect() -> Connection:
        opened.append(sqlite3.connect(file, factory=Connection, check_same_thread=False))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


def write(connection: Connection, writer: str) -> None:
    connection.execute("INSERT INTO t (writer) VALUES (?)", (writer,))
    connection.commit()


def start(writers: Connection, name: str, waiting: int) -> threading.Thread:
    """Start a thread that writes; return once so many wait."""
    thread = threading.Thread(target=write, args=(writers, name))
    thread.start()
    turns = writers._turns
    assert turns is not None
    while len(turns._waiting) < waiting:
        pass
    return thread


def list_writers(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as reader:
        return [row[0] for row in reader.execute("SELECT writer FROM t ORDER BY id")]


def test_writers_of_a_process_write_in_the_order_in_which_they_came(
    file: Path, connect: Callable[[], Connection]
) -> None:
    first = connect()
    first.execute("INSERT INTO t (writer) VALUES ('first')")
    threads = [start(connect(), f"{number}", number) for number in range(1, 9)]
    first.commit()
    for thread in threads:
        thread.join()
    assert list_writers(file) == ["first", *"12345678"]


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_each_end_of_a_transaction_ends_its_turn(end: str, connect: Callable[[], Connection]) -> None:
    first, second = connect(), connect()
    first.execute("INSERT INTO t (writer) VALUES ('first')")
    getattr(first, end)()
    write(second, "second")


def test_a_statement_that_fails_keeps_the_turn_until_its_transaction_is_rolled_back(
    connect: Callable[[], Connection],
) -> None:
    first, second = connect(), connect()
    with pytest.raises(sqlite3.IntegrityError):
        first.executemany("INSERT INTO t (id, writer) VALUES (1, ?)", [("a",), ("b",)])
    first.rollback()
    write(second, "second")


def test_reads_take_no_turn(connect: Callable[[], Connection]) -> None:
    first, second = connect(), connect()
    first.execute("INSERT INTO t (writer) VALUES ('first')")
    assert second.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_writers_that_another_process_keeps_from_writing_fail_and_lose_no_turn(
    file: Path, connect: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_SECONDS", 0.05)
    failed: list[sqlite3.OperationalError] = []

    def fail() -> None:
        with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
            write(connect(), "one")
        failed.append(caught.value)

    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        threads = [threading.Thread(target=fail) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(failed) == 4
    monkeypatch.undo()
    write(connect(), "after")
    assert list_writers(file) == ["after"]


def test_a_connection_whose_transaction_sqlite_took_back_writes_again(
    file: Path, connect: Callable[[], Connection]
) -> None:
    own = connect()
    own.execute("INSERT INTO t (writer) VALUES ('lost')")
    sqlite3.Connection.rollback(own)  # as SQLite does where the disk is full
    write(own, "again")
    write(connect(), "next")
    assert list_writers(file) == ["again", "next"]


def test_a_connection_that_python_collects_while_this_thread_waits_for_a_turn_ends_its_own(
    file: Path, connect: Callable[[], Connection]
) -> None:
    left = sqlite3.connect(file, factory=Connection, check_same_thread=False)
    turns = left._turns
    assert turns is not None
    left.execute("INSERT INTO t (writer) VALUES ('left')")
    with turns._mutex:
        del left
        gc.collect()
    write(connect(), "next")
    assert list_writers(file) == ["next"]


def test_a_turn_that_no_one_ends_is_an_error_for_those_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_SECONDS", 0.05)
    turns = WriteTurns()
    turns.take()
    with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
        turns.take()
    assert caught.value.sqlite_errorcode == sqlite3.SQLITE_BUSY
    turns.end()
    turns.take()  # it waits for no one who gave up


async def test_a_writer_that_is_given_up_while_it_waits_leaves_its_turn_to_the_next(file: Path) -> None:
    engine = open_engine(database_url("", file))
    insert = text("INSERT INTO t (writer) VALUES ('one')")

    async def write_one() -> None:
        async with engine.begin() as connection:
            await connection.execute(insert)

    async with engine.begin() as connection:
        await connection.execute(insert)
        waiting = [asyncio.create_task(write_one()) for _ in range(4)]
        await asyncio.sleep(0.05)
        for one in waiting[:2]:
            one.cancel()
    for one in waiting:
        with suppress(asyncio.CancelledError):
            await one
    await write_one()
    await engine.dispose()
    assert len(list_writers(file)) == 4


BUSY_PROCESS = """
import sqlite3, sys, threading
from elcano.storage.sql.sqlite_connection import Connection

def write():
    connection = sqlite3.connect(sys.argv[1], factory=Connection)
    while not stopped.is_set():
        connection.execute("INSERT INTO t (writer) VALUES ('other')")
        connection.commit()

stopped = threading.Event()
threads = [threading.Thread(target=write) for _ in range(4)]
for thread in threads:
    thread.start()
print("started", flush=True)
sys.stdin.read()
stopped.set()
"""


def test_a_process_that_writes_all_the_time_lets_others_write(file: Path, connect: Callable[[], Connection]) -> None:
    call = [sys.executable, "-c", BUSY_PROCESS, str(file)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == b"started\n"
        own = connect()
        for _ in range(20):
            write(own, "own")
        is_running = other.poll() is None
        other.stdin.close()
    assert is_running
    assert list_writers(file).count("own") == 20
