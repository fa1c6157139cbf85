"""One database, shared by all callers: its schema, cached by hash, and its query results, without blocking.

What tables and columns there are is read anew after a minute, and before anybody is told that a name is unknown. What
is known of values is kept for an hour under the hash of the schema. A call that is given up stops its statement.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from typing import Final, TypeVar

from elcano.activities.databases import values
from elcano.activities.databases.engine import Engine, Limits, Outcome, Stop
from elcano.activities.databases.guessed_keys import with_guessed_keys
from elcano.graphs.data.schema import DatabaseSchema, TableSchema
from elcano.storage.threads import Threads

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
            asked = values.build_value_queries(tables, structure.dialect, samples=self._samples)
            if asked:
                outcomes = await self._asked(lambda stop: self.engine.run(asked, values.LIMITS, stop))
                tables = tuple(values.with_values(tables, outcomes, structure.dialect))
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
        """What `work` gives, in a thread; if the caller is cancelled, the statement is stopped and waited for."""
        stop = Stop()
        working = asyncio.ensure_future(self._threads.run(_unless_stopped, work, stop))
        try:
            found = await asyncio.shield(working)
        except asyncio.CancelledError:
            await asyncio.to_thread(stop.now)
            await asyncio.wait([working])
            if not working.cancelled():
                working.exception()  # looked at, so that nobody is told of it later
            raise
        if found is None:
            raise asyncio.CancelledError
        return found


def _unless_stopped(work: Callable[[Stop], Found], stop: Stop) -> Found | None:
    """What `work` gives; None if it was given up while it waited for a thread."""
    return None if stop.asked else work(stop)


def schema_hash(tables: tuple[TableSchema, ...]) -> str:
    """SHA-256 over names, types and declared keys, hexadecimal."""
    told = [
        [
            table.name,
            table.kind,
            [[column.name, column.type, column.nullable] for column in table.columns],
            table.primary_key,
            [[key.columns, key.table, key.referred] for key in table.foreign_keys if key.declared],
        ]
        for table in sorted(tables, key=lambda table: table.name)
    ]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
