"""The process that SQLite runs in: one request, one answer.

Its guards: `mode=ro` and `query_only`, an authorizer that allows to read the tables of the schema and to call the
functions of the list and nothing else, a clock that looks after every few thousand steps, and limits of lengths. That
clock does not tick within one function, so the clock of the process is behind it.
"""

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal
from urllib.parse import quote

from elcano.activities.child_processes import limit_resources
from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.catalog import ColumnRow, KeyRow, TableRow, build_table_schemas
from elcano.subjects.data.databases.engine import (
    Answer,
    FetchedRows,
    Limits,
    Outcome,
    Request,
    not_begun,
    too_large,
    too_slow,
)
from elcano.subjects.data.databases.values import (
    COUNTED_ROWS,
    cell_of,
    fetch_rows_as_cells,
    kind_of_values,
    quote_identifier,
)
from elcano.subjects.data.tables import ResultColumn, TableSchema

STEPS: Final = 5_000
"""Steps of SQLite's virtual machine between two checks of the clock: less than a millisecond."""
LONGEST_VALUE: Final = 1_000_000
"""Bytes of one value at most, also between two functions; SQLite's own is a billion."""
ADDRESS_SPACE: Final = 2_000_000_000
HEAP: Final = 500_000_000
"""Bytes that SQLite may have; what is over it fails."""
BUSY_SECONDS: Final = 2.0
_log = logging.getLogger("databases")
_CALLED: Final = (
    "abs acos acosh asin asinh atan atan2 atanh avg cast ceil ceiling char coalesce concat concat_ws cos cosh count "
    "cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor "
    "format glob group_concat hex ifnull iif instr json json_array json_array_length json_error_position "
    "json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote "
    "json_remove json_replace json_set json_type json_valid julianday lag last_value lead length like likelihood "
    "likely ln log log10 log2 lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank "
    "percentile pi pow power printf quote radians random rank replace round row_number rtrim sign sin sinh soundex "
    "sqrt strftime string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex unicode "
    "unixepoch unlikely upper -> ->>"
)
_FUNCTIONS: Final = frozenset(_CALLED.split())
_OWN: Final = ("sqlite_", "pragma_", "dbstat", "generate_series", "fts5vocab", "bytecode")
_ROW_MAKERS: Final = ("json_each", "json_tree")
"""Functions in place of tables, which read nothing but their arguments."""


_KINDS: Final[Mapping[str, Literal["table", "view"]]] = {"table": "table", "view": "view"}
"""Not those of a module (full text, maps), whose code the guards keep from running, and what it keeps behind them."""
DENSITY_ROWS: Final = 1_000
"""At each end of a large table."""
_ROWS: Final = """
    WITH ends (low, high) AS (SELECT (SELECT min(_rowid_) FROM {table}), (SELECT max(_rowid_) FROM {table})),
    known (number) AS (SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {most} + 1)),
    near (low, high) AS (
        SELECT (SELECT max(at) FROM (SELECT _rowid_ AS at FROM {table} ORDER BY _rowid_ LIMIT {ends})),
               (SELECT min(at) FROM (SELECT _rowid_ AS at FROM {table} ORDER BY _rowid_ DESC LIMIT {ends}))
    )
    SELECT CASE
        WHEN ends.high IS NULL THEN 0
        WHEN ends.high - ends.low < {most} THEN ends.high - ends.low + 1
        WHEN (SELECT number FROM known) <= {most} THEN (SELECT number FROM known)
        ELSE CAST(max({most} + 1.0, 2.0 * {ends} * (ends.high - ends.low + 1.0)
                  / (near.low - ends.low + 1.0 + ends.high - near.high + 1.0)) AS INTEGER)
    END FROM ends, near
"""
"""Rows of a table without counting many: numbers that were given to rows may begin anywhere and leave out any."""
_WHY: Final = {
    sqlite3.SQLITE_BUSY: "a writer has locked it; another attempt may succeed",
    sqlite3.SQLITE_LOCKED: "a writer has locked it; another attempt may succeed",
    sqlite3.SQLITE_NOTADB: "its file is no SQLite database, or an encrypted one",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_IOERR: "its file cannot be read from the disk",
    sqlite3.SQLITE_CANTOPEN: "the worker may not open its file, or not write the files beside it that the mode WAL "
    "needs (-wal, -shm)",
    sqlite3.SQLITE_READONLY: "the worker may not write the files beside it that the mode WAL needs (-wal, -shm): let "
    "it, or leave that mode by PRAGMA journal_mode = DELETE",
}
"""Explanations of SQLite's error codes for operators."""


class _Away(Exception):
    """The file cannot be read."""

    def __init__(self, error: sqlite3.Error) -> None:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        why = _WHY.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
        super().__init__(f"{why}{' ' if why else ''}({name})")


def answer_request(request: Request) -> Answer:
    """The answer to one request."""
    limit_resources(ADDRESS_SPACE)
    try:
        with _open_read_only(request.path) as connection:
            if request.statements:
                connection.set_authorizer(_build_authorizer(request.tables))
                ends = time.monotonic() + request.limits.total_seconds
                return Answer(
                    outcomes=tuple(_run_statement(connection, sql, request.limits, ends) for sql in request.statements)
                )
            return Answer(tables=_read_table_schemas(connection))
    except _Away as away:
        return Answer(away=str(away))


def _read_table_schemas(connection: sqlite3.Connection) -> tuple[TableSchema, ...]:
    """Return tables and views; rows are counted by rowid, in large tables estimated from the density at both ends.

    Each is described by itself: of a view whose tables are gone SQLite knows no columns, and only that one is left out.
    """
    tables: list[TableRow] = []
    columns: list[ColumnRow] = []
    keys: list[KeyRow] = []
    try:
        for schema, name, kind, *_ in sorted(connection.execute("PRAGMA table_list")):
            if schema != "main" or kind not in _KINDS or name.startswith("sqlite_"):
                continue
            try:
                found = connection.execute("SELECT * FROM pragma_table_xinfo(?) WHERE hidden <> 1", [name]).fetchall()
            except sqlite3.OperationalError as error:
                _log.warning("%r cannot be described and is left out: %s", name, error)
                continue
            at = name.lower()
            rows = _estimate_rows(name, connection) if kind == "table" else None
            tables.append(TableRow(at, name, _KINDS[kind], rows=rows))
            columns += [ColumnRow(at, column, written, not required) for _, column, written, required, *_ in found]
            keys.append(KeyRow(at, [row[1] for row in sorted(found, key=itemgetter(5)) if row[5]]))
            keys += _read_foreign_keys(at, connection)
    except sqlite3.Error as error:
        raise _Away(error) from None
    return tuple(build_table_schemas(tables, columns, keys))


def _read_foreign_keys(table: str, connection: sqlite3.Connection) -> Iterator[KeyRow]:
    listed = connection.execute("SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq", [table]).fetchall()
    for _, group in groupby(listed, key=itemgetter(0)):
        parts = list(group)
        referred = [part[4] for part in parts if part[4] is not None]
        yield KeyRow(table, [part[3] for part in parts], parts[0][2].lower(), referred)


def _run_statement(connection: sqlite3.Connection, sql: str, limits: Limits, ends: float) -> Outcome:
    begun = time.monotonic()
    if begun >= ends:
        return not_begun()
    last = min(begun + limits.seconds, ends)
    connection.set_progress_handler(lambda: time.monotonic() > last, STEPS)
    try:
        cursor = connection.execute(sql)
        if cursor.description is None:
            return QueryFault(stage="limits", message="it gives no rows: only queries are run")
        columns = [ResultColumn(name=column[0]) for column in cursor.description]
        found = fetch_rows_as_cells(
            columns, cursor, limits
        )  # row by row: ten thousand of the longest would fill the memory
        cursor.close()
    except sqlite3.Error as error:
        return _build_query_fault(error, limits)
    except MemoryError:
        return too_large()
    return _infer_column_kinds(found)


def _build_query_fault(error: sqlite3.Error, limits: Limits) -> QueryFault:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return too_slow(limits.seconds)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        text = "the database is locked by a writer"
        return QueryFault(stage="limits", message=text, lasting=False)
    if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY):
        return QueryFault(stage="limits", message=f"the database's guards refuse it: {_format_sqlite_error(error)}")
    if code == sqlite3.SQLITE_TOOBIG or "too big" in str(error):
        text = f"a value in it is longer than {LONGEST_VALUE:,} bytes: leave its column out, or ask for its length"
        return QueryFault(stage="limits", message=text)
    if code in (sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL):
        return too_large()
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN):
        raise _Away(error)
    return QueryFault(stage="database", message=_format_sqlite_error(error))


@contextlib.contextmanager
def _open_read_only(path: str) -> Iterator[sqlite3.Connection]:
    try:
        connection = sqlite3.connect(
            f"file:{quote(path)}?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
    except sqlite3.Error as error:
        raise _Away(error) from None
    with contextlib.closing(connection):
        # SQLite does not validate a stored text: invalid UTF-8 shows as replacement characters.
        connection.text_factory = lambda value: value.decode("utf-8", "replace")
        try:
            connection.execute(f"PRAGMA hard_heap_limit = {HEAP}")
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            for name in _ROW_MAKERS:  # the authorizer would refuse to declare their columns
                connection.execute(f"SELECT 1 FROM {name}('[]')").fetchall()
        except sqlite3.Error as error:
            raise _Away(error) from None
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        yield connection


def _build_authorizer(
    tables: frozenset[str] | None,
) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    readable = None if tables is None else {table.lower() for table in tables}

    def allowed(action: int, first: str | None, second: str | None, _: str | None, inner: str | None) -> int:
        match action:
            case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_RECURSIVE:
                return sqlite3.SQLITE_OK
            case sqlite3.SQLITE_FUNCTION if (second or "").lower() in _FUNCTIONS:
                return sqlite3.SQLITE_OK
            case sqlite3.SQLITE_READ if _is_readable_column((first or "").lower(), second or "", inner, readable):
                return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allowed


def _is_readable_column(table: str, column: str, inner: str | None, readable: set[str] | None) -> bool:
    """Whether a column may be read. Of what a WITH defines SQLite asks without a column; of a view's, by its name."""
    if table.startswith(_OWN):
        return False
    return readable is None or not column or table in readable or table in _ROW_MAKERS or bool(inner)


def _estimate_rows(table: str, connection: sqlite3.Connection) -> int | None:
    """How many rows a table has; None: it has no numbers of rows."""
    name = quote_identifier(table)
    try:
        (rows,) = connection.execute(_ROWS.format(table=name, most=COUNTED_ROWS, ends=DENSITY_ROWS)).fetchone()
    except sqlite3.OperationalError:
        return None
    return rows if isinstance(rows, int) else None


def _infer_column_kinds(found: FetchedRows) -> FetchedRows:
    """The columns with what their values are, since SQLite types values, not columns."""
    kinds = [kind_of_values(row[at] for row in found.rows) for at in range(len(found.columns))]
    columns = tuple(column.model_copy(update={"kind": kind}) for column, kind in zip(found.columns, kinds, strict=True))
    return found.model_copy(update={"columns": columns})


def _format_sqlite_error(error: sqlite3.Error) -> str:
    return shorten_text(str(cell_of(str(error), 500)[0]), 500)
