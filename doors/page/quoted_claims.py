"""Statements and sources of the reading view: quotes with their places, and what rests on them.

Statements are those that cite something or are doubted, under the numbers of their spans in the report's text. A quote
is shown on the picture of its page, in its table or in its passage, whichever its document has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from elcano.graphs.report.places import Cell
from elcano.graphs.report.report import CheckedCitation, Part, Support
from elcano.graphs.report.works import Work, find_citation_mark
from elcano.service.reports.numbered_statements import list_statements
from elcano.service.reports.quoted_tables import ShownTable, build_quoted_table
from elcano.storage.evidence import DATA_HASH, PAGE_LABELS, PATH

AROUND: Final = 400
"""Characters of a passage that are shown before and after a quote."""


@dataclass(frozen=True)
class PagePlace:
    """A page of a quote."""

    name: str
    """Such as `page 12 (iv)`."""
    path: str = ""
    """Path of its picture, with the quote marked; empty: there is none."""
    picture: str = ""
    """Path of its picture, without marks: the same for all quotes on the page."""
    marks: Sequence[Sequence[float]] = ()
    """The rectangles of the quote: left, top, right and bottom, as shares of the page."""


@dataclass(frozen=True)
class Quote:
    """A quote in its place."""

    cited: CheckedCitation
    before: str = ""
    """The words of the passage before it; empty if the passage is not at hand."""
    after: str = ""
    passage: Mapping[str, Any] | None = None
    """The passage, if it is at hand."""
    pages: Sequence[PagePlace] = ()
    table: ShownTable = ()
    """The table that has it, if the passage is at hand."""


@dataclass(frozen=True)
class Claim:
    """A statement of the report, with its quotes."""

    number: int
    text: str
    """Text of the statement; that of a table cell begins with the names of row and column."""
    support: Support
    doubted: bool
    reason: str
    quotes: Sequence[Quote]


@dataclass(frozen=True)
class Source:
    """A cited work or document, with what rests on it."""

    number: int
    title: str
    source: str
    locators: Sequence[str]
    mark: str
    """Mark of a work that was withdrawn or changed, such as that it was retracted."""
    claims: Sequence[Claim]


class QuotePlaces:
    """Finds quotes in the passages of a run. Quotes on the same page of a file share one picture."""

    def __init__(self, passages: Sequence[Mapping[str, Any]], run_id: str = "") -> None:
        self._passages = {one["id"]: one for one in passages}
        self._run_id = run_id
        self._pictures: dict[tuple[str, int], str] = {}

    def build_quote(self, cited: CheckedCitation) -> Quote:
        """A quote with the words around it, if its passage is at hand and has it at its place."""
        passage = self._passages.get(cited.evidence)
        pages = list(self._list_pages(cited, passage))
        if passage is None or cited.start is None or cited.end is None:
            return Quote(cited, passage=passage, pages=pages)
        text, start, end = passage["text"], cited.start - passage["start"], cited.end - passage["start"]
        if not 0 <= start < end <= len(text):
            return Quote(cited, passage=passage, pages=pages)
        cells = [Cell(*cell) for cell in passage.get("places", {}).get("cells", ())]
        table = build_quoted_table(text, passage["start"], cells, cited.start, cited.end, cited.cells)
        return Quote(cited, _cut_before(text[:start]), _cut_after(text[end:]), passage, pages, table)

    def _list_pages(self, cited: CheckedCitation, passage: Mapping[str, Any] | None) -> Iterator[PagePlace]:
        """The pages of a quote; those of a kept file lead to their pictures."""
        metadata = (passage or {}).get("metadata", {})
        labels = metadata.get(PAGE_LABELS, {})
        by_page: dict[int, list[Sequence[float]]] = {cited.page: []} if cited.page and not cited.marks else {}
        for mark in cited.marks:
            by_page.setdefault(mark.page, []).append(mark.box)
        for page, marks in by_page.items():
            label = labels.get(str(page), "") or (cited.page_label if page == cited.page else "")
            name = f"page {page} ({label})" if label else f"page {page}"
            if not (self._run_id and metadata.get(PATH) and cited.marks):
                yield PagePlace(name)
                continue
            path = f"/v1/runs/{quote(self._run_id)}/pages/{page}?"
            plain = path + urlencode({"evidence": cited.evidence})
            shared = self._pictures.setdefault((metadata.get(DATA_HASH, cited.evidence), page), plain)
            marked = {"evidence": cited.evidence, "start": cited.start, "end": cited.end}
            yield PagePlace(name, path + urlencode(marked), shared, marks)


def list_claims(report: Mapping[str, Any], places: QuotePlaces) -> Iterator[Claim]:
    """Every statement that cites something or is doubted, in the order of the report."""
    parts = [Part.model_validate(one) for one in report["parts"]]
    unverified = [CheckedCitation.model_validate(one) for one in report["unverified"]]
    for block in list_statements(parts, unverified):
        for number, one, _, doubted in block:
            if one.citations or doubted:
                yield Claim(
                    number,
                    f"{one.context}: {one.text}" if one.context else one.text,
                    "not_supported" if doubted and one.support == "unchecked" else one.support,
                    doubted,
                    one.reason or ("" if one.citations else "it cites nothing"),
                    [places.build_quote(cited) for cited in one.citations],
                )


def list_sources(report: Mapping[str, Any], claims: Sequence[Claim]) -> Iterator[Source]:
    """The references of a report, each with the statements that rest on it."""
    resting: dict[int | None, dict[int, Claim]] = {}
    for claim in claims:
        for one in claim.quotes:
            resting.setdefault(one.cited.number, {})[claim.number] = claim
    for one in report["references"]:
        mark = find_citation_mark(Work.model_validate(one["work"])) if one["work"] else ""
        own = resting.get(one["number"], {}).values()
        yield Source(one["number"], one["title"] or one["document"], one["source"], one["locators"], mark, list(own))


def _cut_before(text: str) -> str:
    """The last words before a quote."""
    return text if len(text) <= AROUND else f"\u2026 {text[-AROUND:].partition(' ')[2]}"


def _cut_after(text: str) -> str:
    """The first words after a quote."""
    return text if len(text) <= AROUND else f"{text[:AROUND].rpartition(' ')[0]} \u2026"
