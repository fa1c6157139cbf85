"""Suggests known names that resemble an unknown one, and ranks texts by the words of a question."""

import difflib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Final

from elcano.text.languages import ENGLISH, stop_words
from elcano.text.words import asked_words, split_words

MOST: Final = 5
LEAST_ALIKE: Final = 0.6
"""Minimum of `difflib`'s ratio, from 0 to 1, below which names have little in common."""
MOST_WORDS: Final = 60
"""Maximum number of words of a question that are looked up."""
_PARTS: Final = re.compile(r"[^\W\d_]+?(?=[A-Z][a-z]|_|\W|\d|$)|\d+")


def words_of(name: str) -> list[str]:
    """The words of a name in lower case: `unitPrice`, `unit_price` and `unit price` have the same ones."""
    return [part.lower() for part in _PARTS.findall(name)] or [name.lower()]


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """At most 5 of `names` that look like `name` or share a word with it, the nearest first."""
    wanted, own = name.lower(), set(words_of(name))
    rated = []
    for other in dict.fromkeys(names):
        bare = other.rpartition(".")[2]
        alike = difflib.SequenceMatcher(None, wanted, bare.lower()).ratio()
        theirs = set(words_of(bare))
        shared = len(own & theirs) / len(own | theirs) if own | theirs else 0.0
        if (rate := max(alike, 0.5 + shared / 2 if shared else 0.0)) >= LEAST_ALIKE:
            rated.append((-rate, other))
    return [other for _, other in sorted(rated)[:MOST]]


def rank_by_words(question: str, rows: Iterable[Sequence[str]], weights: Sequence[float]) -> list[int]:
    """The places of the rows that share words with the question, best first.

    Args:
        question: nothing of it but its words reaches the index.
        rows: the texts of each, one for each weight.
        weights: how much a word in each of a row's texts counts.
    """
    telling = asked_words(question, stop_words(ENGLISH)) or split_words(question)
    words = [word for word in dict.fromkeys(telling[:MOST_WORDS]) if '"' not in word and "\0" not in word]
    if not words:
        return []
    columns = ", ".join(f"c{at}" for at in range(len(weights)))
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(f"CREATE VIRTUAL TABLE t USING fts5 ({columns}, tokenize = 'porter unicode61')")
        slots = ", ".join("?" * (len(weights) + 1))
        index.executemany(
            f"INSERT INTO t (rowid, {columns}) VALUES ({slots})", ((at, *row) for at, row in enumerate(rows))
        )
        ranking = f"bm25(t, {', '.join(map(str, weights))})"
        wanted = " OR ".join(f'"{word}"' for word in words)
        found = index.execute(f"SELECT rowid FROM t WHERE t MATCH ? ORDER BY {ranking}, rowid", (wanted,))
        return [at for (at,) in found]
