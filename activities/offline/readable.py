"""Whether rules can read a question as a query, before it is known which database it is put to.

It is tried: the query of the question itself, or of each question that it would be split into, and thrown away.
"""

from collections.abc import Iterator
from datetime import date

from pydantic import ValidationError

from elcano.activities.offline.splitting import split
from elcano.activities.offline.sql.following import questions
from elcano.activities.offline.sql.writing import Refused, query_for
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.data.schema import DatabaseSchema
from elcano.graphs.frozen import JsonObject


def readable(task: TaskEnvelope) -> str:
    """The name of the first of the task's databases that rules write a query to for its question; empty: none is."""
    today = date.fromisoformat(task.today) if task.today else None
    for name, schema in _schemas(task.given.get("databases")):
        if any(_reads(task, question, schema, today) for question in questions(task)):
            return name
    return ""


def _reads(task: TaskEnvelope, question: str, schema: DatabaseSchema, today: date | None) -> bool:
    tables: JsonObject = {one.name: [column.name for column in one.columns] for one in schema.tables}
    way = split(task.model_copy(update={"question": question, "given": {"tables": tables}}))
    asked = [path.question for path in way.paths] or [way.history_question if way.forecast else question]
    return all(not isinstance(query_for(one, schema, today), Refused) for one in asked)


def _schemas(told: object) -> Iterator[tuple[str, DatabaseSchema]]:
    """The schemas that a task tells of; of a database that could not be read it tells why instead."""
    for name, schema in told.items() if isinstance(told, dict) else ():
        try:
            yield name, DatabaseSchema.model_validate(schema)
        except ValidationError:
            continue
