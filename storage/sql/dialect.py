"""The only file that knows which database it is. Today SQLite; another one differs here and nowhere else."""

import asyncio
import sqlite3
import time
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Table, and_, event, or_
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

BUSY_SECONDS: Final = 30
"""How long a statement waits for another process that is writing, before it fails."""

_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}",
    "PRAGMA synchronous = NORMAL",  # with a write-ahead log, a crash of the process loses nothing
    "PRAGMA foreign_keys = ON",
)

DAMAGED: Final = "its file is damaged: restore a backup or use another data folder"
_TROUBLES: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_FULL: "its disk is full: make room",
    sqlite3.SQLITE_BUSY: f"another process kept it locked for {BUSY_SECONDS} s: try again",
    sqlite3.SQLITE_LOCKED: f"another process kept it locked for {BUSY_SECONDS} s: try again",
    sqlite3.SQLITE_READONLY: "it is read-only: make the data folder and its files writable",
    sqlite3.SQLITE_PERM: "access to it is denied: make the data folder and its files writable",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened: see that the data folder is there and writable",
    sqlite3.SQLITE_IOERR: "its disk reports an error: see the system's log",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}


def trouble(error: DBAPIError) -> str | None:
    """Why the database cannot be used at the moment and what to do; None if the statement was wrong, not the database.

    An extended result code has the plain one in its lowest byte.
    """
    code = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else _TROUBLES.get(code & 0xFF)


def configure(engine: AsyncEngine) -> None:
    """Prepares every connection that `engine` will open."""

    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, _entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()


async def keep_log(engine: AsyncEngine) -> None:
    """Has the file keep a write-ahead log, so that readers never wait for the writer; the file remembers it.

    Connections that change this at the same time are refused at once, without the usual wait, so it is tried again.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            async with engine.connect() as connection:
                await connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            if code != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.02)


async def alone(connection: AsyncConnection, name: str, *, beside: str = "") -> None:
    """Begins a transaction that waits for others of the same name; what they committed is seen in it.

    `beside` is a name that this transaction shares with others of its kind: only one that is `alone` under that name
    waits for all of them. It must be the first statement.
    """
    await connection.exec_driver_sql("BEGIN IMMEDIATE")  # no other process can write beside it


def insert_new(table: Table) -> Insert:
    """Inserts rows; those whose key is there already stay as they are.

    A writing transaction begins with such a statement, never with a read: SQLite refuses to let a transaction that has
    read write after another one did.
    """
    return insert(table).on_conflict_do_nothing()


def insert_or_replace(table: Table, *, where: ColumnElement[bool] | None = None) -> Insert:
    """Inserts rows; those whose key is there already are replaced, if `where` holds for the row that is there."""
    statement = insert(table)
    values = {column.name: statement.excluded[column.name] for column in table.columns if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values, where=where)


def run_and_branches(column: ColumnElement[str], run_id: str) -> ColumnElement[bool]:
    """Rows of a run and of its branches, whose ids are the run's, a full stop and more.

    A range, so that the index of the column serves; text is compared by its code points here.
    """
    return or_(column == run_id, and_(column >= f"{run_id}.", column < f"{run_id}/"))


def root_of(run_id: str) -> str:
    """The run that a person asked for, of which `run_id` is a branch or which it is itself."""
    return run_id.partition(".")[0]
