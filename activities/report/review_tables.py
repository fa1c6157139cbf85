"""The tables of a literature review; what a text does not say is `not stated`."""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.activities.report.markdown import escape_markdown
from elcano.graphs.report.report import Cell, Review, SourceRecords
from elcano.graphs.text import shorten_text

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


def render_record_table(review: Review | None) -> list[str]:
    """How many records each source gave and what became of them; nothing of a report that is no review."""
    if review is None:
        return []
    rows = [_format_record_row(one) for one in (*review.sources, review.total)]
    told = (
        "A record is a work, however many sources found it; after the removal of duplicates it is counted where it was "
        "found first. Kept are those that say what no older passage says. Counted by code."
    )
    return ["## Records", told, _format_markdown_table(_RECORDS, rows)]


def render_study_table(review: Review | None, marks: dict[int, str]) -> list[str]:
    """The studies that are cited, with what stands in their texts."""
    if review is None or not review.studies:
        return []
    rows = [
        (
            f"[{one.number}, {marks[one.number]}]" if one.number in marks else f"[{one.number}]",
            escape_markdown(one.name) or NOT_STATED,
            escape_markdown(shorten_text(one.design, CELL_CHARACTERS)) or NOT_STATED,
            _format_study_cell(one.size),
            _format_study_cell(one.outcome),
        )
        for one in review.studies
    ]
    return ["## Studies cited", _format_markdown_table(_STUDIES, rows)]


def _format_record_row(one: SourceRecords) -> Sequence[str]:
    searches = f"{one.searches:,} ({one.failed:,} failed)" if one.failed else f"{one.searches:,}"
    counts = (one.found, one.records, one.unique, one.kept, one.cited)
    return (escape_markdown(one.source) or "All", searches, *(f"{count:,}" for count in counts))


def _format_study_cell(cell: Cell) -> str:
    text = shorten_text(" ".join(cell.text.split()), CELL_CHARACTERS)
    if not text:
        return NOT_STATED
    return f"“{escape_markdown(text)}”" if cell.content_hash else escape_markdown(text)


def _format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
