"""The SQL writer: a question and a part of a schema become one query, or a word on why they do not.

What it writes is read by the policy before a database sees it; nothing that it says is run as it is.
"""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.plugins.data.query_models import MOST_EXAMPLES, SqlExample, SqlWriting
from elcano.plugins.data.tables import DatabaseSchema

SHOWN_SQL: Final = 600
"""Characters of a query that an event tells."""


class SqlWriterInput(AgentInput):
    """The question, and the part of the database that it is about."""

    excerpt: DatabaseSchema
    """Tables that the question may be about, with sample values if the operator lets them be shown."""
    examples: tuple[SqlExample, ...] = ()
    """Of this database, the likest question first; at most 8 are shown."""
    saved_questions: tuple[str, ...] = ()
    """Others that the operator saved, to be named where no example is alike and none can be answered."""
    documents: bool = False
    """Whether documents can be searched as well, so that a question can be left to them."""


INSTRUCTIONS: Final = """\
You write one SQL query that answers a question from a database, or say why there is none. You do not answer the \
question yourself.

`given.schema` is all that you know of the database: use no table and no column that is not there, and no value that \
you only suppose. `samples` are a few of the values of a column, the commonest first: write a value as they do. Where \
foreign keys have `declared` false they are guesses from names; check that the values can fit.

- Write in the dialect that `given.dialect` names. One statement, and only a query: nothing is written, created or \
set, and no function reads files or other databases.
- Answer exactly what is asked: the columns that the question wants, in its order; for something "for each" the name \
of each beside the number; an order and a limit only where the question wants one.
- Count things once: where a join repeats rows, count distinct keys or aggregate before you join. Know which side of a \
join may have several rows.
- Divide as decimals, and guard against division by zero. Leave NULL out of what is ranked. A day is the whole day: \
compare moments with `>=` its start and `<` the next day. Sessions are in UTC: where moments have a time zone, days \
are those of UTC unless the question names another zone, and `choices` says so. `today` in the envelope is the day of \
the question.
- `examples` are queries that somebody who knows this database wrote. Take over how they join and what they leave out.
- `reasons`: one sentence for each join and for each condition, saying what in the question asks for it.
- `choices`: where the question can be read in several ways, take the plainest reading and say which it is.

Decide `query` if the schema can answer, with the SQL. Decide `documents` if `given.documents` is true and the answer \
is in texts rather than in tables (why, how, what is said of something). Decide `refused` if the schema has nothing \
for a part of the question, or if it can be read in ways that give other numbers and none is plainer; name in `unread` \
the words that nothing in the schema stands for, and say in `explanation` what is missing. A query that answers \
something else is worse than none.
"""


def build_task(given: SqlWriterInput, loaded: Loaded) -> TaskEnvelope:
    """The question, the excerpt of the schema and the examples."""
    told: JsonObject = {
        "dialect": given.excerpt.dialect,
        "schema": given.excerpt.model_dump(mode="json", exclude_defaults=True),
    }
    if given.examples:
        told["examples"] = [
            one.model_dump(mode="json", exclude_defaults=True) for one in given.examples[:MOST_EXAMPLES]
        ]
    if given.saved_questions and not given.examples:
        told["saved_questions"] = [*given.saved_questions]
    if given.documents:
        told["documents"] = True
    return loaded.envelope("sql_writer", given).model_copy(update={"given": told})


def find_sql_decision_faults(said: SqlWriting, given: SqlWriterInput, ids: Mapping[str, str]) -> tuple[str, ...]:
    """Return the faults of an answer: a decision without the fields that it requires."""
    if said.decision == "query" and not said.sql.strip():
        return ("You decided `query` and gave no `sql`.",)
    if said.decision == "documents" and not given.documents:
        return ("There are no documents to be searched: decide `query` or `refused`.",)
    if said.decision != "query" and not said.explanation.strip():
        return (f"You decided `{said.decision}` and did not say why in `explanation`.",)
    return ()


def resolve_answer(said: SqlWriting, given: SqlWriterInput, ids: Mapping[str, str]) -> SqlWriting:
    """The answer with a decision that its parts bear out: no query without SQL, no SQL without a query."""
    if said.decision == "query" and not said.sql.strip():
        why = said.explanation or "The model gave no query."
        return said.model_copy(update={"decision": "refused", "sql": "", "explanation": why})
    if said.decision == "documents" and not given.documents:
        return said.model_copy(update={"decision": "refused", "sql": ""})
    return said if said.decision == "query" else said.model_copy(update={"sql": ""})


def describe_start(given: JsonObject) -> str:
    """Describe the query to write."""
    excerpt = given.get("excerpt")
    tables = ensure_list(excerpt.get("tables")) if isinstance(excerpt, dict) else []
    name = excerpt.get("database", "") if isinstance(excerpt, dict) else ""
    return f"a query of {name or 'a database'}, from {format_count(len(tables), 'table')}"


def summarize_sql_decision(output: JsonObject) -> tuple[str, JsonObject]:
    """The query, or why there is none."""
    said = SqlWriting.model_validate(output)
    if said.decision == "query":
        return f"Wrote a query: {shorten_text(said.sql, SHOWN_SQL)}", {"decision": "query", "sql": said.sql}
    why = shorten_text(said.explanation, SHOWN_SQL)
    words = "Left the question to documents" if said.decision == "documents" else "Wrote no query"
    return f"{words}: {why}", {"decision": said.decision, "unread": list(said.unread)}


AGENT: Final = AgentDefinition(
    name="sql_writer",
    description="Writes one SQL query that answers a question, or says why there is none.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Write the query that answers the question in this task envelope, or say why there is none.",
        answer=SqlWriting,
        shown=build_task,
        passages=False,
    ),
    input=SqlWriterInput,
    output=SqlWriting,
    starts="analyzing",
    completes="analysis_complete",
    output_tokens=2_000,
    faults=find_sql_decision_faults,
    settled=resolve_answer,
    begins=describe_start,
    summary=summarize_sql_decision,
)
