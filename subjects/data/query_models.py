"""Inputs and outputs of the tools over databases and the agents that write SQL, and the look into a database.

Pure: workflows load it. A fault of a query is an answer, not a failure.
"""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.tools import GivesEvidence, LookSpec
from elcano.graphs.frozen import Answer, Frozen
from elcano.graphs.state.state import EvidenceRef
from elcano.subjects.data.data_answer import SQL_CHARACTERS, QueryFault, SqlQuery
from elcano.subjects.data.forecast_models import ForecastWish
from elcano.subjects.data.tables import DatabaseSchema, ResultDigest

SPLIT_PATHS: Final = 8
"""Paths of one question at most."""

Argument: TypeAlias = str | int | float | bool | list[str] | None


class DataPath(Frozen):
    """One of several questions that are put side by side."""

    name: str = Field(min_length=1, max_length=100, description="What it is of, as a column is called: `2023`.")
    question: str = Field(min_length=1, max_length=2_000, description="A whole question, which can stand by itself.")


class ToolWish(Frozen):
    """A call of one tool on one server, from those that were offered."""

    server: str = Field(min_length=1, max_length=64)
    tool: str = Field(min_length=1, max_length=200)
    arguments: dict[Annotated[str, Field(max_length=100)], Argument] = Field(default={}, max_length=50)


class Splitting(Frozen):
    """The way that a question goes."""

    paths: tuple[DataPath, ...] = Field(
        default=(), max_length=SPLIT_PATHS, description="Two questions or more; empty: it is asked as one."
    )
    forecast: ForecastWish | None = Field(default=None, description="Only if the question asks for what is to come.")
    history_question: str = Field(
        default="",
        max_length=2_000,
        description="With `forecast`: the question for the series that is to be continued, up to today.",
    )
    tool: ToolWish | None = Field(default=None, description="A tool that the question needs, of those offered.")
    choices: tuple[str, ...] = Field(
        default=(), max_length=10, description="What the question left open and you chose, one sentence for each."
    )
    reason: str = Field(default="", max_length=1_000, description="Why it goes this way, in a sentence.")


MOST_ROWS: Final = 10_000
"""Rows of one result at most."""
Decision: TypeAlias = Literal["query", "documents", "refused"]
"""`query`: the database answers it. `documents`: texts do. `refused`: neither, or it is not clear enough."""

MOST_EXAMPLES: Final = 8
MOST_ATTEMPTS: Final = 3


def normalize_sql(sql: str) -> str:
    """Return a query on one line, by which two are compared."""
    return " ".join(sql.split()).rstrip("; ")


class SqlExample(Frozen):
    """A question and the query that answers it, written by a person who knows the database."""

    question: str = Field(min_length=1, max_length=2_000)
    sql: str = Field(min_length=1, max_length=SQL_CHARACTERS)
    note: str = Field(default="", max_length=1_000, description="What to learn from it.")


class SqlWriting(Frozen):
    """The outcome of a question: a query, or why there is none."""

    decision: Decision = "query"
    sql: str = Field(default="", max_length=SQL_CHARACTERS, description="One query; empty unless it is a query.")
    reasons: tuple[str, ...] = Field(
        default=(), max_length=50, description="Why each join and each filter is there, one sentence for each."
    )
    choices: tuple[str, ...] = Field(
        default=(), max_length=20, description="What the question left open and what you chose, one sentence for each."
    )
    explanation: str = Field(
        default="", max_length=2_000, description="Why documents answer it, or why nothing here does."
    )
    unread: tuple[str, ...] = Field(
        default=(), max_length=50, description="Words of the question that name nothing in the schema."
    )


class SqlRepair(Frozen):
    """A query that was mended, or why it was not."""

    sql: str = Field(default="", max_length=SQL_CHARACTERS, description="The new query; empty if you know none.")
    changed: tuple[str, ...] = Field(
        default=(), max_length=20, description="What is different now and why, one sentence for each change."
    )
    changes_meaning: bool = Field(
        default=False, description="Whether the new query may answer another question than the old one was to."
    )
    explanation: str = Field(default="", max_length=2_000, description="Why there is no new query.")
    diff: str = Field(default="", max_length=2 * SQL_CHARACTERS, description="Leave it empty: it is computed.")
    """From the old query to the new one, clause by clause, as `diff -u` has it."""


class SchemaContextInput(Frozen):
    """Which part of which schema a question needs."""

    database: str = Field(min_length=1, max_length=63)
    question: str = Field(min_length=1, max_length=10_000)
    tables: int = Field(default=8, ge=1, le=50)
    """Tables that are chosen by the question at most; those that they refer to come in addition."""


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


MOST_PATHS: Final = 20
MOST_DISAGREEMENTS: Final = 200

DisagreementKind: TypeAlias = Literal["two_values", "key_twice", "missing"]
"""`two_values`: paths of one name, or columns that are no measure, say different things of one key. `key_twice`: one
path has two values for a key. `missing`: a path has no row for a key that another one has."""


class PathResult(Frozen):
    """The outcome of one path."""

    name: str = Field(min_length=1, max_length=200)
    """Its subject, which names its columns: `2023`. Two paths of one name have the same question."""
    result: ResultDigest | None = None
    gap: str = Field(default="", max_length=2_000)
    """Why there is no result, in words: it was too slow, its query could not be repaired."""


class Disagreement(Frozen):
    """One thing that paths do not agree on."""

    kind: DisagreementKind
    key: tuple[str, ...] = ()
    """The values of the key columns; empty: there is but one row."""
    column: str = ""
    told: str
    """In a sentence."""


class ConsensusInput(Frozen):
    """Paths to be merged; the first that has a result is what the others are compared with."""

    paths: tuple[PathResult, ...] = Field(min_length=1, max_length=MOST_PATHS)
    keys: tuple[str, ...] = Field(default=(), max_length=20)
    """Columns by which rows belong together; empty: those that all paths have and that are no measures."""


class MergedResults(GivesEvidence):
    """Output of `consensus`: one result of all paths, which is kept as evidence like any other."""

    result: ResultDigest | None = None
    """None: fewer than two paths have a result."""
    disagreements: tuple[Disagreement, ...] = ()
    """At most 200."""
    disagreement_count: int = 0
    gaps: tuple[str, ...] = ()
    """Paths without a result, each in a sentence."""
    told: str = ""
    """Description of what was merged and how, for the writer of the answer."""


DATABASE_LOOK_SECONDS: Final = 50.0
"""Timeout of the API for the schema of a database, in seconds; the first reading counts and samples its values."""


class DatabaseLook(Frozen):
    """Input of a look into a database that belongs to no run."""

    database: str = Field(min_length=1, max_length=63)
    values: bool = True
    """Whether rows are counted and values sampled, as far as the operator lets them be shown."""


class DatabaseLooked(Answer):
    """The schema as a worker read it."""

    found: DatabaseSchema
    seconds: float = 0.0
    """For all of the reading."""


DATABASE_LOOK: Final = LookSpec(
    name="database",
    input=DatabaseLook,
    output=DatabaseLooked,
    seconds=DATABASE_LOOK_SECONDS,
    run="elcano.subjects.data.tools:look_at_database",
)
