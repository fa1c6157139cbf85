"""Checks the places of quotes against the text, the lines of the passage, and what the citation says."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from elcano.doors.certificates.certificate_format import Contents, Fault
from elcano.graphs.report.places import Box, Cell, Line, find_marks
from elcano.graphs.report.report import CheckedCitation
from elcano.storage.evidence import Evidence

OUTSIDE: Final = 0.02
"""Share of a page by which a box may lie beyond its edge: the boxes of letters have room around the ink."""


def of_places(held: Contents) -> Iterator[Fault]:
    """Lines are in order and on their pages, and the words of each quote are in the lines that its marks are of."""
    texts = {text.content_hash: text.text for text in held.texts}
    passages = {passage.id: passage for passage in held.evidence}
    for passage in held.evidence:
        why = _find_line_fault(passage.places.lines)
        if why is None and (text := texts.get(passage.content_hash)) is not None:
            why = _find_cell_fault(passage.places.cells, text)
        if why is not None:
            yield Fault("evidence", f"the places of the passage {passage.id!r} cannot be: {why}")
    for cited in held.published.citations:
        text = texts.get(cited.content_hash)
        if not cited.marks or cited.evidence not in passages or text is None:
            continue
        if (why := _find_quote_fault(cited, passages[cited.evidence], text)) is not None:
            yield Fault("report", f"the place of the quote {cited.quote[:60]!r} does not fit: {why}")


def _find_line_fault(lines: Sequence[Line]) -> str | None:
    last = 0
    for line in lines:
        if line.start >= line.end or line.start < last:
            return f"the line at {line.start} is empty or out of order"
        on_page = _is_on_page(line.box) and all(-OUTSIDE <= edge <= 1 + OUTSIDE for edge in line.edges)
        if line.page < 1 or not on_page:
            return f"the line at {line.start} is beyond its page {line.page}"
        last = line.start
    return None


def _find_cell_fault(cells: Sequence[Cell], text: str) -> str | None:
    """Cells follow each other in the text, each with its row on one line; else their heads name others."""
    for before, cell in zip((None, *cells), cells, strict=False):
        where = f"the cell at row {cell.row} and column {cell.column}"
        if not 0 <= cell.start <= cell.end <= len(text) or "\n" in text[cell.start : cell.end]:
            return f"{where} is not in a row of the text"
        if before is None or cell.row == cell.column == 0:  # a table begins
            continue
        if cell.start < before.end or (cell.row, cell.column) <= (before.row, before.column):
            return f"{where} is out of order"
        if text.count("\n", before.end, cell.start) != cell.row - before.row:
            return f"{where} is in another row of the text"
    return None


def _is_on_page(box: Box) -> bool:
    low, high = -OUTSIDE, 1 + OUTSIDE
    return low <= box.left <= box.right <= high and low <= box.top <= box.bottom <= high


def _find_quote_fault(cited: CheckedCitation, passage: Evidence, text: str) -> str | None:
    start, end = cited.start or 0, cited.end or 0
    if cited.marks != find_marks(text, passage.places, start, end):
        return "its marks are not those of its lines"
    if cited.page != cited.marks[0].page:
        return f"it is said to be on page {cited.page}, and its first line is on page {cited.marks[0].page}"
    bare = _find_uncovered_word(text, passage.places.lines, start, end)
    return f"no line has the word {bare!r}" if bare else None


def _find_uncovered_word(text: str, lines: Iterable[Line], start: int, end: int) -> str:
    """The first word of the characters `start` to `end` of which nothing is in a line; empty: there is none."""
    covered = bytearray(end - start)
    for line in lines:
        first, last = max(line.start, start) - start, min(line.end, end) - start
        if first < last:
            covered[first:last] = b"\x01" * (last - first)
    at = start
    for word in text[start:end].split():
        at = text.index(word, at)
        if any(map(str.isalnum, word)) and not any(covered[at - start : at - start + len(word)]):
            return word
        at += len(word)
    return ""
