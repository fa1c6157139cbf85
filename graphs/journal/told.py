"""An event before the journal gives it its number and its time."""

from dataclasses import dataclass, field

from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.text import shorten_text

MESSAGE_CHARACTERS = 500
"""Longer texts are cut in events; they are whole in the state."""


@dataclass(frozen=True)
class EventDraft:
    """One event before it has a number."""

    type: EventType
    message: str
    node: str = ""
    data: JsonObject = field(default_factory=dict)
    path: str = ""
    """Set on an event about a branch: its `parallel_path_id`."""
    section: str = ""


def shorten_message(text: str) -> str:
    """`text` as an event has it."""
    return shorten_text(text, MESSAGE_CHARACTERS)
