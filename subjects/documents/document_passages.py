"""The passages of one indexed document: all of them, or those that fit questions best if it has too many."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from elcano.activities.passages.document import Passage
from elcano.activities.passages.search import (
    BM25,
    build_fts_expression,
    count_languages,
    load_indexed_texts,
    select_search_languages,
)
from elcano.activities.passages.search import Text as IndexedText
from elcano.activities.passages.weak_passages import Hit
from elcano.text.languages import language_of

_COLUMNS: Final = "digest, start, stop, heading, page, anchor, paragraph, last_page, head"


class DocumentPassages(NamedTuple):
    """Passages of a document, in the order of its text."""

    text: IndexedText
    hits: tuple[Hit, ...]
    left_out: int
    """Passages that were not chosen."""


def find_document(database: sqlite3.Connection, key: str) -> tuple[int, str] | None:
    """The number of a document in its index, and why it has no text, empty if it has; None: it is not indexed."""
    found = database.execute("SELECT id, reason FROM document WHERE key = ?", (key,)).fetchone()
    return None if found is None else (int(found[0]), str(found[1]))


def choose_passages(database: sqlite3.Connection, document: int, queries: Sequence[str], most: int) -> DocumentPassages:
    """Choose at most `most` passages: all of the document, else its first one and the best of each query in turn."""
    rows = database.execute(f"SELECT id, {_COLUMNS} FROM passage WHERE document = ? ORDER BY start", (document,))
    every = {number: Hit(0.0, document, digest, Passage(*rest)) for number, digest, *rest in rows}
    chosen = list(every)
    if len(every) > most:
        ranked = (_rank_passages(database, document, query) for query in queries)
        best = chain([chosen[0]], _take_in_turn(ranked), chosen)
        chosen = sorted(list(dict.fromkeys(best))[:most], key=lambda number: every[number].passage.start)
    text = load_indexed_texts(database, [document])[document]
    return DocumentPassages(text, tuple(every[number] for number in chosen), len(every) - len(chosen))


def _rank_passages(database: sqlite3.Connection, document: int, query: str) -> list[int]:
    """The numbers of the passages that have a word of the query, best first."""
    spoken = count_languages(database)
    language = language_of(query, tuple(spoken))
    match = build_fts_expression(query, language, select_search_languages(spoken, language))
    if not match:
        return []
    rows = database.execute(
        "SELECT passage.id FROM words JOIN passage ON passage.id = words.rowid"
        " WHERE words MATCH ? AND rank MATCH ? AND passage.document = ? ORDER BY words.rank, passage.id",
        (match, BM25, document),
    )
    return [number for (number,) in rows]


def _take_in_turn(ranked: Iterable[Sequence[int]]) -> Iterable[int]:
    """The first of each list, then the second of each, and so on."""
    return (number for turn in zip_longest(*ranked) for number in turn if number is not None)
