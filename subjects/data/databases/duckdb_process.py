"""The process that DuckDB runs in: one request, one answer.

Its guards: `read_only`, no access to files or networks, no extensions, no names of Python's variables, no spilling to
disk, a configuration that is locked; a clock that interrupts, and behind it that of the process.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import duckdb

from elcano.activities.child_processes import limit_resources
from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.catalog import ColumnRow, KeyRow, TableRow, build_table_schemas
from elcano.subjects.data.databases.duckdb_loading import load_files_into_duckdb
from elcano.subjects.data.databases.engine import Answer, Outcome, Request, not_begun, too_slow
from elcano.subjects.data.databases.values import fetch_rows_as_cells, kind_of
from elcano.subjects.data.tables import ResultColumn, TableSchema

MEMORY: Final = "1GB"
ADDRESS_SPACE: Final = 6_000_000_000
"""Bytes; its own limit does not count the texts that functions make."""
THREADS: Final = 2
PORTION: Final = 500
"""Rows that are fetched at once."""
_CONFIGURATION: Final = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "memory_limit": MEMORY,
    "threads": str(THREADS),
}
_WHY: Final = {
    "not a valid DuckDB": "its file is no DuckDB database",
    "version number": "its file is of another version of DuckDB than the worker's",
    "lock": "another process writes to it",
    "Permission denied": "the worker may not open its file",
}
"""Explanations of DuckDB's errors about files that it cannot open."""
_QUERIES: Final = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
"""`MULTI` is PIVOT without its values: they are looked up first, and kept as a temporary type."""
_SHORT: Final = (
    "BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT DOUBLE"
)
_PLAIN: Final = frozenset(_SHORT.split())
"""Types whose values are short and whole in Python; of all others the beginning of their text is read."""
_TABLES: Final = """
    SELECT (schema_name, table_name), schema_name, table_name, 'table', comment, estimated_size FROM duckdb_tables()
    WHERE NOT internal AND NOT temporary AND database_name = current_database()
    UNION ALL SELECT (schema_name, view_name), schema_name, view_name, 'view', comment, NULL FROM duckdb_views()
    WHERE NOT internal AND NOT temporary AND database_name = current_database()
"""
_COLUMNS: Final = """
    SELECT (schema_name, table_name), column_name, data_type, is_nullable, comment FROM duckdb_columns()
    WHERE NOT internal AND database_name = current_database() ORDER BY column_index
"""
_KEYS: Final = """
    SELECT (schema_name, table_name), constraint_column_names,
           CASE constraint_type WHEN 'FOREIGN KEY' THEN (schema_name, referenced_table) END, referenced_column_names
    FROM duckdb_constraints() WHERE database_name = current_database()
    AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
"""


def answer_request(request: Request) -> Answer:
    """The answer to one request."""
    limit_resources(ADDRESS_SPACE, writes=bool(request.files))
    try:
        if request.files:
            load_files_into_duckdb(request.path, request.files)
            return Answer()
        with duckdb.connect(request.path, read_only=True, config=dict(_CONFIGURATION)) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET lock_configuration = true")
            if not request.statements:
                return Answer(tables=tuple(_read_table_schemas(connection)))
            return Answer(outcomes=tuple(_run_statements(connection, request)))
    except duckdb.IOException as error:  # it names the file, which is no one's business
        return Answer(away=next((why for word, why in _WHY.items() if word in str(error)), "its file cannot be read"))
    except (duckdb.Error, ValueError, OSError) as error:
        return Answer(away=_format_duckdb_error(error, request))
    except MemoryError:
        return Answer(away="it needs more memory than it may have")


def _run_statements(connection: duckdb.DuckDBPyConnection, request: Request) -> Iterator[Outcome]:
    ends = time.monotonic() + request.limits.total_seconds
    for sql in request.statements:
        left = min(request.limits.seconds, ends - time.monotonic())
        yield _run_statement(connection, sql, left, request) if left > 0 else not_begun()


def _run_statement(connection: duckdb.DuckDBPyConnection, sql: str, seconds: float, request: Request) -> Outcome:
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in _QUERIES:
            return QueryFault(stage="limits", message="it is not one query: only queries are run")
        described = connection.sql(sql)
        types = [str(kind) for kind in described.types]
        columns = [
            ResultColumn(name=name, type=kind, kind=kind_of(kind))
            for name, kind in zip(described.columns, types, strict=True)
        ]
        result = connection.execute(_wrap_with_length_limit(sql, types, request.limits.cell))
        return fetch_rows_as_cells(columns, _iter_result_rows(result), request.limits)
    except duckdb.InterruptException:
        return too_slow(request.limits.seconds)
    except (duckdb.OutOfMemoryException, MemoryError):
        return QueryFault(stage="limits", message=f"it needs more memory than {MEMORY}: ask for less at once")
    except duckdb.PermissionException:
        return QueryFault(stage="limits", message="the database's guards refuse it: no files and no networks")
    except duckdb.Error as error:
        return QueryFault(stage="database", message=_format_duckdb_error(error, request))
    finally:
        timer.cancel()


def _iter_result_rows(result: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Any]]:
    while portion := result.fetchmany(PORTION):
        yield from portion


def _wrap_with_length_limit(sql: str, types: Sequence[str], longest: int) -> str:
    """The query with every value that may be long cut by DuckDB, one character after what may be read."""
    shown = [
        f"c{at}" if kind in _PLAIN else f"left(CAST(c{at} AS VARCHAR), {longest + 1})" for at, kind in enumerate(types)
    ]
    names = ", ".join(f"c{at}" for at in range(len(types)))
    return f"SELECT {', '.join(shown)} FROM ({sql}\n) AS answer ({names})"


def _read_table_schemas(connection: duckdb.DuckDBPyConnection) -> Iterator[TableSchema]:
    found = sorted(connection.execute(_TABLES).fetchall(), key=lambda row: (row[1] != "main", row[1], row[2]))
    tables = [
        TableRow(at, table if schema == "main" else f"{schema}.{table}", kind, comment, rows)
        for at, schema, table, kind, comment, rows in found
        if "." not in schema + table
    ]
    columns = map(ColumnRow._make, [(*row, False) for row in connection.execute(_COLUMNS).fetchall()])
    return build_table_schemas(tables, columns, map(KeyRow._make, connection.execute(_KEYS).fetchall()))


def _format_duckdb_error(error: Exception, request: Request) -> str:
    """Format DuckDB's error, its first paragraph, without the places of files."""
    text = str(error).split("\n\n")[0]
    for place in (request.path, *(one.path for one in request.files)):
        text = text.replace(place, "its file")
    return shorten_text(" ".join(text.split()), 2_000 if request.files else 800)
