"""The tools over databases: `schema_context` and `execute_sql`. A result is stored as table and as text, then told of.

The text of a result is CSV behind a line that says where it is from: it is evidence like any passage, and its hash is a
part of its id. A query that cannot be run is answered with its fault; only a database that is away is a failure.
"""

import asyncio
import csv
import io
from hashlib import sha256
from typing import Final

from elcano.activities.databases.context import context
from elcano.activities.databases.registry import Databases
from elcano.activities.databases.running import run_query
from elcano.activities.tools.referring import reference
from elcano.graphs.catalogue.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    SchemaContextInput,
    SchemaContextOutput,
)
from elcano.graphs.data.query import QueryFault
from elcano.graphs.data.table import DIGEST_ROWS, Cell, ResultDigest, ResultTable
from elcano.graphs.shortening import shortened
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore

RESULT_TYPE: Final = "application/vnd.elcano.result+json"
"""The media type of a stored `ResultTable`."""
TEXT_CHARACTERS: Final = 50_000
"""Of a result as evidence; all of its rows are in the artifact."""
HEAD_CHARACTERS: Final = 200
"""Of a value in a digest, which the state of a run carries."""


async def schema_context(databases: Databases, given: SchemaContextInput) -> SchemaContextOutput:
    """The tables of a database that a question is about.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    schema = await databases.get(given.database).schema()
    return await asyncio.to_thread(context, schema, given.question, given.tables)


async def execute_sql(
    databases: Databases, store: TenantStore, run_id: str, given: ExecuteSqlInput
) -> ExecuteSqlOutput:
    """The digest of a result, which is stored before this answers; or what is wrong with the query.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    found = await run_query(databases.get(given.query.database), given.query, given.rows)
    if isinstance(found, QueryFault):
        return ExecuteSqlOutput(fault=found)
    artifact = await store.artifacts.put(run_id, found.model_dump_json(), RESULT_TYPE)
    text = result_text(found)
    hashed = sha256(text.encode()).hexdigest()
    document = f"{found.database}:{sha256(found.sql.encode()).hexdigest()[:16]}"
    title = shortened(f"{found.database}: {' '.join(found.sql.split())}", 200)
    passage = Evidence(
        id=f"{document}#{hashed[:16]}",
        source=found.database,
        document=document,
        content_hash=hashed,
        title=title,
        locator=f"database {found.database}",
        text=text,
        start=0,
        end=len(text),
        metadata={"sql": found.sql, "at": found.at, "artifact": artifact, "schema": found.schema_hash},
    )
    stored = StoredText(content_hash=hashed, document=document, title=title, media_type="text/csv", text=text)
    await store.evidence.add(run_id, [passage], [stored])
    digest = ResultDigest(
        artifact=artifact,
        evidence=passage.id,
        database=found.database,
        sql=found.sql,
        columns=found.columns,
        row_count=len(found.rows),
        truncated=found.truncated,
        head=tuple(tuple(_short(cell) for cell in row) for row in found.rows[:DIGEST_ROWS]),
    )
    return ExecuteSqlOutput(result=digest, evidence=(reference(passage),))


def result_text(found: ResultTable) -> str:
    """A result as it is quoted: a line that says what it is of, then CSV; NULL is an empty field, and `""` is empty."""
    written = io.StringIO()
    count = f"{len(found.rows)} {'row' if len(found.rows) == 1 else 'rows'}"
    more = "; there is more than was read" if found.truncated else ""
    written.write(f"Result of a query of the database {found.database}, {count}{more}\n")
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([column.name for column in found.columns])
    for number, row in enumerate(found.rows, 1):
        writer.writerow([_field(cell) for cell in row])
        if written.tell() > TEXT_CHARACTERS and number < len(found.rows):
            written.write(f"... and {len(found.rows) - number} more rows, which are in the result itself\n")
            break
    return written.getvalue()


def _field(cell: Cell) -> object:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else cell


def _short(cell: Cell) -> Cell:
    return shortened(cell, HEAD_CHARACTERS) if isinstance(cell, str) else cell
