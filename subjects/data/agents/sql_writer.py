"""The SQL writer and the SQL repairer: a question and a part of a schema become one query, which is mended if it fails.

What the writer writes is read by the policy before a database sees it; nothing that it says is run as it is. What the
repairer changed is not taken from its words alone: code compares both queries, clause by clause.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.limits import SQL_WRITER
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.subjects.data.data_answer import QueryFault, QueryRepair, SqlQuery
from elcano.subjects.data.query_models import (
    MOST_ATTEMPTS,
    MOST_EXAMPLES,
    SqlExample,
    SqlRepair,
    SqlWriting,
    normalize_sql,
)
from elcano.subjects.data.tables import DatabaseSchema

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
    inputs: JsonObject = {
        "dialect": given.excerpt.dialect,
        "schema": given.excerpt.model_dump(mode="json", exclude_defaults=True),
    }
    if given.examples:
        inputs["examples"] = [
            one.model_dump(mode="json", exclude_defaults=True) for one in given.examples[:MOST_EXAMPLES]
        ]
    if given.saved_questions and not given.examples:
        inputs["saved_questions"] = [*given.saved_questions]
    if given.documents:
        inputs["documents"] = True
    return loaded.envelope(SQL_WRITER, given).model_copy(update={"given": inputs})


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
    return f"writing a query of {name or 'a database'}, from {format_count(len(tables), 'table')}"


def summarize_sql_decision(output: JsonObject) -> tuple[str, JsonObject]:
    """The query, or why there is none."""
    said = SqlWriting.model_validate(output)
    if said.decision == "query":
        return f"Wrote a query: {shorten_text(said.sql, SHOWN_SQL)}", {"decision": "query", "sql": said.sql}
    why = shorten_text(said.explanation, SHOWN_SQL)
    words = "Left the question to documents" if said.decision == "documents" else "Wrote no query"
    return f"{words}: {why}", {"decision": said.decision, "unread": list(said.unread)}


AGENT: Final = AgentDefinition(
    name=SQL_WRITER,
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


_CLAUSE: Final = re.compile(
    r"\s+(?=(?:FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|UNION|INTERSECT|EXCEPT|WITH|AND|OR|SELECT"
    r"|(?:LEFT |RIGHT |FULL |INNER |CROSS )?(?:OUTER )?JOIN)\b)",
    re.IGNORECASE,
)


class SqlRepairerInput(AgentInput):
    """What failed, why, and what there is."""

    query: SqlQuery
    fault: QueryFault
    excerpt: DatabaseSchema
    attempts: tuple[QueryRepair, ...] = ()
    """The repairs of this question's query so far, the latest last; at most 3 are shown."""
    examples: tuple[SqlExample, ...] = ()


REPAIR_INSTRUCTIONS: Final = """\
You mend one SQL query that a database, its policy or a check refused. The new query has to answer the same question.

`given.fault` is what was said of it: who complained (`stage`), the message, names that are not there (`unknown`) and \
names that look like them (`near`). `given.schema` is all that there is: use no table and no column beside. `attempts` \
are queries that failed before: do not write one of them again.

- Change as little as mends it, and keep what the query means. Write in the dialect that the query names.
- A name that is not there: look for the column that holds what was meant, in the schema and not by likeness alone. If \
there is none, give no `sql` and say in `explanation` what is missing. Never take a column that holds something else.
- What the policy refuses is not allowed in another form either: nothing is written, no file and no other database is \
read, no catalogue is asked. If the question needs that, give no `sql`.
- A query that took too long or gave too much: narrow it only as the question allows.
- `changed`: one sentence for each change, saying why. Set `changes_meaning` if the new query may answer another \
question than the old one was to, such as when a filter was left out or a column stands for another one.

Leave `diff` empty. A query that runs and answers something else is worse than none.
"""


def build_repair_task(given: SqlRepairerInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope: the question, the query, its error and the schema."""
    inputs: JsonObject = {
        "query": given.query.model_dump(mode="json", exclude_defaults=True),
        "fault": given.fault.model_dump(mode="json", exclude_defaults=True),
        "schema": given.excerpt.model_dump(mode="json", exclude_defaults=True),
    }
    if given.attempts:
        last = given.attempts[-MOST_ATTEMPTS:]
        inputs["attempts"] = [{"sql": one.before, "fault": one.reason} for one in last]
    if given.examples:
        inputs["examples"] = [one.model_dump(mode="json", exclude_defaults=True) for one in given.examples[:4]]
    return loaded.envelope("sql_repairer", given).model_copy(update={"given": inputs})


def find_repair_faults(said: SqlRepair, given: SqlRepairerInput, ids: Mapping[str, str]) -> tuple[str, ...]:
    """Return the faults of an answer: a query that was tried already, or no query and no reason."""
    if not said.sql.strip():
        return () if said.explanation.strip() else ("You gave no `sql` and did not say why in `explanation`.",)
    tried = (given.query.sql, *(one.before for one in given.attempts))
    if normalize_sql(said.sql) in map(normalize_sql, tried):
        return ("This query was tried already and failed.",)
    return ()


def resolve_repair(said: SqlRepair, given: SqlRepairerInput, ids: Mapping[str, str]) -> SqlRepair:
    """The answer with its diff; a query that was tried already is none."""
    if find_repair_faults(said, given, ids) or not said.sql.strip():
        why = said.explanation or "The new query was tried already."
        return SqlRepair(explanation=why)
    return said.model_copy(update={"diff": diff_queries(given.query.sql, said.sql)})


def diff_queries(old: str, new: str) -> str:
    """Compare two queries clause by clause, in the format of `diff -u`; empty if they are the same."""
    rows = difflib.unified_diff(_split_clauses(old), _split_clauses(new), "before", "after", lineterm="", n=1)
    return "\n".join(rows)


def _split_clauses(sql: str) -> list[str]:
    return [one.strip() for one in _CLAUSE.split(normalize_sql(sql)) if one.strip()]


def describe_repair_start(given: JsonObject) -> str:
    """Describe the query that the repairer mends."""
    fault = given.get("fault")
    said = fault.get("message") if isinstance(fault, dict) else ""
    return shorten_text(f"mending a query: {said or 'it failed'}", SHOWN_SQL)


def summarize_sql_repair(output: JsonObject) -> tuple[str, JsonObject]:
    """What changed, or why nothing did."""
    said = SqlRepair.model_validate(output)
    if not said.sql:
        return f"The query was not mended: {shorten_text(said.explanation, SHOWN_SQL)}", {}
    marked = " This may change what it means." if said.changes_meaning else ""
    changes = shorten_text(" ".join(said.changed), SHOWN_SQL)
    figures: JsonObject = {"sql": said.sql, "diff": said.diff, "changes_meaning": said.changes_meaning}
    return f"Repaired the query. {changes}{marked}", figures


REPAIRER: Final = AgentDefinition(
    name="sql_repairer",
    description="Mends a query that was refused or failed, and says what is different.",
    asks=Question(
        instructions=REPAIR_INSTRUCTIONS,
        request="Mend the query in this task envelope.",
        answer=SqlRepair,
        shown=build_repair_task,
        passages=False,
    ),
    input=SqlRepairerInput,
    output=SqlRepair,
    starts="analyzing",
    completes="analysis_complete",
    output_tokens=2_000,
    faults=find_repair_faults,
    settled=resolve_repair,
    begins=describe_repair_start,
    summary=summarize_sql_repair,
)
