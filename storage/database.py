"""The tables, and the engine over them. Models are kept field by field where SQL reads them, else as one JSON body."""

import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import (
    JSON,
    URL,
    Boolean,
    Column,
    Connection,
    Double,
    ExceptionContext,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    event,
    insert,
    select,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from elcano.graphs.errors import StoreDamaged, StoreIncompatible
from elcano.storage import dialect

SCHEMA_VERSION: Final = 3
"""Goes up with every change of a table below."""

metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, primary_key=True))

texts = Table(
    "texts",
    metadata,
    Column("content_hash", String, primary_key=True),
    Column("document", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("media_type", String, nullable=False),
    Column("text", Text, nullable=False),
)

evidence = Table(
    "evidence",
    metadata,
    Column("id", String, primary_key=True),
    Column("source", String, nullable=False),
    Column("document", Text, nullable=False),
    Column("content_hash", ForeignKey(texts.c.content_hash), nullable=False),
    Column("title", Text, nullable=False),
    Column("locator", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("score", Double, nullable=False),
    Column("retrieved_at", Double, nullable=False),
    Column("metadata", JSON, nullable=False),
)

findings = Table(
    "findings",
    metadata,
    Column("position", Integer, primary_key=True),
    Column("run_id", String, nullable=False),
    Column("evidence_id", ForeignKey(evidence.c.id), nullable=False),
    Index("findings_of_run", "run_id", "evidence_id", unique=True),
)
"""Which run found which evidence; `position` grows in the order of finding."""

artifacts = Table(
    "artifacts",
    metadata,
    Column("key", String, primary_key=True),
    Column("media_type", String, nullable=False),
    Column("content", Text, nullable=False),
)

ledger = Table(
    "ledger",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("execution", String, primary_key=True),
    Column("activity", String, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("step", Integer, nullable=False),
    Column("item", Integer, nullable=False),
    Column("undone", Boolean, nullable=False),
    Column("node", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("name", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("model", String, nullable=False),
    Column("usage", JSON, nullable=False),
    Column("at", Double, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("tenant", String, nullable=False),
    Column("status", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("evidence", Integer, nullable=False),
    Column("lists", Text, nullable=False),
    Index("runs_by_status", "status", "run_id"),
)
"""`status` is the run's, or `starting` as long as it is not known that its workflow was started. `body` is all of a run
but what grows with it: that is in `lists`, and `evidence` says how many passages it found. So many runs can be listed
without reading thousands of ids."""

events = Table(
    "events",
    metadata,
    Column("run_id", ForeignKey(runs.c.run_id), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("key", String, primary_key=True),
    Column("request_hash", String, nullable=False),
    Column("run_id", String, nullable=False),
)

probes = Table(
    "probes",
    metadata,
    Column("id", String, primary_key=True),
    Column("filling", Text, nullable=False),
)
"""What was kept to see whether anything can be."""

control_requests = Table(
    "control_requests",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("request_id", String, primary_key=True),
    Column("request_hash", String, nullable=False),
    Column("accepted", Boolean),
    Column("answer", Text, nullable=False, default=""),
)
"""What was asked of runs under way; `accepted` is null until the run's answer is known."""


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
            await dialect.lock(connection)
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
