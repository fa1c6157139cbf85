"""PostgreSQL, in the role that the operator's URL names, which should be allowed to read and nothing else.

Its guards: one statement at a time, by the extended protocol; a transaction that is read-only and always rolled back;
timeouts of the statement and of waiting for locks; little memory for sorting, with what does not fit on the disk; rows
that come in small portions; long values cut by the server before they travel. A server that heeds no cancellation is
hung up on, so no thread waits for it. What its driver says of a connection names hosts and users: none is passed on.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final, NoReturn

import psycopg
from psycopg import errors, pq, sql
from psycopg.types.string import TextLoader

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.text import shorten_text
from elcano.subjects.data.data_answer import QueryFault
from elcano.subjects.data.databases.catalog import ColumnRow, KeyRow, TableRow, build_table_schemas
from elcano.subjects.data.databases.engine import Limits, Outcome, not_begun, too_slow
from elcano.subjects.data.databases.values import fetch_rows_as_cells, kind_of
from elcano.subjects.data.tables import Dialect, ResultColumn, TableSchema

CONNECT_SECONDS: Final = 5
LOCK_SECONDS: Final = 2
GRACE_SECONDS: Final = 2.0
"""Time after which a statement that the server did not stop by itself is cancelled."""
PORTION: Final = 100
"""Rows that travel at once."""
_SESSION: Final = {
    "lock_timeout": str(LOCK_SECONDS * 1_000),
    "work_mem": "'16MB'",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "TIME ZONE": "'UTC'",
    "DateStyle": "'ISO'",
}
"""Settings of each transaction that any role may set. One server process works for it, with known memory."""
_OPTIONS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "application_name": "elcano",
}
"""A server that is gone without a word is noticed after a dozen seconds."""
_PLAIN: Final = frozenset({"bool", "int2", "int4", "int8", "float4", "float8", "numeric", "oid", "date", "uuid"})
"""Types whose values are short; of all others the server is asked for the beginning of their text."""
_AWAY: Final = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.TooManyConnections,
    errors.IdleSessionTimeout,
    errors.IdleInTransactionSessionTimeout,
    errors.OutOfMemory,
    errors.DiskFull,
)
_WORDS: Final[tuple[tuple[type[psycopg.Error], str], ...]] = (
    (errors.AdminShutdown, "its server is shutting down, or the connection was terminated"),
    (errors.CrashShutdown, "its server stops after a crash"),
    (errors.CannotConnectNow, "its server starts or stops at the moment"),
    (errors.TooManyConnections, "its server has no connection free"),
    (errors.InsufficientPrivilege, "its role may not read what tells of tables"),
)
"""Explanations of server errors for the user."""
_TABLES: Final = """
    SELECT c.oid, n.nspname, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END,
           pg_catalog.obj_description(c.oid, 'pg_class'),
           CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END, n.nspname = pg_catalog.current_schema()
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname <> 'information_schema' AND NOT pg_catalog.starts_with(n.nspname, 'pg_')
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
        OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
    ORDER BY n.nspname IS DISTINCT FROM pg_catalog.current_schema(), n.nspname, c.relname
"""
"""Not partitions, which are read as their table. Rows of -1: the server has not counted yet."""
_COLUMNS: Final = """
    SELECT a.attrelid, a.attname::text, CASE WHEN b.oid IS NULL
           THEN pg_catalog.format_type(t.oid, a.atttypmod) ELSE pg_catalog.format_type(b.oid, t.typtypmod) END,
           NOT a.attnotnull, pg_catalog.col_description(a.attrelid, a.attnum), coalesce(b.typtype, t.typtype) = 'e'
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
    WHERE a.attrelid = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
"""A domain has the type that it is made of: its own name may be anything."""
_KEYS: Final = """
    SELECT k.conrelid, ARRAY (
        SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number ORDER BY u.place
    ), nullif(k.confrelid::bigint, 0), ARRAY (
        SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number ORDER BY u.place
    ) FROM pg_catalog.pg_constraint k WHERE k.conrelid = ANY (%s) AND k.contype IN ('p', 'f') ORDER BY k.conname
"""


class Postgresql:
    """One database of a server.

    Args:
        name: as the operator called it.
        url: `postgresql://user:password@host/database`; the password may be in `PGPASSWORD`.
    """

    dialect: Dialect = "postgresql"

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self._url = url

    def structure(self, stop: Stop) -> tuple[TableSchema, ...]:
        """Tables and views that the role may read; rows as the server's statistics estimate them."""
        with self._opened(stop) as connection:
            try:
                tables = [
                    TableRow(at, table if own else f"{schema}.{table}", kind, comment, rows)
                    for at, schema, table, kind, comment, rows, own in connection.execute(_TABLES).fetchall()
                    if "." not in schema + table
                ]
                which = [[table.id for table in tables]]
                columns = map(ColumnRow._make, connection.execute(_COLUMNS, which).fetchall())
                keys = map(KeyRow._make, connection.execute(_KEYS, which).fetchall())
                return tuple(build_table_schemas(tables, columns, keys))
            except psycopg.Error as error:
                self._away(error)

    def run(
        self, statements: Sequence[str], limits: Limits, stop: Stop, tables: frozenset[str] | None = None
    ) -> list[Outcome]:
        """Run each statement; see `Engine`. Which tables may be read is the role's affair."""
        ends = time.monotonic() + limits.total_seconds
        with self._opened(stop) as connection:
            return [self._one(connection, one, limits, ends) for one in statements]

    def _one(self, connection: psycopg.Connection[Any], statement: str, limits: Limits, ends: float) -> Outcome:
        left = min(limits.seconds, ends - time.monotonic())
        if left <= 0 or connection.closed:
            return not_begun()
        ending = _Ending(connection, left + GRACE_SECONDS)
        try:
            with connection.transaction(force_rollback=True):
                connection.execute("SET TRANSACTION READ ONLY")
                connection.execute(f"SET LOCAL statement_timeout = {max(1, round(left * 1_000))}")
                for name, value in _SESSION.items():
                    connection.execute(f"SET LOCAL {name} {'' if name == 'TIME ZONE' else '= '}{value}")
                return _run_statement(connection, statement, limits)
        except errors.QueryCanceled:
            return too_slow(limits.seconds)
        except errors.LockNotAvailable:
            return QueryFault(stage="limits", message="another session has locked a table that it reads", lasting=False)
        except (errors.ReadOnlySqlTransaction, errors.ActiveSqlTransaction) as error:
            return QueryFault(stage="limits", message=f"the database's guards refuse it: {_format_server_error(error)}")
        except _AWAY as error:
            self._away(error)
        except psycopg.Error as error:
            if ending.hung_up:
                return too_slow(limits.seconds)
            if connection.closed or connection.broken or error.sqlstate is None:
                self._away(error)
            return QueryFault(stage="database", message=_format_server_error(error))
        finally:
            ending.call_off()

    @contextlib.contextmanager
    def _opened(self, stop: Stop) -> Iterator[psycopg.Connection[Any]]:
        try:
            connection = psycopg.connect(self._url, autocommit=True, **_OPTIONS)
        except psycopg.Error as error:
            self._away(error, opening=True)
        with contextlib.closing(connection):
            # Numbers and moments as the server writes them: Python's own have no year 10000 and no infinity.
            for moment in ("date", "timestamp", "timestamptz", "time", "timetz", "interval"):
                connection.adapters.register_loader(moment, TextLoader)
            stop.by(lambda: _Ending(connection, 0))
            try:
                yield connection
            finally:
                stop.by(None)

    def _away(self, error: psycopg.Error, *, opening: bool = False) -> NoReturn:
        """Raises that the database is away, by the kind of what happened: the driver's words may name its address."""
        state = error.sqlstate or ""
        why = "it does not answer" if opening else "the connection to it was lost"
        if state.startswith("28") or "authentication" in str(error):
            why = "it refuses the role or its password"
        elif state.startswith("3D") or " does not exist" in str(error):
            why = "its server has no such database or role"
        elif state:
            reason = next((words for kind, words in _WORDS if isinstance(error, kind)), "")
            why = f"{reason}{' ' if reason else ''}({type(error).__name__}, SQLSTATE {state})"
        what = "opened" if opening else "read"
        raise SourceUnavailable(f"the database {self.name!r} cannot be {what}: {why}") from None


def _run_statement(connection: psycopg.Connection[Any], statement: str, limits: Limits) -> Outcome:
    described = _describe_columns(connection, statement)
    if not described:
        return QueryFault(stage="limits", message="it gives no rows: only queries are run")
    with connection.cursor(name="elcano", scrollable=False) as cursor:
        cursor.itersize = PORTION
        cursor.execute(_wrap_with_length_limit(statement, [kind for _, kind in described], limits.cell))
        columns = [ResultColumn(name=name, type=kind, kind=kind_of(kind)) for name, kind in described]
        return fetch_rows_as_cells(columns, cursor, limits)


def _describe_columns(connection: psycopg.Connection[Any], statement: str) -> list[tuple[str, str]]:
    """Names and types of the columns that a statement gives, without running it; it has to be one statement."""
    low = connection.pgconn
    for result in (low.prepare(b"", statement.encode()), low.describe_prepared(b"")):
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(result)
    found = []
    for at in range(result.nfields):
        kind = connection.adapters.types.get(result.ftype(at))
        many = kind is not None and result.ftype(at) == kind.array_oid
        found.append(((result.fname(at) or b"").decode(), f"{kind.name if kind else 'other'}{'[]' * many}"))
    return found


def _wrap_with_length_limit(statement: str, kinds: Sequence[str], longest: int) -> sql.Composed:
    """The statement with every value that may be long cut by the server, one character after what may be read."""
    names = [sql.Identifier(f"c{at}") for at in range(len(kinds))]
    shown = [_select_bounded_value(name, kind, longest) for name, kind in zip(names, kinds, strict=True)]
    return sql.SQL("SELECT {} FROM ({}\n) AS answer ({})").format(
        sql.SQL(", ").join(shown),
        sql.SQL(statement),
        sql.SQL(", ").join(names),
    )


def _select_bounded_value(name: sql.Identifier, kind: str, longest: int) -> sql.Composable:
    if kind in _PLAIN:
        return name
    if kind == "money":  # written with the sign of whatever currency the server is set to, it would be no number
        return sql.SQL("{}::numeric").format(name)
    return sql.SQL("left({}::text, {})").format(name, sql.Literal(longest + 1))


class _Ending:
    """Ends a connection's work on the server: cancels it, and hangs up if the server ignores that.

    Args:
        connection: that someone waits at, in another thread.
        seconds: until it is cancelled.
    """

    def __init__(self, connection: psycopg.Connection[Any], seconds: float) -> None:
        self.hung_up = False
        self._connection = connection
        self._timers = (
            threading.Timer(seconds, self._cancel),
            threading.Timer(seconds + GRACE_SECONDS, self._hang_up),
        )
        for timer in self._timers:
            timer.daemon = True
            timer.start()

    def call_off(self) -> None:
        """Does nothing of what has not been done."""
        for timer in self._timers:
            timer.cancel()

    def _cancel(self) -> None:
        with contextlib.suppress(psycopg.Error):  # it is over already, or its server is
            self._connection.cancel_safe(timeout=CONNECT_SECONDS)

    def _hang_up(self) -> None:
        with contextlib.suppress(psycopg.Error, OSError):  # it is closed already
            self.hung_up = True
            with socket.socket(fileno=os.dup(self._connection.fileno())) as low:
                low.shutdown(socket.SHUT_RDWR)


def _format_server_error(error: psycopg.Error) -> str:
    """Format the server's message and hint about a statement, never anything about the connection."""
    parts = (error.diag.message_primary, error.diag.message_detail, error.diag.message_hint)
    return shorten_text("; ".join(part for part in parts if part) or type(error).__name__, 800)
