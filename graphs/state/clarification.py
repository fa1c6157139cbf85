"""Questions that a run asks back before it begins: each a choice or a text, all of them free to be skipped."""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

MOST_QUESTIONS: Final = 4
MOST_OPTIONS: Final = 5
QUESTION_CHARACTERS: Final = 300
OPTION_CHARACTERS: Final = 200
ANSWER_CHARACTERS: Final = 1_000


class ClarifyingQuestion(Frozen):
    """One question, and what was answered."""

    id: str
    """`q1`, `q2` and so on."""
    question: str = Field(max_length=QUESTION_CHARACTERS + 1)
    options: tuple[str, ...] = Field(default=(), max_length=MOST_OPTIONS)
    """Two to five answers to choose from, though other words are taken too; none: it is answered in words."""
    recommended: str = ""
    """The one of `options` that is taken if nothing else is known."""
    answer: str | None = None
    """Empty: it was skipped. None: it waits."""


def is_waiting(questions: tuple[ClarifyingQuestion, ...]) -> bool:
    """Whether any of them waits for its answer."""
    return any(one.answer is None for one in questions)
