"""The SQL repairer: turns a query that was refused or failed into another, with the difference and its meaning.

What changed is not taken from its words alone: code compares both queries, clause by clause.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text
from elcano.plugins.data.data_answer import QueryFault, QueryRepair, SqlQuery
from elcano.plugins.data.query_models import MOST_ATTEMPTS, SqlExample, SqlRepair, normalize_sql
from elcano.plugins.data.tables import DatabaseSchema

SHOWN_CHARACTERS: Final = 600
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


INSTRUCTIONS: Final = """\
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


def build_task(given: SqlRepairerInput, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope: the question, the query, its error and the schema."""
    told: JsonObject = {
        "query": given.query.model_dump(mode="json", exclude_defaults=True),
        "fault": given.fault.model_dump(mode="json", exclude_defaults=True),
        "schema": given.excerpt.model_dump(mode="json", exclude_defaults=True),
    }
    if given.attempts:
        last = given.attempts[-MOST_ATTEMPTS:]
        told["attempts"] = [{"sql": one.before, "fault": one.reason} for one in last]
    if given.examples:
        told["examples"] = [one.model_dump(mode="json", exclude_defaults=True) for one in given.examples[:4]]
    return loaded.envelope("sql_repairer", given).model_copy(update={"given": told})


def find_repair_faults(said: SqlRepair, given: SqlRepairerInput, ids: Mapping[str, str]) -> tuple[str, ...]:
    """Return the faults of an answer: a query that was tried already, or no query and no reason."""
    if not said.sql.strip():
        return () if said.explanation.strip() else ("You gave no `sql` and did not say why in `explanation`.",)
    tried = (given.query.sql, *(one.before for one in given.attempts))
    if normalize_sql(said.sql) in map(normalize_sql, tried):
        return ("This query was tried already and failed.",)
    return ()


def resolve_answer(said: SqlRepair, given: SqlRepairerInput, ids: Mapping[str, str]) -> SqlRepair:
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


def describe_start(given: JsonObject) -> str:
    """Describe the query that the repairer mends."""
    fault = given.get("fault")
    said = fault.get("message") if isinstance(fault, dict) else ""
    return shorten_text(f"a query: {said or 'it failed'}", SHOWN_CHARACTERS)


def summarize_sql_repair(output: JsonObject) -> tuple[str, JsonObject]:
    """What changed, or why nothing did."""
    said = SqlRepair.model_validate(output)
    if not said.sql:
        return f"The query was not mended: {shorten_text(said.explanation, SHOWN_CHARACTERS)}", {}
    marked = " This may change what it means." if said.changes_meaning else ""
    told = shorten_text(" ".join(said.changed), SHOWN_CHARACTERS)
    figures: JsonObject = {"sql": said.sql, "diff": said.diff, "changes_meaning": said.changes_meaning}
    return f"Repaired the query. {told}{marked}", figures


AGENT: Final = AgentDefinition(
    name="sql_repairer",
    description="Mends a query that was refused or failed, and says what is different.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Mend the query in this task envelope.",
        answer=SqlRepair,
        shown=build_task,
        passages=False,
    ),
    input=SqlRepairerInput,
    output=SqlRepair,
    starts="analyzing",
    completes="analysis_complete",
    output_tokens=2_000,
    faults=find_repair_faults,
    settled=resolve_answer,
    begins=describe_start,
    summary=summarize_sql_repair,
)
