"""Widens a query if no work has all of its words: asks for works with any of them, best first.

Only plain words are widened so. Who writes operators, phrases or fields means them.
"""

import re
from typing import Final

from elcano.activities.text.stems import content_words

MOST_WORDS: Final = 20
"""Of a widened query; services refuse or ignore long lists."""
_MEANT: Final = re.compile(r"[\"()\[\]|]|(?<!\S)(?:AND|OR|NOT|ANDNOT)(?!\S)|(?<!\S)-\w|\w:\S")


def any_of(query: str) -> str:
    """The telling words of `query` joined by OR; empty if it has fewer than two, or is written in a syntax."""
    words = () if _MEANT.search(query) else content_words(query)[:MOST_WORDS]
    return " OR ".join(words) if len(words) > 1 else ""
