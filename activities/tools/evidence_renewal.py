"""Renews what is known of a work whose text is unchanged: a paper stored last year may have been retracted since.

What is kept is never changed, since reports were made of it. So a passage whose work is told of otherwise now is kept
once more, under an id that says so, and a run goes by what was told to it.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from elcano.graphs.values.work_metadata import Work
from elcano.storage.evidence import Evidence

_LONGEST_ID: Final = 300
_PASSING: Final = {"retrieved_at", "cited_by"}
"""What changes from one search to the next and says nothing of whether a work stands."""


def as_told_now(found: Sequence[Evidence], kept: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """`found`, those under an id of their own of whose work something else is kept; doing it again gives the same."""
    before = {passage.id: passage for passage in kept}
    return tuple(_renew_if_changed(passage, before.get(passage.id)) for passage in found)


def _renew_if_changed(passage: Evidence, kept: Evidence | None) -> Evidence:
    if kept is None or _serialize_work(kept.work) == _serialize_work(passage.work):
        return passage
    # Of the whole id, since a long one loses its end, by which it differs from others.
    ending = f"~{sha256(f'{passage.id} {_serialize_work(passage.work)}'.encode()).hexdigest()[:12]}"
    return passage.model_copy(update={"id": passage.id[: _LONGEST_ID - len(ending)] + ending})


def _serialize_work(work: Work | None) -> str:
    return work.model_dump_json(exclude=_PASSING) if work else ""
