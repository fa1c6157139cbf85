"""The agents of the mode `data` that write SQL, without a model: they answer saved questions and refuse all others.

A saved question is one that the operator stored with its SQL. It counts only if it is the question that is asked, but
for politeness, articles and plural endings: a query that answers something similar is worse than none.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from elcano.activities.text.question_readings import list_readings
from elcano.activities.text.same_question import is_same_question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.text import ensure_list, shorten_text
from elcano.plugins.data.agents.splitter import Splitting
from elcano.plugins.data.models.sql_answers import SqlExample, SqlRepair, SqlWriting
from elcano.plugins.research.agents.input_parser import UNDERSTOOD

SAVED: Final = "No language model was used: the query was saved for the question"
NEEDS_MODEL: Final = "Free questions to a database need a language model; without one it answers saved questions alone."
NOT_READ: Final = "Its background and guidance were not read: the query answers the question alone."
NOT_MENDED: Final = "Mending a query needs a language model; a saved one is mended where the operator saved it."
QUESTION_CHARACTERS: Final = 150
"""Of a saved question that a sentence names."""
MOST_NAMED: Final = 4


def choose_one_query(task: TaskEnvelope) -> Splitting:
    """One query for the whole question: only a model can divide one, or ask for a forecast."""
    return Splitting(reason="Without a language model a question goes as one query.")


def write_sql(task: TaskEnvelope) -> SqlWriting:
    """The query that was saved for the question of a task of the SQL writer, or that free questions need a model."""
    examples = list(_examples(task.given.get("examples")))
    found = _find_example(task, examples)
    if found is not None:
        unread = (NOT_READ,) if _background(task) or task.guidance else ()
        return SqlWriting(sql=found.sql, choices=(f"{SAVED} {_quote(found.question)}.", *unread))
    why = f"{NEEDS_MODEL} {_name_questions(task, [one.question for one in examples])}"
    if task.given.get("documents") is True:
        return SqlWriting(decision="documents", explanation=f"{why} Documents are searched instead.")
    return SqlWriting(decision="refused", explanation=why)


def repair_sql(task: TaskEnvelope) -> SqlRepair:
    """No query: nothing but a model can mend one."""
    return SqlRepair(explanation=NOT_MENDED)


def _find_example(task: TaskEnvelope, examples: list[SqlExample]) -> SqlExample | None:
    """The example of the task's question, or of what it asks together with the one before it."""
    readings = list_readings(task)
    fitting = (one for asked in readings for one in examples if is_same_question(asked, one.question))
    return next(fitting, None)


def _background(task: TaskEnvelope) -> str:
    """The background that a person gave, without the lines that say in other words what the question is after."""
    lines = (line.strip() for line in task.background.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(UNDERSTOOD))


def _examples(told: object) -> Iterator[SqlExample]:
    for one in told if isinstance(told, list) else ():
        try:
            yield SqlExample.model_validate(one)
        except ValidationError:
            continue


def _name_questions(task: TaskEnvelope, alike: Iterable[str]) -> str:
    """Which questions are saved, those first that are like the task's."""
    names = [*alike, *(one for one in ensure_list(task.given.get("saved_questions")) if isinstance(one, str))]
    if not names:
        return "This database has none."
    return f"Saved for this database are: {', '.join(map(_quote, names[:MOST_NAMED]))}."


def _quote(question: str) -> str:
    return f"“{shorten_text(' '.join(question.split()), QUESTION_CHARACTERS)}”"
