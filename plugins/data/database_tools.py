"""What the tools over databases are given and what they answer. A fault of a query is an answer, not a failure."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.tools import GivesEvidence
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.data_answer import QueryFault, SqlQuery
from elcano.graphs.report.tables import DatabaseSchema, ResultDigest
from elcano.graphs.state.state import EvidenceRef
from elcano.graphs.text import format_count
from elcano.plugins.data.models.consensus import ConsensusOutput
from elcano.plugins.data.models.sql_answers import MOST_EXAMPLES, SqlExample

MOST_ROWS: Final = 10_000
"""Rows of one result at most."""


class SchemaContextInput(Frozen):
    """Which part of which schema a question needs."""

    database: str = Field(min_length=1, max_length=63)
    question: str = Field(min_length=1, max_length=10_000)
    tables: int = Field(default=8, ge=1, le=50)
    """Tables that are chosen by the question at most; those that they refer to come beside."""


class SchemaContextOutput(Frozen):
    """The tables that a question is about, the likeliest first."""

    found: DatabaseSchema
    """With these tables alone; its hash is that of the whole schema."""
    whole: bool = False
    """True: these are all tables of the database."""
    matched: bool = True
    """False: no word of the question is in any table; these are the largest ones."""
    others: tuple[str, ...] = ()
    """Names of tables that were left out, at most 200."""
    saved: bool = False
    """True: the question is a saved one of this database."""


class ExecuteSqlInput(Frozen):
    """One query to be run."""

    query: SqlQuery
    rows: int = Field(default=1_000, ge=1, le=MOST_ROWS)
    """Rows that are read at most."""


class ExecuteSqlOutput(Frozen):
    """A result, which is stored before this is answered; or a fault. One of the two is None."""

    result: ResultDigest | None = None
    fault: QueryFault | None = None
    evidence: tuple[EvidenceRef, ...] = ()
    """The result as evidence; empty if there is none, or if it has no rows."""


class SqlExamplesInput(Frozen):
    """Which examples are wanted."""

    database: str = Field(min_length=1, max_length=63)
    question: str = Field(min_length=1, max_length=10_000)
    limit: int = Field(default=4, ge=1, le=MOST_EXAMPLES)


class SqlExamplesOutput(Frozen):
    """Questions answered by SQL before, most similar first; empty if none is similar."""

    examples: tuple[SqlExample, ...] = ()
    others: tuple[str, ...] = ()
    """Saved questions that are not alike; they are named only where none is."""


class MergedResults(ConsensusOutput, GivesEvidence):
    """What `consensus` answers: the one result, which is kept as evidence like any other."""


def examples_told(output: JsonObject) -> tuple[str, JsonObject]:
    """How many examples there are for a question."""
    found = len(SqlExamplesOutput.model_validate(output).examples)
    return f"Found {format_count(found, 'example')} of SQL for questions like this one.", {"examples": found}


def schema_told(output: JsonObject) -> tuple[str, JsonObject]:
    """A schema context in one sentence."""
    said = SchemaContextOutput.model_validate(output)
    tables = [table.name for table in said.found.tables]
    whole = "all of its tables" if said.whole else f"{len(tables)} of {len(tables) + len(said.others)} tables"
    listed: list[Json] = [*tables]
    return f"Read what {said.found.database} holds: {whole}.", {"database": said.found.database, "tables": listed}


def execution_told(output: JsonObject) -> tuple[str, JsonObject]:
    """What became of a query, in one sentence."""
    said = ExecuteSqlOutput.model_validate(output)
    if said.result is not None:
        rows = "1 row" if said.result.row_count == 1 else f"{said.result.row_count} rows"
        more = ", and there is more" if said.result.truncated else ""
        figures: JsonObject = {"database": said.result.database, "rows": said.result.row_count, "sql": said.result.sql}
        return f"{said.result.database} answered with {rows}{more}.", figures
    fault = said.fault or QueryFault(stage="database", message="it gave no answer")
    return f"The query was not answered ({fault.stage}): {fault.message}", {"stage": fault.stage}
