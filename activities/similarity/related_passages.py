"""Which passages bear on a question: by their words, and where vectors are at hand by half their words, half those.

Words are scored with BM25, as in a documents source. With an embedder the best 60 are scored again: both scores are
brought to 0..1 and added in equal parts, which found more than either of them on PubMedQA (R@1 .962 by words, .971 by
vectors, .982 by both), XQuAD and Cranfield, and more than ranks fused.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Final

from elcano.activities.passages.index_words import TOKENIZER, build_fts_expression, format_index_text
from elcano.activities.passages.search import BM25
from elcano.activities.similarity.embedder import Embedder
from elcano.activities.text.language_detection import language_of, text_language
from elcano.storage.evidence import Evidence

POOL: Final = 60
"""Passages whose vectors are looked at. Those that share words come first, then others in the order of finding."""
LEAST_COSINE: Final = 0.3
"""A passage that shares no word is related only if it is this close."""


def rank_related_passages(
    query: str, passages: Sequence[Evidence], limit: int, embedder: Embedder | None
) -> list[Evidence]:
    """At most `limit` of `passages`, the best first; none that has nothing in common with `query`."""
    words = score_passages(query, passages)
    if embedder is None:
        return [passages[at] for at in words][:limit]
    pool = [*words, *(at for at in range(len(passages)) if at not in words)][:POOL]
    cosines = _compute_cosines(query, [passages[at] for at in pool], embedder)
    shared = _scale_scores([words.get(at, 0.0) for at in pool])
    score = {at: own + close for at, own, close in zip(pool, shared, _scale_scores(cosines), strict=True)}
    found = [at for at, cosine in zip(pool, cosines, strict=True) if at in words or cosine >= LEAST_COSINE]
    return [passages[at] for at in sorted(found, key=lambda at: -score[at])[:limit]]


def score_passages(query: str, passages: Sequence[Evidence]) -> Mapping[int, float]:
    """The score of each passage that has a word of `query`, by its position, the best first."""
    spoken = [text_language(f"{one.title}\n{one.text}") for one in passages]
    common = [language for language, _ in Counter(spoken).most_common()]
    match = build_fts_expression(query, language_of(query, common), common)
    if not match or not passages:
        return {}
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f'CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize="{TOKENIZER}")')
        rows = (
            (at, *(format_index_text(text, language) for text in (one.title, one.heading, one.text)))
            for at, (one, language) in enumerate(zip(passages, spoken, strict=True))
        )
        database.executemany("INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)", rows)
        ranked = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank, rowid"
        return dict(database.execute(ranked, (match, BM25)).fetchall())


def _compute_cosines(query: str, passages: Sequence[Evidence], embedder: Embedder) -> list[float]:
    asked, *rest = embedder.embed([query, *(f"{one.title}\n{one.text}" for one in passages)])
    return [float(one @ asked) for one in rest]


def _scale_scores(scores: Sequence[float]) -> list[float]:
    """`scores` from 0 to 1; all 0 if they do not differ."""
    least = min(scores, default=0.0)
    reach = max(scores, default=0.0) - least
    return [(score - least) / reach if reach else 0.0 for score in scores]
