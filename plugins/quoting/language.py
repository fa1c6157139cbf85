"""The language that a task of the extractive model is read in: that of its question.

What was found is compared with the question word by word, so it is read in the question's language, whatever language
it is in: names are found in any. Rules on how English is worded hold for English alone and are silent elsewhere.
"""

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

from elcano.activities.text.language_detection import language_of, languages_of
from elcano.activities.text.languages import ENGLISH, get_current_language, use_language
from elcano.graphs.agents.envelope import TaskEnvelope

_Answer = TypeVar("_Answer")
LOOKED_AT: Final = 30
"""Passages that tell which languages to expect of a question."""


def in_its_language(answer: Callable[[TaskEnvelope], _Answer]) -> Callable[[TaskEnvelope], _Answer]:
    """`answer`, reading words in the language of its task's question."""

    @wraps(answer)
    def answered(task: TaskEnvelope) -> _Answer:
        with use_language(language_of(task.question, found_in(task))):
            return answer(task)

    return answered


def found_in(task: TaskEnvelope) -> tuple[str, ...]:
    """The languages of what was found, the commonest first."""
    return languages_of([item.text for item in task.evidence[:LOOKED_AT] if item.text])


def in_english() -> bool:
    """Whether the task is in English."""
    return get_current_language() == ENGLISH
