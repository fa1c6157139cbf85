"""A database as a source: rules make a query of what is searched for, and its result is the one passage.

What is searched for is read whole or not at all. Where rules find no query, or the database refuses it, nothing is
found, and a warning says why.
"""

import asyncio
from datetime import UTC, datetime

from elcano.activities.answering.keeping import RESULT_TYPE, as_evidence
from elcano.activities.databases.context import context
from elcano.activities.databases.registry import Databases, named_databases
from elcano.activities.databases.running import run_query
from elcano.activities.offline.sql.writing import Refused, query_for
from elcano.activities.sources.base import Found
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.data.query import QueryFault
from elcano.graphs.data.schema import DatabaseSchema
from elcano.graphs.data.table import ResultTable
from elcano.graphs.errors import SourceRefused
from elcano.settings import Settings
from elcano.storage.store import TenantStore

TABLES = 8
"""That a query is written for at the most, beside those that they refer to."""
ROWS = 200
"""Of a result that is found by searching."""


class DatabaseSource:
    """The tables of one database.

    Args:
        spec: what is known of it.
        databases: all that the settings name.
    """

    def __init__(self, spec: SourceSpec, databases: Databases) -> None:
        self._spec = spec
        self._databases = databases

    @property
    def spec(self) -> SourceSpec:
        """What is known of it everywhere."""
        return self._spec

    async def search(self, query: str, limit: int) -> Found:
        """Refused: its results are kept as tables, so it has to be known where."""
        raise SourceRefused("a database is searched with the store that keeps its results")

    async def search_store(self, store: TenantStore, run_id: str, query: str, limit: int) -> Found:
        """See `SearchesStore`."""
        table = await self._asked(query)
        if isinstance(table, str):
            return Found(warnings=(f"{self._spec.name}: {table}",))
        artifact = await store.artifacts.put(run_id, table.model_dump_json(), RESULT_TYPE)
        passage, text = as_evidence(table, artifact)
        told = f"{self._spec.name}: rules read {query!r} as the query {table.sql}"
        return Found(evidence=(passage,), texts=(text,), warnings=(told,))

    async def tables(self, question: str) -> DatabaseSchema:
        """See `HasTables`."""
        schema = await self._databases.get(self._spec.name).schema()
        return (await asyncio.to_thread(context, schema, question, TABLES)).found

    async def _asked(self, query: str) -> ResultTable | str:
        """What the query of the rules gives, or why there is nothing."""
        database = self._databases.get(self._spec.name)
        tables = await self.tables(query)
        written = await asyncio.to_thread(query_for, query, tables, datetime.now(UTC).date())
        if isinstance(written, Refused):
            return f"no query was made of {query!r}. {written.reason}"
        table = await run_query(database, written, ROWS)
        if isinstance(table, QueryFault):
            return f"the query for {query!r} was not answered. {table.message}"
        return table if table.rows else f"the query for {query!r} gave no row"

    async def close(self) -> None:
        """It has opened nothing: connections are of one query each."""


def open_source(spec: SourceSpec, settings: Settings) -> DatabaseSource:
    """The database of this name."""
    return DatabaseSource(spec, named_databases(settings))
