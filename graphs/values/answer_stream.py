"""The words of an answer while it is being written. They are shown and forgotten: no event, no record, no history.

They travel in the details of an activity's heartbeat, beside what the next attempt needs, and are read from there.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

SHOWN_CHARACTERS: Final = 2_000
"""The most that is shown of a text: its end. In a heartbeat it takes 12 kB at worst (each character escaped), which
stays below what is kept outside of Temporal's own database."""
BEAT_SECONDS: Final = 0.5
"""How often an activity beats, and so how old its words may be."""


class Words(Frozen):
    """What an agent has written so far. Travels: new fields get defaults."""

    step: int = Field(ge=0)
    node: str
    attempt: int = Field(ge=1)
    """Of the activity: what an attempt wrote that failed is void."""
    text: str = Field(max_length=SHOWN_CHARACTERS)
    """The end of it."""
    characters: int = Field(ge=0)
    """Of the whole text so far."""
