"""Finding passages in an index: BM25 over title, heading and body, spread over documents.

Each function takes the connection of `Index.reading`, so that what it answers is of one moment.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from elcano.activities.sources.documents.document import Passage
from elcano.activities.sources.documents.query import (
    build_fts_expression,
    list_word_forms,
    quote_fts_word,
    search_words,
)
from elcano.activities.sources.documents.ranking import Hit
from elcano.activities.sources.documents.section_openings import stubs_last, with_beginnings, with_openings
from elcano.activities.text.known import ENGLISH
from elcano.activities.text.languages import language_of

BM25: Final = "bm25(1.5, 2.0, 1.0)"
"""Weights of title, heading and body: the words of a heading speak for all that is under it."""
PER_DOCUMENT: Final = 3
"""Passages of one document that come before the fourth-best passages of any are looked at."""
POOL: Final = 6
"""How many times more passages are ranked than wanted, to have others when one document fills the front."""
MOST_LANGUAGES: Final = 4
"""Languages of a collection in whose forms a word is searched for, the commonest; and that of the question."""
LEAST_SHARE: Final = 0.02
"""Of the documents. In a language that fewer are in, a word is searched for only if the question is in it: one document
that was taken for another language must not double the cost of every search."""


class Text(NamedTuple):
    """An indexed document."""

    key: str
    text_hash: str
    title: str
    media_type: str
    text: str


def best_passages(database: sqlite3.Connection, query: str, limit: int, *, readmes: bool = False) -> list[Hit]:
    """The best passages, best first; none if the query has no word or no passage has one of its words.

    Of `readmes` each is a whole on a thing of its own, which its title names; other documents are read by sections.
    """
    spoken = count_languages(database)
    language = language_of(query, tuple(spoken))
    match = build_fts_expression(query, language, select_search_languages(spoken, language))
    if not match:
        return []
    rows = database.execute(
        "SELECT -found.rank, document, digest, start, stop, heading, page, anchor, paragraph"
        " FROM (SELECT rowid AS id, rank FROM words"
        " WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?) AS found"
        " JOIN passage ON passage.id = found.id"
        " ORDER BY found.rank, passage.id",
        (match, BM25, limit * POOL),
    )
    found = [Hit(score, document, digest, Passage(*rest)) for score, document, digest, *rest in rows]
    wanted = search_words(query, language)
    if readmes:
        return with_beginnings(database, spread_over_documents(found, limit), wanted, limit)
    return with_openings(database, spread_over_documents(stubs_last(database, found), limit), wanted, limit)


def count_languages(database: sqlite3.Connection) -> dict[str, int]:
    """How many documents are in each language, the commonest first; those without a text are in none."""
    rows = database.execute(
        "SELECT language, count(*) AS documents FROM document WHERE language != ''"
        " GROUP BY language ORDER BY documents DESC, language"
    )
    return dict(rows.fetchall())


def select_search_languages(spoken: Mapping[str, int], language: str = "") -> tuple[str, ...]:
    """The languages in whose forms to search for the words of a question in `language`, that one first."""
    least = LEAST_SHARE * sum(spoken.values())
    common = [one for one, documents in spoken.items() if documents >= least][:MOST_LANGUAGES]
    return tuple(dict.fromkeys([*([language] if language in spoken else []), *common])) or (ENGLISH,)


def spread_over_documents(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """The first `limit` hits: of one document more than three only where others run out, and no passage twice."""
    front: list[Hit] = []
    back: list[Hit] = []
    taken: Counter[int] = Counter()
    seen: set[bytes] = set()
    for hit in hits:
        if hit.digest in seen:
            continue
        seen.add(hit.digest)
        taken[hit.document] += 1
        (front if taken[hit.document] <= PER_DOCUMENT else back).append(hit)
    chosen = (front + back)[:limit]
    return sorted(chosen, key=lambda hit: hit.score, reverse=True)


def load_indexed_texts(database: sqlite3.Connection, documents: Iterable[int]) -> dict[int, Text]:
    """Indexed documents by their number."""
    numbers = tuple(set(documents))
    rows = database.execute(
        "SELECT id, key, text_hash, title, media_type, text FROM document"
        f" WHERE id IN ({', '.join('?' * len(numbers))})",
        numbers,
    )
    return {number: Text(*rest) for number, *rest in rows}


def count_word_frequencies(database: sqlite3.Connection, words: Sequence[str]) -> tuple[int, list[int]]:
    """How many passages there are, and for each word how many have it, in any of its forms, in their text.

    Titles and headings do not count: one title would make its words look common in every passage below it.
    """
    (total,) = database.execute("SELECT count(*) FROM passage").fetchone()
    every = select_search_languages(count_languages(database))
    counts = []
    for word in words:
        any_of = " OR ".join(map(quote_fts_word, list_word_forms(word, every)))
        found = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (f"body : ({any_of})",))
        counts.append(int(found.fetchone()[0]))
    return int(total), counts
