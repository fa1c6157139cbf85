"""Opens the database engine by URL, and explains why a database cannot be used."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import URL, ExceptionContext, event, make_url
from sqlalchemy import Connection as SyncConnection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from elcano.graphs.errors import StoreDamaged, StoreUnavailable
from elcano.storage.sql.cipher import Cipher
from elcano.storage.sql.columns import set_cipher
from elcano.storage.sql.dialect import begin_exclusive, configure_engine, explain_database_error, keep_log
from elcano.storage.sql.schema_revision import migrate_tables, require_known_tables
from elcano.storage.sql.sqlite_connection import connect_in_thread

CONNECT_SECONDS: Final = 10
"""Seconds that a server may take to answer before it counts as unreachable."""

IDLE_SECONDS: Final = 1.0
"""After how long without use a connection is asked whether it lives: that takes a third of what a short read does."""


def database_url(configured: str, file: Path) -> URL:
    """Return the URL of the database in `configured`, with our driver for it; if empty, of the SQLite file `file`.

    psycopg for PostgreSQL: it is libpq, so `PGPASSWORD`, password files, certificates and several hosts work as
    everywhere, and every error has the server's own state.
    """
    if not configured:
        return URL.create("sqlite+aiosqlite", database=str(file))
    url = make_url(configured)
    return url.set(drivername="sqlite+aiosqlite" if url.drivername == "sqlite" else "postgresql+psycopg")


_LIVE: Final = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2, "tcp_user_timeout": 20_000}
"""For libpq: a machine or a network that no longer answers is known after 20 s, in seconds and milliseconds. By default
the system tells only after hours, and a statement waits that long."""


def open_engine(url: URL, cipher: Cipher | None = None) -> AsyncEngine:
    """An engine over the database. Any number of processes may share it; a file, those of one machine.

    Sealed columns are encrypted with `cipher`.

    The connections to a file raise `StoreDamaged` for content that SQLite cannot read.
    """
    if url.get_backend_name() != "sqlite":
        connecting = {"connect_timeout": CONNECT_SECONDS, "application_name": "elcano", **_LIVE}
        # The connection that was used last comes first: it rarely has to be asked whether it lives.
        engine = create_async_engine(url, connect_args=connecting, skip_autocommit_rollback=True, pool_use_lifo=True)
        configure_engine(engine)
        _ping_idle_connections(engine)
        set_cipher(engine.dialect, cipher)
        return engine
    engine = create_async_engine(url, connect_args={"async_creator_fn": connect_in_thread})
    configure_engine(engine)
    set_cipher(engine.dialect, cipher)

    @event.listens_for(engine.sync_engine, "handle_error")
    def _named(context: ExceptionContext) -> None:
        if _is_damage(context.original_exception):
            raise _build_damage_error(url.database, context.original_exception) from context.original_exception

    return engine


def _ping_idle_connections(engine: AsyncEngine) -> None:
    """Have connections that have lain idle replaced if they no longer live, before they are used."""
    sync = engine.sync_engine

    @event.listens_for(sync, "checkin")
    def checked_in(connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["used_at"] = time.monotonic()

    @event.listens_for(sync, "checkout")
    def checked_out(connection: DBAPIConnection, record: ConnectionPoolEntry, proxy: PoolProxiedConnection) -> None:
        if time.monotonic() - record.info.get("used_at", time.monotonic()) < IDLE_SECONDS:
            return
        try:
            sync.dialect.do_ping(connection)
        except sync.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError(str(error)) from error  # the pool opens others


async def prepare_tables(engine: AsyncEngine, change: Callable[[SyncConnection], None] = migrate_tables) -> None:
    """Creates or migrates the tables, or changes them otherwise; several processes may do it at once.

    Raises:
        StoreIncompatible: this release cannot work with the tables there.
        StoreDamaged: the file is no database, or a damaged one.
        StoreUnavailable: its server cannot be used.
    """
    with _explained(engine):
        await keep_log(engine)
        async with engine.begin() as connection:
            await begin_exclusive(connection, "tables")
            await connection.run_sync(change)


async def read_tables(engine: AsyncEngine) -> tuple[str | None, str]:
    """The revision of the tables, None if there are none, and the one that this program needs; nothing is changed.

    Raises:
        Exception: as by `prepare_tables`.
    """
    with _explained(engine):
        async with engine.connect() as connection:
            return await connection.run_sync(require_known_tables)


@contextmanager
def _explained(engine: AsyncEngine) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:  # raised while connecting, which SQLAlchemy hands on as it is
        if not _is_damage(error):
            raise
        raise _build_damage_error(engine.url.database, error) from error
    except DBAPIError as error:
        why = explain_database_error(error)
        if why is None or engine.dialect.name == "sqlite":
            raise
        raise StoreUnavailable(f"{engine.url.render_as_string()} cannot be used: {why} ({error.orig})") from error


def _is_damage(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _build_damage_error(path: str | None, error: BaseException) -> StoreDamaged:
    return StoreDamaged(
        f"the database {path!r} is damaged ({error}): stop every program that uses it, then put back a copy, "
        "or save what can be saved with `sqlite3 FILE .recover`, or move it away together with its `-wal` and `-shm` "
        "files to begin with an empty one"
    )
