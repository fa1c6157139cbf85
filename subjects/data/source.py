"""A database as a source: what is searched for is answered if it is a saved question, by the query that was saved.

The result is the one passage. Where no saved question fits, or the database refuses its query, nothing is found, and a
warning says why.
"""

import asyncio

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.graphs.frozen import JsonObject
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore
from elcano.subjects.data.data_answer import QueryFault, SqlQuery
from elcano.subjects.data.databases.database import Databases, open_databases
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.databases.question_context import SqlExamples, select_schema_context
from elcano.subjects.data.query_models import MOST_EXAMPLES, SqlExamplesInput
from elcano.subjects.data.results import RESULT_TYPE, as_evidence
from elcano.subjects.data.tables import ResultTable, named_alone

TABLES = 8
"""Maximum number of tables that a question is about, besides those that they refer to."""
ROWS = 200
"""Maximum number of rows of a result that is found by searching."""


class DatabaseSource:
    """The tables of one database.

    Args:
        spec: what is known of it.
        databases: all that the settings name.
        examples: their saved questions.
    """

    def __init__(self, spec: SourceSpec, databases: Databases, examples: SqlExamples) -> None:
        self.spec = spec
        self._databases = databases
        self._examples = examples

    async def search(self, query: str, limit: int) -> SearchResults:
        """Refused: its results are kept as tables, so it has to be known where."""
        raise SourceRefused("a database is searched with the store that keeps its results")

    async def search_store(self, store: TenantStore, run_id: str, query: str, limit: int) -> SearchResults:
        """See `SearchesStore`."""
        table = await self._ask(query)
        if isinstance(table, str):
            return SearchResults(warnings=(f"{self.spec.name}: {table}",))
        artifact = await store.artifacts.put(run_id, table.model_dump_json(), RESULT_TYPE)
        passage, text = as_evidence(table, artifact)
        warning = f"{self.spec.name}: {query!r} is a saved question, whose query is {table.sql}"
        return SearchResults(evidence=(passage,), texts=(text,), warnings=(warning,))

    async def tables(self, question: str) -> JsonObject:
        """See `HasTables`."""
        schema = await self._databases.get(self.spec.name).schema()
        found = (await asyncio.to_thread(select_schema_context, schema, question, TABLES)).found
        return named_alone(found).model_dump(mode="json", exclude_defaults=True)

    async def saved_questions(self, question: str) -> tuple[str, ...]:
        """See `HasTables`."""
        given = SqlExamplesInput(database=self.spec.name, question=question, limit=MOST_EXAMPLES)
        return tuple(one.question for one in (await self._examples.like(given)).examples)

    async def _ask(self, query: str) -> ResultTable | str:
        """Return the result of the saved query, or why there is none."""
        try:
            saved = await self._examples.find(self.spec.name, query)
        except InputInvalid as error:
            return str(error)
        if saved is None:
            return f"{query!r} is no saved question of this database"
        database = self._databases.get(self.spec.name)
        written = SqlQuery(database=self.spec.name, dialect=database.engine.dialect, sql=saved.sql)
        table = await run_query(database, written, ROWS)
        if isinstance(table, QueryFault):
            return f"the query for {query!r} was not answered. {table.message}"
        return table if table.rows else f"the query for {query!r} gave no row"

    async def close(self) -> None:
        """It has opened nothing: connections are of one query each."""


def open_source(spec: SourceSpec, settings: Settings) -> DatabaseSource:
    """The database of this name."""
    return DatabaseSource(spec, open_databases(settings), SqlExamples(settings.database_examples))
