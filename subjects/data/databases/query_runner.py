"""Runs a query through policy, names and guards, in this order. A faulty query is answered with its fault.

Names are looked up in a schema that may be a minute old. Before one is called unknown, and after the database itself
complained, the schema is read anew and the query is read by it once more.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from sqlglot import exp

from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.column_resolution import ResolvedColumn, resolve_query_columns
from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import FetchedRows
from elcano.subjects.data.databases.policy import Parsed, Refused, parse_allowed_query
from elcano.subjects.data.tables import (
    EXACT_NOTE,
    READING_NOTE,
    DatabaseSchema,
    ResultColumn,
    ResultTable,
)

ROWS: Final = 1_000
"""Default maximum number of rows of a result."""


async def run_query(database: Database, query: SqlQuery, rows: int = ROWS) -> ResultTable | QueryFault:
    """Run a query and return at most `rows` rows, or its fault.

    Raises:
        SourceUnavailable: the database is away, and another try may find it back.
    """
    schema = await database.structure()
    result = await _attempt_query(database, schema, query, rows)
    if isinstance(result, QueryFault) and result.stage in ("names", "database"):
        fresh = await database.structure(fresh=True, anew=result.stage == "database")
        if fresh.hash != schema.hash:
            result = await _attempt_query(database, fresh, query, rows)
            return (
                _explain_schema_change(result, fresh, query)
                if isinstance(result, QueryFault) and result.stage == "names"
                else result
            )
    return result


def _explain_schema_change(fault: QueryFault, schema: DatabaseSchema, query: SqlQuery) -> QueryFault:
    """Add the current columns of its tables to a fault: the query was written for an older schema."""
    named = [table for table in schema.tables if table.name.rpartition(".")[2].casefold() in query.sql.casefold()]
    now = (f"{table.name} has {', '.join(column.name for column in table.columns)}" for table in named[:5])
    text = "; ".join([fault.message, "the schema has changed since it was read", *now])
    return fault.model_copy(update={"message": shorten_text(text, 2_000)})


async def _attempt_query(
    database: Database, schema: DatabaseSchema, query: SqlQuery, rows: int
) -> ResultTable | QueryFault:
    if query.dialect != schema.dialect:
        text = f"it is written for {query.dialect}, and {schema.database} speaks {schema.dialect}"
        return QueryFault(stage="policy", message=text)
    try:
        read, origins = await asyncio.to_thread(_parse_and_resolve_query, query.sql, schema, rows)
    except Refused as refused:
        return refused.fault
    found = await database.run(read.sql, rows, read.tables)
    if isinstance(found, QueryFault):
        return found
    return ResultTable(
        database=schema.database,
        dialect=schema.dialect,
        sql=read.sql,
        columns=_apply_schema_types(found, origins),
        rows=found.rows,
        truncated=found.truncated,
        limit=read.limit if len(found.rows) == read.limit else None,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        schema_hash=schema.hash,
        tables=tuple(sorted(read.tables)),
        notes=tuple(iter_reading_notes(read, schema)),
    )


def _parse_and_resolve_query(sql: str, schema: DatabaseSchema, rows: int) -> tuple[Parsed, tuple[ResolvedColumn, ...]]:
    read = parse_allowed_query(sql, schema, rows)
    return read, resolve_query_columns(read, schema)


def _apply_schema_types(found: FetchedRows, known: tuple[ResolvedColumn, ...]) -> tuple[ResultColumn, ...]:
    """The columns with the types of the schema where the engine does not know better, and with what to mind of them."""
    if len(known) != len(found.columns):
        return found.columns
    columns = []
    for column, one in zip(found.columns, known, strict=True):
        update = {"caution": one.caution, "repeated": one.repeated}
        if one.origin is not None and (not column.type or column.kind == "other"):
            update |= {"type": one.origin.type, "kind": one.origin.kind}
        columns.append(column.model_copy(update=update))
    return tuple(columns)


def iter_reading_notes(query: Parsed, schema: DatabaseSchema) -> Iterator[str]:
    """Yield how files were interpreted, as far as the query reads what had to be."""
    named = {column.name.casefold() for column in query.tree.find_all(exp.Column)}
    every = "*" in named or any(not isinstance(star.parent, exp.Count) for star in query.tree.find_all(exp.Star))
    for table in schema.tables:
        if table.name not in query.tables:
            continue
        if table.comment.startswith(READING_NOTE):
            yield f"{table.name}: {table.comment.removeprefix(READING_NOTE)}"
        for column in table.columns:
            if column.comment.startswith(READING_NOTE) and (every or column.name.casefold() in named):
                said = column.comment.removeprefix(READING_NOTE).partition(EXACT_NOTE)[0].strip()
                yield f"{table.name}.{column.name} was read as {said}"
