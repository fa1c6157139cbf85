"""The answers expected of agents that write SQL, and of those that repair it."""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.data_answer import SQL_CHARACTERS

Decision: TypeAlias = Literal["query", "documents", "refused"]
"""`query`: the database answers it. `documents`: texts do. `refused`: neither, or it is not clear enough."""

MOST_EXAMPLES: Final = 8
MOST_ATTEMPTS: Final = 3


class SqlExample(Frozen):
    """A question and the query that answers it, written by a person who knows the database."""

    question: str = Field(min_length=1, max_length=2_000)
    sql: str = Field(min_length=1, max_length=SQL_CHARACTERS)
    note: str = Field(default="", max_length=1_000, description="What to learn from it.")


class SqlWriting(Frozen):
    """What became of a question: a query, or why there is none."""

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
