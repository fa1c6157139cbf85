"""The database tools `schema_context` and `execute_sql`. Results are stored as table and as text, then summarised.

The text of a result is evidence like any passage, with a line for each row. A query that cannot be run is
answered with its fault; only a database that is away is a failure.
"""

import asyncio
from hashlib import sha256

from temporalio import activity

from elcano.activities.answering.result_store import RESULT_TYPE, store_result_table
from elcano.activities.databases.context import select_schema_context
from elcano.activities.databases.query_runner import run_query
from elcano.activities.databases.registry import Databases
from elcano.activities.tools.evidence_reference import build_evidence_ref
from elcano.graphs.catalogue.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    SchemaContextInput,
    SchemaContextOutput,
)
from elcano.graphs.data.query import QueryFault
from elcano.graphs.data.table import ResultTable
from elcano.storage.store import TenantStore


async def schema_context(databases: Databases, given: SchemaContextInput) -> SchemaContextOutput:
    """The tables of a database that a question is about.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    schema = await databases.get(given.database).schema()
    return await asyncio.to_thread(select_schema_context, schema, given.question, given.tables)


async def execute_sql(
    databases: Databases, store: TenantStore, run_id: str, given: ExecuteSqlInput
) -> ExecuteSqlOutput:
    """Run a query and return the digest of its result, which is stored first, or the query's fault.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    found = await run_query(databases.get(given.query.database), given.query, given.rows)
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
