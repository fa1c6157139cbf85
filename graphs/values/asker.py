"""The user who makes a request to a run, as logs and events name them: a name that can be shown as it is."""

import unicodedata
from typing import Final

NAME_CHARACTERS: Final = 200
"""Of a name; longer ones are nobody's."""


def fault_of(name: str) -> str | None:
    """Explain why a text cannot be a user's name; None if it can. The empty name stands for no user."""
    if len(name) > NAME_CHARACTERS:
        return f"it has {len(name)} characters, of which a name has {NAME_CHARACTERS} at most"
    if name != name.strip():
        return "it begins or ends with white space"
    for position, character in enumerate(name):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            return f"it has the character U+{ord(character):04X} at position {position}, which cannot be seen"
    return None


def insert_requester(text: str, by: str) -> str:
    """Add the user to the text of a request: `Asked to stop: enough` becomes `Asked to stop by alice: enough`."""
    if not by:
        return text
    told, colon, words = text.partition(":")
    return f"{told} by {by}{colon}{words}"
