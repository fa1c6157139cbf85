"""Selects passages from the works that a service returned: those that fit the query best, few from one work.

A service ranks works. Where each is one passage its order is kept; where works have many, the passages are compared by
their words with BM25, as passages of documents are, and those that share no word come last, in the service's order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from elcano.activities.passages.search import PER_DOCUMENT
from elcano.activities.similarity.related_passages import score_passages
from elcano.activities.sources.base import SearchResults
from elcano.plugins.literature.work_records import WorkRecord
from elcano.storage.evidence import Evidence


def take_first_passages(works: Iterable[WorkRecord | None], limit: int, warnings: Sequence[str] = ()) -> SearchResults:
    """The first `limit` passages in the order of the works; scores fall with the rank."""
    kept = _each_once(works)
    return _build_found([passage for work in kept for passage in work.passages][:limit], kept, warnings)


def select_fitting_passages(
    query: str,
    works: Iterable[WorkRecord | None],
    limit: int,
    warnings: Sequence[str] = (),
    last: Iterable[WorkRecord | None] = (),
) -> SearchResults:
    """The `limit` passages that fit `query` best; of one work more than three only where others run out.

    Those of `last` come after all others.
    """
    kept = _each_once(works)
    pool = [passage for work in kept for passage in work.passages]
    fits = score_passages(query, pool)
    order = [*fits, *(at for at in range(len(pool)) if at not in fits)]
    taken: Counter[str] = Counter()
    front: list[Evidence] = []
    back: list[Evidence] = []
    for passage in (pool[at] for at in order):
        taken[passage.document] += 1
        (front if taken[passage.document] <= PER_DOCUMENT else back).append(passage)
    titles = _each_once(last)
    chosen = [*front, *back, *(passage for work in titles for passage in work.passages)]
    return _build_found(chosen[:limit], [*kept, *titles], warnings)


def _each_once(works: Iterable[WorkRecord | None]) -> list[WorkRecord]:
    """Services name a work twice now and then."""
    kept: dict[str, WorkRecord] = {}
    for work in works:
        if work is not None:
            kept.setdefault(work.passages[0].id, work)
    return list(kept.values())


def _build_found(passages: Sequence[Evidence], works: Sequence[WorkRecord], warnings: Sequence[str]) -> SearchResults:
    hashes = {passage.content_hash for passage in passages}
    texts = {work.text.content_hash: work.text for work in works if work.text.content_hash in hashes}
    scored = (passage.model_copy(update={"score": 1 / rank}) for rank, passage in enumerate(passages, 1))
    return SearchResults(evidence=tuple(scored), texts=tuple(texts.values()), warnings=tuple(warnings))
