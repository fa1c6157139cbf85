"""The SQL writer and the SQL repairer without a model: by rules, which say so and refuse what they cannot read."""

from datetime import date
from typing import Final

from elcano.activities.offline.sql.following import questions
from elcano.activities.offline.sql.repairing import repaired
from elcano.activities.offline.sql.writing import Refused, query_for
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.input_parser import UNDERSTOOD
from elcano.graphs.data.query import QueryFault, SqlQuery
from elcano.graphs.data.schema import DatabaseSchema
from elcano.graphs.data.writing import SqlRepair, SqlWriting
from elcano.graphs.shortening import shortened

BY_RULES: Final = "The query was written by rules, without a language model."
TOGETHER: Final = "Together with what was asked before, the question was read as"
READ_CHARACTERS: Final = 400


def write_sql(task: TaskEnvelope) -> SqlWriting:
    """The query that rules find for a task of the SQL writer, or why they find none."""
    given = task.given
    schema = DatabaseSchema.model_validate(given.get("schema"))
    if (dialect := given.get("dialect")) is not None:
        schema = DatabaseSchema.model_validate({**schema.model_dump(), "dialect": dialect})
    today = date.fromisoformat(task.today) if task.today else None
    found, together = _found(task, schema, today)
    if isinstance(found, Refused):
        if given.get("documents") is True:
            told = f"Rules find no query, so documents are searched. {found.reason}"
            return SqlWriting(decision="documents", explanation=told, unread=found.unread[:50])
        return SqlWriting(decision="refused", explanation=found.reason, unread=found.unread[:50])
    told = "Its background and guidance were not read: rules read the question alone."
    unread = (told,) if _background(task) or task.guidance else ()
    return SqlWriting(
        sql=found.sql, reasons=found.reasons[:50], choices=(BY_RULES, *together, *unread, *found.choices)[:20]
    )


def _background(task: TaskEnvelope) -> str:
    """What somebody gave as background: not how the question was understood, which says the same in other words."""
    lines = (line.strip() for line in task.background.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(UNDERSTOOD))


def _found(
    task: TaskEnvelope, schema: DatabaseSchema, today: date | None
) -> tuple[SqlQuery | Refused, tuple[str, ...]]:
    """The query of a question, or of what it asks together with those before it, which is then said."""
    asked = questions(task)
    tried = [query_for(one, schema, today) for one in asked]
    place = next((place for place, one in enumerate(tried) if isinstance(one, SqlQuery)), len(asked) - 1)
    if isinstance(tried[place], SqlQuery) and len(asked) > 1 and asked[place] not in task.question:
        return tried[place], (f"{TOGETHER} “{shortened(asked[place], READ_CHARACTERS)}”",)
    return tried[place], ()


def repair_sql(task: TaskEnvelope) -> SqlRepair:
    """The new query that rules find for a task of the SQL repairer, or why they find none."""
    given = task.given
    attempts = given.get("attempts")
    earlier = [str(one.get("sql")) for one in attempts if isinstance(one, dict)] if isinstance(attempts, list) else []
    return repaired(
        SqlQuery.model_validate(given.get("query")),
        QueryFault.model_validate(given.get("fault")),
        DatabaseSchema.model_validate(given.get("schema")),
        earlier,
    )
