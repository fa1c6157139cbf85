"""Names of documents: relative paths that are safe to write on any disk and to show in any terminal."""

import unicodedata
from hashlib import sha256
from typing import Final

from elcano.graphs.errors import InputInvalid

LONGEST_NAME: Final = 500
"""Characters of a document's whole path."""
LONGEST_PART: Final = 255
"""Bytes of one of its folders, or of its file name: what file systems take."""
_INVISIBLE: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def normalize_name(name: str) -> str:
    """The name as it is kept: in NFC, so that one name that is written in two ways is one document.

    Raises:
        InputInvalid: it cannot be the name of a document.
    """
    if (fault := _find_fault(name)) is not None:
        shown = "".join(character if character.isprintable() else "\ufffd" for character in name[:80])
        raise InputInvalid("path", f"a document cannot be called {shown!r}: {fault}")
    return unicodedata.normalize("NFC", name)


def hash_name(name: str) -> str:
    """The key of the document of this name, in the table and in its objects: names may be long, or secret."""
    return sha256(name.encode()).hexdigest()


def _find_fault(name: str) -> str | None:
    if not name.strip():
        return "it is empty"
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters; at most {LONGEST_NAME} can be kept"
    for position, character in enumerate(name):
        if unicodedata.category(character) in _INVISIBLE:
            return f"it has the character U+{ord(character):04X} at position {position}, which cannot be seen"
    if "\\" in name:
        return "folders are separated by `/`, not by `\\`"
    parts = name.split("/")
    if not all(parts):
        return "it begins or ends with `/`, or has two of them in a row"
    if any(part.strip() in (".", "..", "") for part in parts):
        return "it has a part `.` or `..`, or one of spaces alone"
    if any(len(part.encode()) > LONGEST_PART for part in parts):
        return f"one of its parts has more than {LONGEST_PART} bytes"
    return None
