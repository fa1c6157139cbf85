"""Selects passages from the works that a service returned: those that fit the query best, few from one work.

A service ranks works. If each work is one passage, its order is kept; if works have many, BM25 compares the passages
with the query by their words, as for documents, and passages that share no word come last, in the service's order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

from elcano.activities.passages.index_words import search_words
from elcano.activities.passages.search import PER_DOCUMENT
from elcano.activities.similarity.related_passages import score_passages
from elcano.activities.sources.base import SearchResults
from elcano.activities.text.stems import list_stems
from elcano.plugins.literature.work_records import Record, WorkRecord
from elcano.storage.evidence import Evidence

LEAST_SHARE: Final = 1 / 3
"""Minimum share of a query's telling words in a work, in any form: less is what one common word finds."""


def keep_fitting_records(query: str, records: Iterable[Record]) -> tuple[list[Record], int]:
    """Return the records that have a third of a query's words, in their order, and the number of the others.

    A service that is queried for any of the words always returns some works. Words of a title, a text, authors and a
    venue count. A query without words keeps all.
    """
    asked = set(list_stems(" ".join(search_words(query))))
    given = list(records)
    needed = ceil(len(asked) * LEAST_SHARE)
    kept = [record for record in given if len(asked.intersection(_collect_record_stems(record))) >= needed]
    return kept, len(given) - len(kept)


def take_first_passages(works: Iterable[WorkRecord | None], limit: int, warnings: Sequence[str] = ()) -> SearchResults:
    """Return the first `limit` passages in the order of the works; scores fall with the rank."""
    kept = _drop_repeated_works(works)
    return _build_results([passage for work in kept for passage in work.passages][:limit], kept, warnings)


def select_passages(
    query: str,
    works: Iterable[WorkRecord | None],
    limit: int,
    warnings: Sequence[str] = (),
    last: Iterable[WorkRecord | None] = (),
) -> SearchResults:
    """Return the `limit` passages that fit `query` best; more than three from one work only if others run out.

    Those of `last` come after all others.
    """
    kept, titles = _drop_repeated_works(works), _drop_repeated_works(last)
    pool = [passage for work in kept for passage in work.passages]
    fits = score_passages(query, pool)
    order = [*fits, *(at for at in range(len(pool)) if at not in fits)]
    taken: Counter[str] = Counter()
    front: list[Evidence] = []
    back: list[Evidence] = []
    for passage in (pool[at] for at in order):
        taken[passage.document] += 1
        (front if taken[passage.document] <= PER_DOCUMENT else back).append(passage)
    chosen = [*front, *back, *(passage for work in titles for passage in work.passages)]
    return _build_results(chosen[:limit], [*kept, *titles], warnings)


def _collect_record_stems(record: Record) -> set[str]:
    work = record.work
    said = (work.title, *work.authors, work.venue, work.publisher, work.published)
    return set(list_stems(" ".join((*said, *(block.text for block in record.blocks)))))


def _drop_repeated_works(works: Iterable[WorkRecord | None]) -> list[WorkRecord]:
    """Drop works that a service named twice."""
    kept: dict[str, WorkRecord] = {}
    for work in works:
        if work is not None:
            kept.setdefault(work.passages[0].id, work)
    return list(kept.values())


def _build_results(passages: Sequence[Evidence], works: Sequence[WorkRecord], warnings: Sequence[str]) -> SearchResults:
    hashes = {passage.content_hash for passage in passages}
    texts = {work.text.content_hash: work.text for work in works if work.text.content_hash in hashes}
    scored = (passage.model_copy(update={"score": 1 / rank}) for rank, passage in enumerate(passages, 1))
    return SearchResults(evidence=tuple(scored), texts=tuple(texts.values()), warnings=tuple(warnings))
