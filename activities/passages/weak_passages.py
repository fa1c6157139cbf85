"""Tells passages that were found and say nothing themselves: stubs, entries of lists of references, bare numbers."""

import re
import sqlite3
from collections.abc import Collection
from typing import Final, NamedTuple

from elcano.activities.passages.document import Passage

STUB_CHARACTERS: Final = 200
"""A passage below a heading that is no longer says little but its heading: a line of a table of contents, see also."""
_REFERENCES: Final = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})?\.?\s{1,3})?(?:list of |cited )?(?:references|bibliography|literature(?: cited)?"
    r"|works cited|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références|bibliographie|referencias|bibliografía"
    r"|bibliografia|referências|riferimenti|literatuur|参考文献|参考資料)\W{0,3}",
    re.IGNORECASE,
)
"""The heading of a list of references; in manuals a section on references may be called so, which names no years."""
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
LEAST_SHARE_OF_LETTERS: Final = 0.35
"""Passages of formulas have more, the numbers along the axes of figures less."""
SENTENCE_ENDS: Final = frozenset(".!?\u2026\u3002\uff01\uff1f")


class Hit(NamedTuple):
    """A passage that was found."""

    score: float
    """The higher the better; comparable within one search."""
    document: int
    """Its number in the index."""
    digest: bytes
    """Equal for passages of equal words."""
    passage: Passage


def is_line(database: sqlite3.Connection, hit: Hit) -> bool:
    """Whether a passage is no more than a line or two, and no sentence."""
    if hit.passage.end - hit.passage.start >= STUB_CHARACTERS:
        return False
    last = "SELECT substr(text, ?, 1) FROM document WHERE id = ?"
    rows = database.execute(last, (hit.passage.end, hit.document)).fetchall()
    return all(end not in SENTENCE_ENDS for (end,) in rows)


def stubs_last(database: sqlite3.Connection, hits: Collection[Hit]) -> list[Hit]:
    """Return `hits` in their order, but with those at the end that say nothing themselves.

    These are a line or two below a heading that are no sentence, entries of a list of references, which have the words
    of titles by others, and rows of numbers without words, as of the axes of a figure.
    """
    return sorted(hits, key=lambda hit: _says_nothing(database, hit))


def _says_nothing(database: sqlite3.Connection, hit: Hit) -> bool:
    heading = hit.passage.heading
    if _REFERENCES.fullmatch(heading.rpartition(" > ")[2]) and _YEAR.search(_load_text(database, hit)):
        return True
    return (bool(heading) and is_line(database, hit)) or _has_no_words(database, hit)


def _load_text(database: sqlite3.Connection, hit: Hit) -> str:
    start, end = hit.passage.start, hit.passage.end
    wanted = "SELECT substr(text, ?, ?) FROM document WHERE id = ?"
    return "".join(text for (text,) in database.execute(wanted, (start + 1, end - start, hit.document)))


def _has_no_words(database: sqlite3.Connection, hit: Hit) -> bool:
    """Whether most signs of a short passage are no letters, and it is no row of a table."""
    if hit.passage.end - hit.passage.start > STUB_CHARACTERS:
        return False
    text = _load_text(database, hit)
    signs = len("".join(text.split()))
    return signs > 0 and " | " not in text and sum(map(str.isalpha, text)) < signs * LEAST_SHARE_OF_LETTERS
