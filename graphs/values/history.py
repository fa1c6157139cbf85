"""The earlier questions and answers of the runs that a run follows: bounded, oldest first.

It tells what the question refers to. An earlier answer is no evidence: what may be cited of earlier runs are their
passages, which the run that follows has as its own.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

MOST_ENTRIES: Final = 6
"""Of the conversation so far, the latest."""
QUESTION_CHARACTERS: Final = 400
ANSWER_CHARACTERS: Final = 900
OLDER_ANSWER_CHARACTERS: Final = 300
"""Of an answer before the latest one."""
SQL_CHARACTERS: Final = 1_000
MOST_SQL: Final = 2
MOST_CITED: Final = 10
"""Ids of evidence that an entry names."""
MOST_EVIDENCE: Final = 40
"""Passages that a run takes over from the one that it follows."""


class HistoryEntry(Frozen):
    """One question that was asked before, and what came of it."""

    run_id: str
    question: str = Field(max_length=QUESTION_CHARACTERS + 1)
    answer: str = Field(default="", max_length=ANSWER_CHARACTERS + 1)
    """The beginning of its answer; empty: there was none."""
    status: str = ""
    """How that run ended."""
    ending: str = ""
    """Why it ended early, or failed; empty if it did not."""
    sql: tuple[str, ...] = Field(default=(), max_length=MOST_SQL)
    """What it asked databases last."""
    evidence: tuple[str, ...] = Field(default=(), max_length=MOST_CITED)
    """Ids of the passages that its report cites first."""
    report: str = ""
    """The artifact hash of its report; empty: it has none."""


def strip_history_for_agent(history: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    """Return the history as agents see it, without what only programs use."""
    return tuple(one.model_copy(update={"evidence": (), "report": ""}) for one in history)
