"""The figures of a literature review: its records and its studies, counted and read by code, as data and as tables.

A record is a work, or a document of which no work is known. One that several sources found is counted as theirs in
`records`, and in all that follows as the one's that found it first, so that these columns add up. What a text does not
say is `not stated`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from elcano.activities.report.additions import AddedText, ReportAddition
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import escape_markdown, render_number, render_table
from elcano.activities.report.work_merge import Works
from elcano.graphs.contracts import PublishCall
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.report import CheckedCitation, Reference
from elcano.graphs.report.works import format_authors
from elcano.graphs.state.state import RELATED
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import WorkKind
from elcano.storage.evidence import Evidence
from elcano.subjects.literature.review_mode import NAME
from elcano.text.phrases import Phrases

CELL_CHARACTERS: Final = 300
NO_STUDIES: Final[frozenset[WorkKind]] = frozenset({"page", "encyclopedia", "document", "book"})
_ENROLMENT: Final = ("enrollment", "enrolment")
_NUMBER: Final = r"(?<![\d.,])(?:\d{1,3}(?:[,\u00a0\u2009 ]\d{3}){1,3}|\d{1,9})"
_WORDS: Final = r"(?:[\w-]{1,30}\s){0,3}?"
_PEOPLE: Final = (
    r"(?:patients|participants|subjects|adults|children|infants|adolescents|women|men|individuals|volunteers|persons"
    r"|people)"
)
_GATHERED: Final = r"(?:enroll?ed|randomi[sz]ed|randomly assigned|recruited|included|assigned|analy[sz]ed|studied)"
_SIZES: Final = (
    re.compile(rf"{_NUMBER}\s{_WORDS}{_PEOPLE}\s{_WORDS}{_GATHERED}\b", re.IGNORECASE),
    re.compile(rf"\b(?:{_GATHERED}|a total of)\s{_NUMBER}\s{_WORDS}{_PEOPLE}\b", re.IGNORECASE),
)
"""Phrases that state a sample size; a number of people alone may refer to anything in the text."""

Record: TypeAlias = tuple[str, str]


class SourceRecords(Frozen):
    """Figures about the records of one source, or of all of them together."""

    source: str
    """Empty: all of them."""
    searches: int = 0
    failed: int = 0
    """Searches that failed."""
    found: int = 0
    """Passages that its searches gave, each as often as it was given."""
    records: int = 0
    """Different works and documents that these are of."""
    unique: int = 0
    """Records that no source before it had found; summed over all sources, every record once."""
    kept: int = 0
    """Records that say something which no older passage says."""
    cited: int = 0
    """Records that the report cites by words that were found in them."""


class Cell(Frozen):
    """One property of a study; empty if it is not stated."""

    text: str = ""
    """Literal words of a text of the study, or what its source registered."""
    content_hash: str = ""
    """The stored text that the words stand in; empty if they are of no text."""
    start: int | None = None
    """Offset of these words in it, in characters."""
    end: int | None = None


class Study(Frozen):
    """One study that is cited."""

    number: int
    """Number of its reference."""
    name: str
    """First author and year."""
    design: str = ""
    """In its source's words; empty if it is not stated."""
    size: Cell = Cell()
    outcome: Cell = Cell()
    """First quote of it in the report."""


class Review(Frozen):
    """The figures and the studies of a literature review."""

    sources: tuple[SourceRecords, ...]
    """In the order of their first search."""
    total: SourceRecords
    studies: tuple[Study, ...] = ()
    """In the order of the references."""


class ReviewAddition(ReportAddition):
    """The studies and the records of a literature review; nothing of other modes."""

    name = "review"

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """The review as data, a table of the cited studies, and one of the records."""
        material = self.material
        works = checked.works if checked else material.works
        review = build_review(material.call, material.evidence, works, checked)
        if review is None:
            return AddedText()
        return AddedText(
            data=review.model_dump(mode="json"),
            middle=_render_study_table(review, checked.marks if checked else {}),
            end=_render_record_table(review, words),
        )


def build_review(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, checked: CheckedDraft | None = None
) -> Review | None:
    """Return the figures of a literature review, shown next to its report; None if the run is no review."""
    if NAME not in (call.mode, call.choice.mode) or not call.records:
        return None
    call = call.model_copy(update={"records": tuple(one for one in call.records if one.source != RELATED)})
    cited = _group_verified_citations(evidence, works, checked.citations) if checked else {}
    return Review(
        sources=tuple(_count_source_records(call, evidence, works, cited.keys())),
        total=_count_all_records(call, evidence, works, cited.keys()),
        studies=tuple(_list_cited_studies(checked, evidence, works, cited)) if checked else (),
    )


def _count_source_records(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, cited: Iterable[Record]
) -> Iterable[SourceRecords]:
    first: dict[Record, str] = {}
    for passage in evidence:
        first.setdefault(works.key(passage), passage.source)
    kept = _collect_kept_records(call, evidence, works)
    used = set(cited)
    for source in dict.fromkeys((*(one.source for one in call.records), *(one.source for one in evidence))):
        searches = [one for one in call.records if one.source == source]
        own = {record for record, finder in first.items() if finder == source}
        yield SourceRecords(
            source=source,
            searches=len(searches),
            failed=sum(one.error is not None for one in searches),
            found=sum(one.found for one in searches),
            records=len({works.key(passage) for passage in evidence if passage.source == source}),
            unique=len(own),
            kept=len(own & kept),
            cited=len(own & used),
        )


def _count_all_records(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, cited: Iterable[Record]
) -> SourceRecords:
    records = {works.key(passage) for passage in evidence}
    return SourceRecords(
        source="",
        searches=len(call.records),
        failed=sum(one.error is not None for one in call.records),
        found=sum(one.found for one in call.records),
        records=len(records),
        unique=len(records),
        kept=len(_collect_kept_records(call, evidence, works)),
        cited=len(set(cited)),
    )


def _collect_kept_records(call: PublishCall, evidence: Iterable[Evidence], works: Works) -> set[Record]:
    kept = set(call.kept)
    return {works.key(passage) for passage in evidence if passage.id in kept}


def _group_verified_citations(
    evidence: Iterable[Evidence], works: Works, citations: Iterable[CheckedCitation]
) -> Mapping[Record, list[CheckedCitation]]:
    """The citations that hold, by record."""
    by_id = {passage.id: passage for passage in evidence}
    found: dict[Record, list[CheckedCitation]] = {}
    for one in citations:
        if one.verdict == "verified":
            found.setdefault(works.key(by_id[one.evidence]), []).append(one)
    return found


def _list_cited_studies(
    checked: CheckedDraft,
    evidence: Sequence[Evidence],
    works: Works,
    cited: Mapping[Record, Sequence[CheckedCitation]],
) -> Iterable[Study]:
    passages: dict[Record, list[Evidence]] = {}
    quoted = {one.evidence for citations in cited.values() for one in citations}
    for passage in evidence:
        if passage.id in quoted:
            passages.setdefault(works.key(passage), []).append(passage)
    by_number = {citations[0].number: record for record, citations in cited.items()}
    for reference in checked.references:
        if reference.work is not None and reference.work.kind not in NO_STUDIES:
            record = by_number[reference.number]
            yield _build_study(reference, passages[record], cited[record])


def _build_study(reference: Reference, passages: Sequence[Evidence], citations: Sequence[CheckedCitation]) -> Study:
    work, first = reference.work, citations[0]
    by = format_authors(work.authors, most=1) if work else ""
    year = str(work.year) if work and work.year else ""
    outcome = Cell(text=first.quote, content_hash=first.content_hash, start=first.start, end=first.end)
    return Study(
        number=reference.number,
        name=" ".join(filter(None, (by or shorten_text(reference.title, 80), year))),
        design=", ".join(work.design) if work else "",
        size=next(filter(None, map(_find_study_size, passages)), None) or _find_registered_size(passages),
        outcome=outcome,
    )


def _find_study_size(passage: Evidence) -> Cell | None:
    """The first words of a passage that say how many were studied, at their place in its text."""
    found = min(filter(None, (size.search(passage.text) for size in _SIZES)), key=re.Match.start, default=None)
    if found is None:
        return None
    begin = passage.start + found.start()
    return Cell(text=found.group(), content_hash=passage.content_hash, start=begin, end=begin + len(found.group()))


def _find_registered_size(passages: Iterable[Evidence]) -> Cell:
    """Find the size that a registry has of it."""
    sizes = (passage.metadata.get(name) for passage in passages for name in _ENROLMENT)
    number = next((one for one in sizes if isinstance(one, int) and not isinstance(one, bool) and one > 0), None)
    return Cell(text=f"{number:,} (as registered)") if number else Cell()


NOT_STATED: Final = "not stated"

_RECORDS: Final = (
    "Source",
    "Searches",
    "Passages found",
    "Records found",
    "After removing duplicates",
    "Kept",
    "Cited",
)
_STUDIES: Final = ("Reference", "Study", "Design", "Size", "Outcome, as quoted in the report")


def _render_record_table(review: Review, words: Phrases) -> list[str]:
    """Render the number of records of each source and what became of them."""
    rows = [_format_record_row(one) for one in (*review.sources, review.total)]
    summary = (
        "A record is one work, however many sources found it; after removing duplicates, it counts for the source that "
        "found it first. A record is kept if it says something that no earlier passage says. Counted by code."
    )
    return [f"## {words.records}", summary, render_table(_RECORDS, rows)]


def _render_study_table(review: Review, marks: Mapping[int, str]) -> list[str]:
    """The studies that are cited, with what their texts say."""
    if not review.studies:
        return []
    rows = [
        (
            render_number(one.number, marks),
            escape_markdown(one.name) or NOT_STATED,
            escape_markdown(shorten_text(one.design, CELL_CHARACTERS)) or NOT_STATED,
            _format_study_cell(one.size),
            _format_study_cell(one.outcome),
        )
        for one in review.studies
    ]
    return ["## Studies cited", render_table(_STUDIES, rows)]


def _format_record_row(one: SourceRecords) -> Sequence[str]:
    searches = f"{one.searches:,} ({one.failed:,} failed)" if one.failed else f"{one.searches:,}"
    counts = (one.found, one.records, one.unique, one.kept, one.cited)
    return (escape_markdown(one.source) or "All", searches, *(f"{count:,}" for count in counts))


def _format_study_cell(cell: Cell) -> str:
    text = shorten_text(" ".join(cell.text.split()), CELL_CHARACTERS)
    if not text:
        return NOT_STATED
    return f"“{escape_markdown(text)}”" if cell.content_hash else escape_markdown(text)
