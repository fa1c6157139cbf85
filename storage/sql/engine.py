"""The engine over the tables, and what a file says that cannot be used."""

import sqlite3
from pathlib import Path

from sqlalchemy import URL, Connection, ExceptionContext, event, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from elcano.graphs.errors import StoreDamaged, StoreIncompatible
from elcano.storage.sql import dialect
from elcano.storage.sql.tables import SCHEMA_VERSION, metadata, schema_version


def file_engine(path: Path) -> AsyncEngine:
    """An engine over the SQLite file at `path`. Several processes of one machine may share the file.

    Its connections raise `StoreDamaged` for a file whose content SQLite cannot read.
    """
    engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(path)))
    dialect.configure(engine)

    @event.listens_for(engine.sync_engine, "handle_error")
    def _named(context: ExceptionContext) -> None:
        if _is_damage(context.original_exception):
            raise _damaged(path, context.original_exception) from context.original_exception

    return engine


async def prepare(engine: AsyncEngine) -> None:
    """Creates the tables if there are none; several processes may do it at once.

    Raises:
        StoreIncompatible: the tables there have another version.
        StoreDamaged: the file is no database, or a damaged one.
    """
    try:
        await dialect.keep_log(engine)
        async with engine.begin() as connection:
            await dialect.alone(connection, "tables")
            await connection.run_sync(_create_tables)
    except sqlite3.DatabaseError as error:  # raised while connecting, which SQLAlchemy hands on as it is
        if not _is_damage(error):
            raise
        raise _damaged(engine.url.database, error) from error


def _is_damage(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _damaged(path: Path | str | None, error: BaseException) -> StoreDamaged:
    return StoreDamaged(
        f"the database {str(path)!r} is damaged ({error}): stop every program that uses it, then put back a copy, "
        "or save what can be saved with `sqlite3 FILE .recover`, or move it away together with its `-wal` and `-shm` "
        "files to begin with an empty one"
    )


def _create_tables(connection: Connection) -> None:
    schema_version.create(connection, checkfirst=True)
    found = connection.scalar(select(schema_version.c.version))
    if found is None:
        metadata.create_all(connection)
        connection.execute(insert(schema_version).values(version=SCHEMA_VERSION))
    elif found != SCHEMA_VERSION:
        raise StoreIncompatible(
            f"{connection.engine.url.database} was written with version {found} of the tables, but this program reads "
            f"version {SCHEMA_VERSION}: use the release that wrote it, or another data folder"
        )
