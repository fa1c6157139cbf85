"""Recognises found passages that say nothing themselves: stubs, bylines, notes, lists of references, numbers."""

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
_NAME: Final = re.compile(
    r"\b[^\W\d_][\w\u2019'-]+,? (?:[A-Z]\.?-?){1,3}(?=[,;.&:]|\s(?:and|et)\b|$)"  # Rieser J, Rieser, J. P.
    r"|\b(?:[A-Z]\.[ -]?){1,3}[^\W\d_][\w\u2019'-]+(?=[,;.&]|\s(?:and|et)\b|$)"  # J. P. Rieser
    r"|\bet al\b"
)
"""An author as bylines and lists of references have them."""
WORDS_OF_NAME: Final = 6
"""An entry of a list of references has a name for so many of its words; prose has fewer."""
LEAST_NAMES: Final = 4
FIRST_LIST: Final = 3_000
"""The character before which no list of references can be: what it is of comes first."""
_BYLINE: Final = re.compile(
    r"\bet al\b|\b[A-Z]\.[ -]?(?:[A-Z]\.[ -]?)*[^\W\d_]{2,}[^.]*[,&]|,[^.]*\s[A-Z]\.[ -]?[^\W\d_]{3,}"
)
"""Marks of authors' names among other names: initials in a list, or `et al`."""
_PARTICLES: Final = frozenset(
    {
        *("al", "and", "con", "da", "de", "del", "della", "der", "di", "do", "dos", "du", "e", "el", "et", "in", "la"),
        *("le", "les", "of", "och", "og", "und", "van", "von", "y", "zu"),
    }
)
"""Words in lower case that stand between names."""
_WORD: Final = re.compile(r"[^\W\d_][\w\u2019'-]*")
_NOTE: Final = re.compile(
    r"\W*(?:this (?:content|article|document|paper|file|copy)(?: (?:was|is|has been))? )?"
    r"(?:downloaded (?:from|by|on|at)\b|heruntergeladen (?:von|am)\b|t\u00e9l\u00e9charg\u00e9e? (?:de|depuis|le|par)\b"
    r"|descargado (?:de|el|por)\b)"
    r"|\W*(?:copyright|\u00a9|\(c\))(?:\s|\u00a9|\(c\))*(?:by\s)?(?:19|20)\d\d\b"
    r"|\W*(?:\w{1,12} )?(?:supplementa(?:ry|l)|supporting) (?:data|files?|figures?|information|materials?|tables?)\b"
    r".{0,150}\b(?:available|found|accompan\w+|accessed|associated)\b",
    re.IGNORECASE,
)
"""Beginning of a note that a publisher puts on each page, or on where more of an article is."""
_ENTRY: Final = re.compile(r"\W{0,2}\d{1,3}(?:\]|\.|\))\s")
"""Number of a work in a list."""
NOTE_CHARACTERS: Final = 300
"""Maximum length of a byline, and of a note."""
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
    of titles by others, bylines, notes on who downloaded a page, and rows of numbers without words, as of the axes of a
    figure.
    """
    return sorted(hits, key=lambda hit: _says_nothing(database, hit))


def _says_nothing(database: sqlite3.Connection, hit: Hit) -> bool:
    heading, length = hit.passage.heading, hit.passage.end - hit.passage.start
    if heading and is_line(database, hit):
        return True
    listed = _REFERENCES.fullmatch(heading.rpartition(" > ")[2]) is not None
    if not listed and length > NOTE_CHARACTERS and hit.passage.start < FIRST_LIST:
        return False
    text = _load_text(database, hit)
    if listed and _YEAR.search(text):
        return True
    if length <= NOTE_CHARACTERS and (_NOTE.match(text) or is_byline(text)):
        return True
    return (length <= STUB_CHARACTERS and _has_no_words(text)) or is_list_of_works(text)


def is_byline(text: str) -> bool:
    """Return whether a text names authors, in capitals but for particles, and says nothing of them."""
    words = _WORD.findall(text)
    small = (word for word in words if word[0].islower() and word not in _PARTICLES)
    dated = _YEAR.search(text) is not None and _NAME.search(text) is not None
    return len(words) > 1 and (dated or _BYLINE.search(text) is not None) and next(small, None) is None


def is_list_of_works(text: str) -> bool:
    """Return whether a text consists of works with their authors and years, or of one with its number."""
    names, years = len(_NAME.findall(text)), len(_YEAR.findall(text))
    if names and years and _ENTRY.match(text):
        return names * 2 * WORDS_OF_NAME >= len(_WORD.findall(text))
    return names >= LEAST_NAMES and years > 1 and names * WORDS_OF_NAME >= len(_WORD.findall(text))


def _load_text(database: sqlite3.Connection, hit: Hit) -> str:
    start, end = hit.passage.start, hit.passage.end
    wanted = "SELECT substr(text, ?, ?) FROM document WHERE id = ?"
    return "".join(text for (text,) in database.execute(wanted, (start + 1, end - start, hit.document)))


def _has_no_words(text: str) -> bool:
    """Whether most signs are no letters, and it is no row of a table."""
    signs = len("".join(text.split()))
    return signs > 0 and " | " not in text and sum(map(str.isalpha, text)) < signs * LEAST_SHARE_OF_LETTERS
