"""The differences between SQLite and PostgreSQL, but for types of columns: the engine knows which database it is."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Insert,
    Table,
    and_,
    bindparam,
    event,
    or_,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

from elcano.storage.sql.columns import Id
from elcano.storage.sql.sqlite_connection import BUSY_SECONDS

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

Connected: TypeAlias = AsyncConnection | AsyncEngine
"""Either says which database it is."""

_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}",
    "PRAGMA synchronous = NORMAL",  # with a write-ahead log, a crash of the process loses nothing
    "PRAGMA foreign_keys = ON",
)

DAMAGED: Final = "its file is damaged: restore a backup or use another data folder"
_BY_CODE: Final[Mapping[int, str]] = {
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
_BY_STATE: Final[Mapping[str, str]] = {
    "08": "its server does not answer: see that it runs and can be reached",
    "25006": "its server is read-only: name the one that can be written",
    "28": "its server refuses the user or the password: correct ELCANO_STORE_URL",
    "3D": "its server has no such database: make it, or correct ELCANO_STORE_URL",
    "40": "others write the same: try again",
    "42501": "its user may not do this: grant it all rights on its schema",
    "53100": "its server's disk is full: make room",
    "53": "its server has no room for this: see its connections and memory",
    "55P03": "another process keeps it locked: try again",
    "57": "its server was stopped or gave up: try again",
    "58": "its server's disk reports an error: see its log",
    "XX001": "its server's files are damaged: restore a backup",
    "XX002": "its server's files are damaged: restore a backup",
}
"""Errors by PostgreSQL's states, or by their classes, which are the first two characters."""
_SAID: Final[Mapping[str, str]] = {
    "too many clients": "53",
    "too many connections": "53",
    "remaining connection slots": "53",
    "the database system is": "57",  # starting up, shutting down, in recovery
    "authentication failed": "28",
    "no password supplied": "28",
    'role "': "28",
    "does not exist": "3D",
}
"""Messages of a server before there is a connection that could have a state; the first that fits counts."""


def explain_database_error(error: DBAPIError) -> str | None:
    """Why the database cannot be used at the moment and what to do; None if the statement was wrong, not the database.

    An extended result code of SQLite has the plain one in its lowest byte. What psycopg raises while it connects has no
    state.
    """
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return _BY_CODE.get(code & 0xFF)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return _BY_STATE.get(state) or _BY_STATE.get(state[:2])
    return _explain_connection_error(error)


def _explain_connection_error(error: DBAPIError) -> str | None:
    """Explain an error of the server, or of the connection to it, that has only a message."""
    if not isinstance(error, OperationalError):
        return None
    said = str(error.orig)
    return next((_BY_STATE[state] for words, state in _SAID.items() if words in said), _BY_STATE["08"])


@asynccontextmanager
async def connect_in_autocommit(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Open a connection on which PostgreSQL commits each statement by itself; a write to SQLite needs `commit()`.

    PostgreSQL is spared the way for its begin and that for its end: a third of what a short read costs a program.
    """
    async with engine.connect() as connection:
        if connection.dialect.name != "sqlite":
            # As an option of the engine it would be set before anybody could close the connection: a call that is
            # cancelled at that moment would leave it checked out.
            await connection.execution_options(isolation_level="AUTOCOMMIT")
        yield connection


def configure_engine(engine: AsyncEngine) -> None:
    """Prepares every connection that `engine` will open."""
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, _entry: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()


async def keep_log(engine: AsyncEngine) -> None:
    """Has a file keep a write-ahead log, so that readers never wait for the writer; the file remembers it.

    Connections that change this at the same time are refused at once, without the usual wait, so it is tried again.
    """
    if engine.dialect.name != "sqlite":
        return
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


_LOCK: Final = text("SELECT pg_advisory_xact_lock(:name)")
_LOCK_SHARED: Final = text("SELECT pg_advisory_xact_lock_shared(:shared), pg_advisory_xact_lock(:name)")


async def begin_exclusive(connection: AsyncConnection, name: str, *, shared: str = "") -> None:
    """Begin a transaction that waits for others of the same name, and sees what they committed.

    `shared` is a name that this transaction shares with others of its kind: only a `begin_exclusive` of that name waits
    for all of them. It must be the first statement. On SQLite one transaction writes at a time anyway.
    """
    if connection.dialect.name == "sqlite":
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    if shared:  # taken first: PostgreSQL computes the columns of a row from left to right
        numbers = {"shared": make_lock_number(shared), "name": make_lock_number(name)}
        await connection.execute(_LOCK_SHARED, numbers)
    else:
        await connection.execute(_LOCK, {"name": make_lock_number(name)})


def make_lock_number(name: str) -> int:
    """Return the number of 64 bits that PostgreSQL locks in place of a name."""
    return int.from_bytes(sha256(f"elcano {name}".encode()).digest()[:8], signed=True)


def insert_new(connection: Connected, table: Table) -> Insert:
    """Inserts rows; those whose key is there already stay as they are.

    A transaction without `begin_exclusive` begins with such a statement, never with a read: SQLite refuses to let
    one that has read write after another one did.
    """
    return _make_insert_new(connection.dialect.name, table)


@cache
def _make_insert_new(dialect: str, table: Table) -> Insert:
    return _make_insert(dialect, table).on_conflict_do_nothing()


def insert_or_replace(connection: Connected, table: Table, *, where: ColumnElement[bool] | None = None) -> Insert:
    """Inserts rows; those whose key is there already are replaced, if `where` holds for the row that is there."""
    statement = _make_insert(connection.dialect.name, table)
    values = {column.name: statement.excluded[column.name] for column in table.columns if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values, where=where)


def insert_or_add(connection: Connected, table: Table) -> Insert:
    """Inserts rows; to those whose key is there already, the values of all other columns are added."""
    statement = _make_insert(connection.dialect.name, table)
    sums = {column.name: column + statement.excluded[column.name] for column in table.columns if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=sums)


def _make_insert(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def run_and_branches(column: ColumnElement[str], run_id: str) -> ColumnElement[bool]:
    """Rows of a run and of its branches, whose ids are the run's, a full stop and more.

    One range that the column's index serves, and within it the condition itself: of two conditions with an `or` SQLite
    uses no index as long as it has no statistics. Ids are compared by their code points.
    """
    return and_(column >= run_id, column < f"{run_id}/", or_(column == run_id, column >= f"{run_id}."))


def in_run_range(column: ColumnElement[str]) -> ColumnElement[bool]:
    """The same for a statement that is built once; `name_run_range` names the run when it is executed."""
    first, behind, branches = (bindparam(f"run_{name}", type_=Id) for name in ("first", "behind", "branches"))
    return and_(column >= first, column < behind, or_(column == first, column >= branches))


def name_run_range(run_id: str) -> dict[str, str]:
    """Return the parameters of a statement with `in_run_range`."""
    return {"run_first": run_id, "run_behind": f"{run_id}/", "run_branches": f"{run_id}."}


def root_of(run_id: str) -> str:
    """The run that a person asked for, of which `run_id` is a branch or which it is itself."""
    return run_id.partition(".")[0]
