"""What a question may ask that goes on from the one before it."""

import re
from typing import Final

from elcano.activities.text.words import split_words
from elcano.graphs.agents.envelope import TaskEnvelope

_IN_CONTEXT: Final = re.compile(r"^(?P<own>.+?) \((?P<context>[^()]*)\)$", re.DOTALL)
"""A question with telling words of the one before it behind it, as the API hands it over."""
_GOES_ON: Final = re.compile(r"^\W*(?:(?:and|but|then|also|now|so|what about|how about)\b[\s,:]*)+", re.IGNORECASE)
"""How a question begins that is none without the one before it."""


def list_readings(task: TaskEnvelope) -> tuple[str, ...]:
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
