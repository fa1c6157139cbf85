"""Which mode a run that was left to choose has chosen, and why."""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

REASON_CHARACTERS: Final = 600
"""Of a reason, for people."""


class Choice(Frozen):
    """The mode by which a run goes on that was asked for as `auto`; empty until it was chosen."""

    mode: str = ""
    reason: str = Field(default="", max_length=REASON_CHARACTERS + 1)
    """One or two sentences, for whoever asked."""


def format_chosen_mode(asked: str, choice: Choice) -> str:
    """Return a mode in one word: the mode asked for and, if that was left to the run, the one it chose."""
    return f"{asked}/{choice.mode}" if choice.mode and choice.mode != asked else asked
