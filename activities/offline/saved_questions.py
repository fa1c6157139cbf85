"""The agents of the mode `data` that write SQL, without a model: they answer saved questions and refuse all others.

A saved question is one that the operator stored with its SQL. It counts only if it is the question that is asked, but
for politeness, articles and plural endings: a query that answers something similar is worse than none.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from elcano.activities.offline.splitting import split
from elcano.activities.text.same_question import is_same_question
from elcano.activities.text.words import split_words
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.input_parser import UNDERSTOOD
from elcano.graphs.data.sql_answers import SqlExample, SqlRepair, SqlWriting
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.display_text import ensure_list

SAVED: Final = "No language model was used: the query was saved for the question"
NEEDS_MODEL: Final = "Free questions to a database need a language model; without one it answers saved questions alone."
NOT_READ: Final = "Its background and guidance were not read: the query answers the question alone."
NOT_MENDED: Final = "Mending a query needs a language model; a saved one is mended where the operator saved it."
QUESTION_CHARACTERS: Final = 150
"""Of a saved question that a sentence names."""
MOST_NAMED: Final = 4

_IN_CONTEXT: Final = re.compile(r"^(?P<own>.+?) \((?P<context>[^()]*)\)$", re.DOTALL)
"""A question with telling words of the one before it behind it, as the API hands it over."""
_GOES_ON: Final = re.compile(r"^\W*(?:(?:and|but|then|also|now|so|what about|how about)\b[\s,:]*)+", re.IGNORECASE)
"""How a question begins that is none without the one before it."""


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


def find_database(task: TaskEnvelope) -> str:
    """The first of a task's databases that has its question saved, or each one that it is split into; empty: none."""
    told = task.given.get("saved_questions")
    for name, saved in told.items() if isinstance(told, dict) else ():
        questions = [one for one in saved if isinstance(one, str)] if isinstance(saved, list) else []
        if any(_is_saved(task, one, questions) for one in _readings(task)):
            return name
    return ""


def _is_saved(task: TaskEnvelope, question: str, saved: list[str]) -> bool:
    way = split(task.model_copy(update={"question": question, "given": {}}))
    parts = [path.question for path in way.paths] or [way.history_question if way.forecast else question]
    return any(
        all(any(is_same_question(one, other) for other in saved) for one in asked) for asked in ([question], parts)
    )


def _find_example(task: TaskEnvelope, examples: list[SqlExample]) -> SqlExample | None:
    """The example of the task's question, or of what it asks together with the one before it."""
    readings = _readings(task)
    fitting = (one for asked in readings for one in examples if is_same_question(asked, one.question))
    return next(fitting, None)


def _readings(task: TaskEnvelope) -> tuple[str, ...]:
    """What the question of a task may ask: itself; if it goes on from another one, what both ask together.

    “And by year?” after “What is the total revenue?” is “What is the total revenue by year?”.
    """
    if not task.history or not _GOES_ON.match(task.question):
        return (task.question,)
    own = " ".join(task.question.split())
    known = set(split_words(" ".join(entry.question for entry in task.history)))
    found = _IN_CONTEXT.match(own)
    if found and known.issuperset(split_words(found["context"])):
        own = found["own"]
    return (f"{task.history[-1].question.strip().rstrip('?!. ')} {_GOES_ON.sub('', own).strip()}", task.question)


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
