"""Locators of passages for readers: the path of a file with page, range, anchor or paragraph."""

import hashlib
from typing import Final

from elcano.activities.passages.document import Passage
from elcano.activities.passages.search import Text
from elcano.graphs.frozen import JsonObject
from elcano.storage.evidence import format_page

PATH_CHARACTERS: Final = 180
"""A longer path is shortened in ids, which may have 300 characters in all; its hash keeps it unique."""


def format_locator(text: Text, passage: Passage, described: JsonObject) -> str:
    """Format the place of a passage; an anchor made of the words of the document's title would only repeat these."""
    if passage.last_page:
        first, last = (format_page(page, described) for page in (passage.page, passage.last_page))
        return f"{text.key}, pages {first}\u2013{last}"
    if passage.page:
        return f"{text.key}, page {format_page(passage.page, described)}"
    if "!" in passage.anchor:  # a sheet and its range, which no fragment has
        return f"{text.key}, {passage.anchor}"
    if passage.anchor and _keep_letters(passage.anchor) != _keep_letters(text.title):
        return f"{text.key}#{passage.anchor}"
    return f"{text.key}, paragraph {passage.paragraph}" if passage.paragraph else text.key


def _keep_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def shorten_key(key: str) -> str:
    """A path as ids have it."""
    if len(key) <= PATH_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{digest}...{key[-(PATH_CHARACTERS - len(digest) - 3) :]}"
