"""One database, shared by all callers: its schema, cached by hash, and its query results, without blocking.

What tables and columns there are is read anew after a minute, and before a name is reported as unknown. What
is known of values is kept for an hour under the hash of the schema. A call that is given up stops its statement.

Infers undeclared foreign keys from names and types: `orders.customer_id` is the id of `customers`.

A guess is marked as one (`declared=False`). It takes a column whose name has the other table's in it, and a column
there that can be meant: the primary key, or without one `id` or a column of the same name.
"""

import asyncio
import difflib
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import unquote

from elcano.activities.child_processes import Stop
from elcano.graphs.errors import SourceRefused
from elcano.settings.settings import Settings
from elcano.storage.threads import Threads
from elcano.subjects.data.databases.engine import Duckdb, Engine, Files, Limits, Outcome, Sqlite
from elcano.subjects.data.databases.similar_names import words_of
from elcano.subjects.data.databases.values import LIMITS, build_value_queries, with_values
from elcano.subjects.data.tables import ColumnSchema, DatabaseSchema, ForeignKey, TableSchema, dialect_of

_ENDINGS: Final = frozenset({"id", "key", "code", "no", "number", "nr", "fk"})


def with_guessed_keys(tables: Iterable[TableSchema]) -> tuple[TableSchema, ...]:
    """Return the tables with inferred foreign keys after their declared ones."""
    listed = tuple(tables)
    by_word: dict[str, list[TableSchema]] = {}
    for table in listed:
        if table.kind == "table":
            for form in _list_name_forms(table.name.rpartition(".")[2]):
                by_word.setdefault(form, []).append(table)
    return tuple(_guess_table_keys(table, by_word) for table in listed)


def _guess_table_keys(table: TableSchema, by_word: Mapping[str, list[TableSchema]]) -> TableSchema:
    declared = {column for key in table.foreign_keys for column in key.columns}
    found = [
        key
        for column in table.columns
        if column.name not in declared and (column.name,) != table.primary_key
        for key in _guess_column_key(column, table, by_word)
    ]
    return table.model_copy(update={"foreign_keys": (*table.foreign_keys, *found)}) if found else table


def _guess_column_key(
    column: ColumnSchema, table: TableSchema, by_word: Mapping[str, list[TableSchema]]
) -> Iterable[ForeignKey]:
    """At most one key: a column that may belong to two tables belongs to none."""
    words = words_of(column.name)
    stem = "".join(words[:-1] if len(words) > 1 and words[-1] in _ENDINGS else words)
    if len(words) == 1 and stem.endswith("id") and len(stem) > 4:  # `customerid`
        stem = stem[:-2]
    elif len(words) == 1 or words[-1] not in _ENDINGS:
        return ()
    targets = [
        (other, meant)
        for other in by_word.get(stem, ())
        if other.name != table.name and (meant := _find_referred_column(column, other)) is not None
    ]
    if len(targets) != 1:
        return ()
    ((other, meant),) = targets
    return (ForeignKey(columns=(column.name,), table=other.name, referred=(meant,), declared=False),)


def _find_referred_column(column: ColumnSchema, other: TableSchema) -> str | None:
    """The column of the other table that is meant, if it has values of the same kind."""
    by_name = {one.name.lower(): one for one in other.columns}
    if len(other.primary_key) == 1:
        wanted = by_name.get(other.primary_key[0].lower())
    elif other.primary_key:
        return None
    else:
        wanted = by_name.get("id") or by_name.get(column.name.lower())
    return wanted.name if wanted is not None and wanted.kind == column.kind != "other" else None


def _list_name_forms(name: str) -> set[str]:
    """A table's name as columns may have it: together, and in the singular."""
    together = "".join(words_of(name))
    forms = {together}
    if together.endswith("ies"):
        forms.add(f"{together[:-3]}y")
    if together.endswith("es"):
        forms.add(together[:-2])
    if together.endswith("s"):
        forms.add(together[:-1])
    return forms


STRUCTURE_SECONDS: Final = 60.0
VALUES_SECONDS: Final = 3_600.0
SIDE_BY_SIDE: Final = 4
"""Statements of one worker in one database at once; more wait."""
Found = TypeVar("Found")


class Database:
    """A database that the operator named.

    Args:
        engine: how it is asked.
        samples: whether values may be shown with its schema.
        seconds: how long a statement may take.
        trusted: seconds for which what was just read is taken for fresh.
    """

    def __init__(self, engine: Engine, *, samples: bool = True, seconds: float = 10.0, trusted: float = 2.0) -> None:
        self.engine = engine
        self._samples = samples
        self._seconds = seconds
        self._trusted = trusted
        self._structure: tuple[float, DatabaseSchema] | None = None
        self._values: tuple[float, DatabaseSchema] | None = None
        self._reading = asyncio.Lock()
        self._threads = Threads(f"database-{engine.name}", SIDE_BY_SIDE)

    async def structure(self, *, fresh: bool = False, anew: bool = False) -> DatabaseSchema:
        """Tables, columns and keys, guessed ones too; no values.

        Args:
            fresh: not one of a minute ago.
            anew: not even one of just now, because the database itself says something else.

        Raises:
            SourceUnavailable: the database is away.
        """
        longest = 0.0 if anew else self._trusted if fresh else STRUCTURE_SECONDS
        if self._structure is not None and time.monotonic() - self._structure[0] < longest:
            return self._structure[1]
        tables = await self._asked(self.engine.structure)
        found = DatabaseSchema(
            database=self.engine.name,
            dialect=self.engine.dialect,
            tables=with_guessed_keys(tables),
            hash=schema_hash(tables),
        )
        self._structure = (time.monotonic(), found)
        return found

    async def schema(self) -> DatabaseSchema:
        """The same with counts, and with values if they may be shown.

        Raises:
            SourceUnavailable: the database is away.
        """
        async with self._reading:
            structure = await self.structure()
            if self._values is not None:
                at, known = self._values
                if known.hash == structure.hash and time.monotonic() - at < VALUES_SECONDS:
                    return known
            tables = structure.tables
            asked = build_value_queries(tables, structure.dialect, samples=self._samples)
            if asked:
                outcomes = await self._asked(lambda stop: self.engine.run(asked, LIMITS, stop))
                tables = tuple(with_values(tables, outcomes, structure.dialect))
            found = structure.model_copy(update={"tables": tables})
            self._values = (time.monotonic(), found)
            return found

    async def run(self, sql: str, rows: int, tables: frozenset[str] | None = None) -> Outcome:
        """Run one statement and return at most `rows` rows.

        Raises:
            SourceUnavailable: the database is away.
        """
        limits = Limits(seconds=self._seconds, rows=rows)
        (outcome,) = await self._asked(lambda stop: self.engine.run([sql], limits, stop, tables))
        return outcome

    async def _asked(self, work: Callable[[Stop], Found]) -> Found:
        """Run `work` in a thread; if the caller is cancelled, stop the statement and wait for its end."""
        stop = Stop()
        working = asyncio.ensure_future(self._threads.run(_unless_stopped, work, stop))
        try:
            found = await asyncio.shield(working)
        except asyncio.CancelledError:
            await asyncio.to_thread(stop.now)
            await asyncio.wait([working])
            if not working.cancelled():
                working.exception()  # looked at, so that asyncio does not report it later
            raise
        if found is None:
            raise asyncio.CancelledError
        return found


def _unless_stopped(work: Callable[[Stop], Found], stop: Stop) -> Found | None:
    """Return the result of `work`; None if it was given up while it waited for a thread."""
    return None if stop.asked else work(stop)


def schema_hash(tables: tuple[TableSchema, ...]) -> str:
    """SHA-256 over names, types and declared keys, hexadecimal."""
    facts = [
        [
            table.name,
            table.kind,
            [[column.name, column.type, column.nullable] for column in table.columns],
            table.primary_key,
            [[key.columns, key.table, key.referred] for key in table.foreign_keys if key.declared],
        ]
        for table in sorted(tables, key=lambda table: table.name)
    ]
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()


class Databases:
    """The databases that can be queried here.

    Args:
        databases: the databases by name.
        refused: why named databases cannot be used here.
    """

    def __init__(self, databases: Mapping[str, Database], refused: Mapping[str, str] | None = None) -> None:
        self._databases = dict(databases)
        self._refused = dict(refused or {})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the usable databases, in the order of the settings."""
        return tuple(self._databases)

    def get(self, name: str) -> Database:
        """The database called `name`.

        Raises:
            SourceRefused: there is none, or it cannot be used here; the text says what to do.
        """
        found = self._databases.get(name)
        if found is not None:
            return found
        if (why := self._refused.get(name)) is not None:
            raise SourceRefused(why)
        if not self._databases:
            raise SourceRefused(f"there is no database {name!r}, nor any other: name one in ELCANO_DATABASES")
        close = difflib.get_close_matches(name, self._databases, n=1)
        guess = f"; did you mean {close[0]!r}?" if close else ""
        raise SourceRefused(f"there is no database {name!r}; there are: {', '.join(self._databases)}{guess}")


def open_databases(settings: Settings) -> Databases:
    """Every database of the settings, none of them opened yet."""
    found: dict[str, Database] = {}
    refused: dict[str, str] = {}
    for name, address in settings.databases.items():
        try:
            engine = engine_of(name, address, settings.data_dir / "databases")
        except SourceRefused as error:
            refused[name] = str(error)
            continue
        found[name] = Database(engine, samples=settings.database_samples, seconds=settings.database_seconds)
    return Databases(found, refused)


def engine_of(name: str, address: str, folder: Path) -> Engine:
    """Return the engine of the database at an address.

    Args:
        name: as the operator called it.
        address: as `ELCANO_DATABASES` has it.
        folder: where copies of files are kept.

    Raises:
        SourceRefused: this worker lacks a library for it.
    """
    dialect = dialect_of(address)
    if dialect == "postgresql":
        from elcano.subjects.data.databases.postgresql import Postgresql  # its driver, which others do without

        return Postgresql(name, address)
    scheme, found, rest = address.partition("://")
    if not found:
        return Files(name, Path(scheme), folder)
    place = Path(unquote(rest.partition("?")[0].removeprefix("/")))
    return Sqlite(name, place) if dialect == "sqlite" else Duckdb(name, place)
