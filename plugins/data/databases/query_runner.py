"""Runs a query through policy, names and guards, in this order. A faulty query is answered with its fault.

Names are looked up in a schema that may be a minute old. Before one is called unknown, and after the database itself
complained, the schema is read anew and the query is read by it once more.

Whether a query's columns are in the schema, found out before the database is asked, all faults at once.

The database would tell of one at a time, and SQLite of none: it takes an unknown name in quotation marks for a text.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from elcano.graphs.text import shorten_text
from elcano.plugins.data.data_answer import QueryFault, SqlQuery
from elcano.plugins.data.databases.database import Database
from elcano.plugins.data.databases.engine import FetchedRows
from elcano.plugins.data.databases.policy import SQLGLOT, Parsed, Refused, names_of, parse_allowed_query, table_key
from elcano.plugins.data.databases.query_size import require_small_query
from elcano.plugins.data.databases.similar_names import find_similar_names
from elcano.plugins.data.tables import (
    EXACT_NOTE,
    READING_NOTE,
    ColumnSchema,
    DatabaseSchema,
    Dialect,
    ResultColumn,
    ResultTable,
    TableSchema,
)

_FOLDING: Final[frozenset[Dialect]] = frozenset({"sqlite", "duckdb"})
_log = logging.getLogger("databases")


class _Fault(NamedTuple):
    name: str
    why: str
    near: tuple[str, ...]


def resolve_query_columns(query: Parsed, schema: DatabaseSchema) -> tuple[ColumnSchema | None, ...]:
    """Return the schema column behind each column of the query's result; None for a computed one.

    Raises:
        Refused: it names columns that its tables do not have, or that several of them have.
    """
    tables = {table.name: table for table in schema.tables if table.name in query.tables}
    try:
        tree = qualify(
            query.tree.copy(),
            schema=MappingSchema(
                _build_sqlglot_schema(tables, schema.dialect), dialect=SQLGLOT[schema.dialect], normalize=False
            ),
            dialect=SQLGLOT[schema.dialect],
            allow_partial_qualification=True,
            validate_qualify_columns=False,
        )
        every = traverse_scope(tree)
        require_small_query(every)
        scopes = [scope for scope in every if isinstance(scope.expression, exp.Select)]
        faults = list(dict.fromkeys(fault for scope in scopes for fault in _find_name_faults(scope, tables, schema)))
    except (SqlglotError, RecursionError) as error:
        text = f"its names cannot be followed: {shorten_text(str(error), 300)}"
        raise Refused(QueryFault(stage="names", message=text)) from None
    if faults:
        raise Refused(_build_names_fault(faults))
    return tuple(_find_origin_column(select, scopes, tables, schema) for select in _list_select_columns(tree))


def _build_names_fault(faults: list[_Fault]) -> QueryFault:
    close = tuple(dict.fromkeys(name for fault in faults for name in fault.near))
    return QueryFault(
        stage="names",
        message=shorten_text("; ".join(fault.why for fault in faults), 1_500),
        unknown=tuple(dict.fromkeys(fault.name for fault in faults))[:50],
        near=close[:50],
    )


def _find_name_faults(scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema) -> Iterator[_Fault]:
    for column in scope.columns:
        if not column.table:
            if column in scope.unqualified_columns:
                yield _build_unqualified_fault(column, scope, tables, schema)
            continue
        columns = _columns_of(column.table, scope, tables, schema)
        if columns is None:
            every = [name for one in _iter_enclosing_scopes(scope) for name in one.sources]
            text = f"there is no table {column.table!r} in this part of the query"
            yield _Fault(f"{column.table}.{column.name}", text, tuple(find_similar_names(column.table, every)))
        elif columns and _fold_name_case(column.name, schema.dialect) not in columns:
            close = find_similar_names(column.name, columns.values()) or _find_similar_columns(column.name, tables)
            yield _build_unknown_fault(column.name, f"{column.table!r} has no column {column.name!r}", close)


def _build_unqualified_fault(
    column: exp.Column, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> _Fault:
    """Return the fault of a column that no table was found for: either none has it, or several do."""
    name = _fold_name_case(column.name, schema.dialect)
    having = [source for source in scope.sources if name in (_columns_of(source, scope, tables, schema) or ())]
    if len(having) > 1:
        options = tuple(f"{source}.{column.name}" for source in having)
        return _Fault(column.name, f"{column.name!r} may be any of {', '.join(options)}: say which", options)
    columns = [one for source in scope.sources for one in (_columns_of(source, scope, tables, schema) or {}).values()]
    close = find_similar_names(column.name, columns) or _find_similar_columns(column.name, tables)
    return _build_unknown_fault(column.name, f"no table of the query has a column {column.name!r}", close)


def _build_unknown_fault(name: str, why: str, close: list[str]) -> _Fault:
    like = f"; names like it: {', '.join(close)}" if close else ""
    return _Fault(name, why + like, tuple(close))


def _find_similar_columns(name: str, tables: Mapping[str, TableSchema]) -> list[str]:
    return find_similar_names(
        name, [f"{table.name}.{column.name}" for table in tables.values() for column in table.columns]
    )


def _columns_of(
    source: str, scope: Scope, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> dict[str, str] | None:
    """Return the columns of the source called `source`, as seen from `scope`, by their folded names.

    Empty: nobody can say. None: nothing is called so.
    """
    for around in _iter_enclosing_scopes(scope):
        found = around.sources.get(source)
        if isinstance(found, exp.Table):
            if (table := _find_table_schema(found, tables, schema)) is None:
                return {}
            return {_fold_name_case(column.name, schema.dialect): column.name for column in table.columns}
        if isinstance(found, Scope):
            outer = (
                found.outer_columns
                or [select.output_name for select in _list_select_columns(found.expression)]
                or ["*"]
            )
            return {} if "*" in outer else {_fold_name_case(name, schema.dialect): name for name in outer}
    return None


def _iter_enclosing_scopes(scope: Scope) -> Iterator[Scope]:
    one: Scope | None = scope
    while one is not None:
        yield one
        one = one.parent


def _list_select_columns(tree: exp.Expr) -> list[exp.Expr]:
    """Return the columns that a query selects; none for anything else, such as VALUES."""
    return tree.selects if isinstance(tree, exp.Query) else []


def _find_origin_column(
    select: exp.Expr, scopes: list[Scope], tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> ColumnSchema | None:
    column = select.unalias()
    if not isinstance(column, exp.Column):
        return None
    for scope in scopes:
        if scope.expression is select.parent:
            found = scope.sources.get(column.table)
            table = _find_table_schema(found, tables, schema) if isinstance(found, exp.Table) else None
            own = _fold_name_case(column.name, schema.dialect)
            return (
                next((one for one in table.columns if _fold_name_case(one.name, schema.dialect) == own), None)
                if table
                else None
            )
    return None


def _find_table_schema(
    found: exp.Table, tables: Mapping[str, TableSchema], schema: DatabaseSchema
) -> TableSchema | None:
    name = names_of(schema).get(table_key(found, schema.dialect))
    return tables.get(name) if name is not None else None


def _build_sqlglot_schema(tables: Mapping[str, TableSchema], dialect: Dialect) -> dict[str, object]:
    """The tables as sqlglot wants them: all with a schema above them if one has, since it knows one depth alone."""
    deep = dialect != "sqlite" and any("." in name for name in tables)  # where a dot is a part of a name
    found: dict[str, dict[str, object]] = {}
    for name, table in tables.items():
        columns: dict[str, object] = {
            _fold_name_case(column.name, dialect): column.type or "text" for column in table.columns
        }
        above, _, bare = name.rpartition(".") if deep else ("", "", name)
        found.setdefault(_fold_name_case(above, dialect), {})[_fold_name_case(bare, dialect)] = columns
    return dict(found) if deep else dict(found.get("", {}))


def _fold_name_case(name: str, dialect: Dialect) -> str:
    return name.lower() if dialect in _FOLDING else name


ROWS = 1_000
"""Default maximum number of rows of a result."""


async def run_query(database: Database, query: SqlQuery, rows: int = ROWS) -> ResultTable | QueryFault:
    """Run a query and return at most `rows` rows, or its fault.

    Raises:
        SourceUnavailable: the database is away, and another try may find it back.
    """
    schema = await database.structure()
    told = await _attempt_query(database, schema, query, rows)
    if isinstance(told, QueryFault) and told.stage in ("names", "database"):
        fresh = await database.structure(fresh=True, anew=told.stage == "database")
        if fresh.hash != schema.hash:
            told = await _attempt_query(database, fresh, query, rows)
            return (
                _explain_schema_change(told, fresh, query)
                if isinstance(told, QueryFault) and told.stage == "names"
                else told
            )
    return told


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
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        schema_hash=schema.hash,
        tables=tuple(sorted(read.tables)),
        notes=tuple(_iter_reading_notes(read, schema)),
    )


def _iter_reading_notes(query: Parsed, schema: DatabaseSchema) -> Iterator[str]:
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


def _parse_and_resolve_query(
    sql: str, schema: DatabaseSchema, rows: int
) -> tuple[Parsed, tuple[ColumnSchema | None, ...]]:
    read = parse_allowed_query(sql, schema, rows)
    return read, resolve_query_columns(read, schema)


def _apply_schema_types(found: FetchedRows, origins: tuple[ColumnSchema | None, ...]) -> tuple[ResultColumn, ...]:
    """The columns with the types of the schema where they are columns of it, and the engine does not know better."""
    if len(origins) != len(found.columns):
        return found.columns
    return tuple(
        column
        if origin is None or (column.type and column.kind != "other")
        else column.model_copy(update={"type": origin.type, "kind": origin.kind})
        for column, origin in zip(found.columns, origins, strict=True)
    )
