"""The database tools `schema_context` and `execute_sql`. Results are stored as table and as text, then summarised.

The text of a result is evidence like any passage, with a line for each row. A query that cannot be run is
answered with its fault; only a database that is away is a failure.
"""

import asyncio
from contextlib import suppress
from hashlib import sha256

from temporalio import activity

from elcano.activities.results.result_store import RESULT_TYPE, store_result_table
from elcano.activities.tools.evidence_reference import build_evidence_ref
from elcano.activities.tools.tool_work import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.graphs.report.data_answer import QueryFault
from elcano.graphs.report.tables import ResultTable
from elcano.plugins.data.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
)
from elcano.plugins.data.databases.context import select_schema_context
from elcano.plugins.data.databases.examples import open_examples
from elcano.plugins.data.databases.query_runner import run_query
from elcano.plugins.data.databases.registry import open_databases
from elcano.storage.store import TenantStore


async def read_schema_context(work: ToolWork, given: SchemaContextInput) -> SchemaContextOutput:
    """The tables of a database that a question is about, and whether it is one of the saved questions.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    schema = await work.services.get(open_databases).get(given.database).schema()
    found = await asyncio.to_thread(select_schema_context, schema, given.question, given.tables)
    with suppress(InputInvalid):  # `find_sql_examples` says what is wrong with them
        example = await work.services.get(open_examples).find(given.database, given.question)
        return found.model_copy(update={"saved": example is not None})
    return found


async def find_sql_examples(work: ToolWork, given: SqlExamplesInput) -> SqlExamplesOutput:
    """The saved questions that are like the question.

    Raises:
        InputInvalid: the file of the database cannot be used; the text names its lines.
    """
    return await work.services.get(open_examples).like(given)


async def execute_sql(work: ToolWork, given: ExecuteSqlInput) -> ExecuteSqlOutput:
    """Run a query and return the digest of its result, which is stored first, or the query's fault.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    store, run_id = work.store, work.run_id
    database = work.services.get(open_databases).get(given.query.database)
    found = await run_query(database, given.query, given.rows)
    if isinstance(found, QueryFault):
        return ExecuteSqlOutput(fault=found)
    digest = await store_result_table(store, run_id, await _keep_first_attempt_result(store, run_id, found))
    kept = await store.evidence.get([digest.evidence])
    return ExecuteSqlOutput(result=digest, evidence=tuple(map(build_evidence_ref, kept)))


async def _keep_first_attempt_result(store: TenantStore, run_id: str, found: ResultTable) -> ResultTable:
    """Return the result of the first attempt of this activity that got one; it counts, however that attempt ended.

    Another attempt would otherwise leave a second result of one query, of another moment, that nobody uses.
    """
    if not activity.in_activity():
        return found
    info = activity.info()
    artifact = await store.artifacts.put(run_id, found.model_dump_json(), RESULT_TYPE)
    # A line feed, which no header has: no client's own key can be one of these.
    key = f"result\n{sha256(f'{info.workflow_run_id}/{info.activity_id}'.encode()).hexdigest()}"
    claim = await store.runs.claim(key, artifact, run_id.partition(".")[0])
    earlier = None if claim.mine else await store.artifacts.get(claim.request_hash)
    return found if earlier is None else ResultTable.model_validate_json(earlier)
