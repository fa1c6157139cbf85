"""Hypotheses: what may be so, with the passages for and against each, and the searches that would decide."""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

MOST_HYPOTHESES: Final = 4
MOST_SEARCHES: Final = 3
"""Of one hypothesis."""
MOST_PASSAGES: Final = 8
"""That are named for one hypothesis, and as many against it."""
STATEMENT_CHARACTERS: Final = 500


class Hypothesis(Frozen):
    """One statement that evidence can support or contradict."""

    statement: str = Field(description="What would be so, in one sentence that evidence can contradict.")
    reasoning: str = Field(default="", description="Why it may be so, and what would be seen if it were not.")
    supports: tuple[str, ...] = Field(default=(), description="Keys of the passages that support it.")
    contradicts: tuple[str, ...] = Field(default=(), description="Keys of the passages that contradict it.")
    searches: tuple[str, ...] = Field(default=(), description="One to three searches whose results would decide it.")
