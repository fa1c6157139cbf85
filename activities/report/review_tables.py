"""The tables of a literature review; what a text does not say is `not stated`."""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.report.markdown import plain
from elcano.graphs.shortening import shortened
from elcano.graphs.values.review import Cell, Review, SourceRecords

NOT_STATED: Final = "not stated"
CELL_CHARACTERS: Final = 300

_RECORDS: Final = (
    "Source",
    "Searches",
    "Passages found",
    "Records found",
    "After removing duplicates",
    "Kept",
    "Cited",
)
_STUDIES: Final = ("Reference", "Study", "Design", "Size", "Outcome, as the report quotes it")


def records(review: Review | None) -> list[str]:
    """How many records each source gave and what became of them; nothing of a report that is no review."""
    if review is None:
        return []
    rows = [_row(one) for one in (*review.sources, review.total)]
    told = (
        "A record is a work, however many sources found it; after the removal of duplicates it is counted where it was "
        "found first. Kept are those that say what no older passage says. Counted by code."
    )
    return ["## Records", told, _table(_RECORDS, rows)]


def studies(review: Review | None, marks: dict[int, str]) -> list[str]:
    """The studies that are cited, with what stands in their texts."""
    if review is None or not review.studies:
        return []
    rows = [
        (
            f"[{one.number}, {marks[one.number]}]" if one.number in marks else f"[{one.number}]",
            plain(one.name) or NOT_STATED,
            plain(shortened(one.design, CELL_CHARACTERS)) or NOT_STATED,
            _cell(one.size),
            _cell(one.outcome),
        )
        for one in review.studies
    ]
    return ["## Studies cited", _table(_STUDIES, rows)]


def _row(one: SourceRecords) -> Sequence[str]:
    searches = f"{one.searches:,} ({one.failed:,} failed)" if one.failed else f"{one.searches:,}"
    counts = (one.found, one.records, one.unique, one.kept, one.cited)
    return (plain(one.source) or "All", searches, *(f"{count:,}" for count in counts))


def _cell(cell: Cell) -> str:
    text = shortened(" ".join(cell.text.split()), CELL_CHARACTERS)
    if not text:
        return NOT_STATED
    return f"“{plain(text)}”" if cell.content_hash else plain(text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
