"""Reads the beginnings of sections: they state the general facts, but a search ranks repetitions higher.

A page on an option says what it is in its first lines and names it in all others, so that the words of a question rank
any of these higher. Beside a passage that was found the first one below the same heading is read, and for a page that
is called after what is searched for its first one. Of a readme that is searched for the beginning is read.
"""

import sqlite3
from collections.abc import Collection
from typing import Final

from elcano.activities.sources.documents.document import Passage
from elcano.activities.sources.documents.query import search_words
from elcano.activities.sources.documents.ranking import Hit

STUB_CHARACTERS: Final = 200
"""A passage below a heading that is no longer says little but its heading: a line of a table of contents, see also."""
SENTENCE_ENDS: Final = frozenset(".!?\u2026\u3002\uff01\uff1f")
LEAST_LETTERS: Final = 4
"""A heading is called after a word if it has its beginning, all but three letters of it and at least so many."""
NAMES: Final = " OR ".join(
    f"instr(substr(document.text, start + 1, stop - start), ' {dash} ') > 0" for dash in ("-", "\u2013", "\u2014")
)
"""Of a passage that says in a line what its page is for: `git-stash - Stash the changes ...`."""
OPENED: Final = 3
"""Of so many passages one may be an opening that was not found by its own words."""
MUCH: Final = 3
"""A readme of which so many passages were found is what was searched for, whether it is named or not."""
BEGINNING: Final = 3
"""Among so many passages that a document begins with is the first one that says something; others are signs."""


def is_stub(database: sqlite3.Connection, hit: Hit) -> bool:
    """Whether a passage is no more than a line or two below a heading, and no sentence."""
    return bool(hit.passage.heading) and _is_line(database, hit)


def _is_line(database: sqlite3.Connection, hit: Hit) -> bool:
    """Whether a passage is no more than a line or two, and no sentence."""
    if hit.passage.end - hit.passage.start >= STUB_CHARACTERS:
        return False
    last = "SELECT substr(text, ?, 1) FROM document WHERE id = ?"
    rows = database.execute(last, (hit.passage.end, hit.document)).fetchall()
    return all(end not in SENTENCE_ENDS for (end,) in rows)


def with_openings(database: sqlite3.Connection, hits: list[Hit], words: Collection[str], limit: int) -> list[Hit]:
    """`hits` with the openings of the first ones' sections and pages, each behind the passage that led to it.

    At most `limit` passages, best first; what an opening takes the place of is what was found last. An opening counts
    as much as what led to it.
    """
    known = {hit.digest for hit in hits}
    opened: list[tuple[int, Hit]] = []
    for opens in (_find_section_opening, _find_page_opening):
        for place, hit in enumerate(hits[: limit // 2]):
            opening = opens(database, hit, words)
            if opening is not None and opening.digest not in known and len(opened) < limit // OPENED:
                known.add(opening.digest)
                opened.append((place, opening))
    kept = hits[: limit - len(opened)]
    found: list[Hit] = []
    for place, hit in enumerate(hits[:limit]):
        found += [hit] if place < len(kept) else []
        found += [opening for led, opening in opened if led == place]
    return found


def with_beginnings(database: sqlite3.Connection, hits: list[Hit], words: Collection[str], limit: int) -> list[Hit]:
    """The first `limit` of `hits`, among which each readme that is searched for says what its subject is.

    It does so where it begins, in words that are seldom the question's. That passage takes the place of the last one
    of the same readme: no other is left out for it, and where one passage was found, that one is the answer.
    """
    found = hits[:limit]
    for document in dict.fromkeys(hit.document for hit in found):
        own = [place for place, hit in enumerate(found) if hit.document == document]
        if len(own) >= MUCH or (len(own) > 1 and _is_named(database, document, words)):
            beginning = _find_document_opening(database, found[own[-1]])
            if beginning is not None and beginning.digest not in {hit.digest for hit in found}:
                found[own[-1]] = beginning
    return found


def _is_named(database: sqlite3.Connection, document: int, words: Collection[str]) -> bool:
    """Return whether a search has all of a document's title: `fastapi` means no other title that begins with it."""
    ((title,),) = database.execute("SELECT title FROM document WHERE id = ?", (document,))
    named = search_words(title)
    return bool(named) and set(named) <= set(words)


def _find_document_opening(database: sqlite3.Connection, hit: Hit) -> Hit | None:
    """The first passage of the document of `hit` that is more than a line without a sentence."""
    rows = database.execute(
        "SELECT digest, start, stop, heading, page, anchor, paragraph FROM passage"
        " WHERE document = ? ORDER BY start LIMIT ?",
        (hit.document, BEGINNING),
    )
    first = (Hit(hit.score, hit.document, digest, Passage(*rest)) for digest, *rest in rows.fetchall())
    return next((one for one in first if not _is_line(database, one)), None)


def _find_section_opening(database: sqlite3.Connection, hit: Hit, words: Collection[str]) -> Hit | None:
    """The first passage below the heading of `hit`, if that or the page is called after one of `words`."""
    page, _, _ = hit.passage.heading.partition(" > ")
    section = hit.passage.heading.rpartition(" > ")[2]
    if not _is_called(f"{section} {page}", words):
        return None
    return _query_first_hit(database, hit, "heading = ?", hit.passage.heading)


def _find_page_opening(database: sqlite3.Connection, hit: Hit, words: Collection[str]) -> Hit | None:
    """The first passage of the page of `hit`, if that is called after one of `words`."""
    if not _is_called(hit.passage.heading.partition(" > ")[0], words):
        return None
    return _query_first_hit(database, hit, f"heading != '' AND (stop - start >= ? OR {NAMES})", STUB_CHARACTERS)


def _query_first_hit(database: sqlite3.Connection, hit: Hit, where: str, value: str | int) -> Hit | None:
    rows = database.execute(
        "SELECT digest, start, stop, heading, page, anchor, paragraph"
        " FROM passage JOIN document ON document.id = passage.document"
        f" WHERE document = ? AND {where} ORDER BY start LIMIT 1",
        (hit.document, value),
    )
    return next((Hit(hit.score, hit.document, digest, Passage(*rest)) for digest, *rest in rows), None)


def _is_called(heading: str, words: Collection[str]) -> bool:
    lower = heading.lower()
    return any(len(word) >= LEAST_LETTERS and word[: max(LEAST_LETTERS, len(word) - 3)] in lower for word in words)


def stubs_last(database: sqlite3.Connection, hits: Collection[Hit]) -> list[Hit]:
    """Return `hits` in their order, but with stubs at the end."""
    return sorted(hits, key=lambda hit: is_stub(database, hit))
