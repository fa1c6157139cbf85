"""Reads the text within marks on a page of a PDF, by PDFium alone: to check places against the page they are on.

In a process of its own: see `parser`.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from ctypes import byref, c_double
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import FileSkipped
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.places import Box
from elcano.subjects.documents.file_processes import (
    FileAnswer,
    FileRequest,
    answer_or_report_skip,
    ask_process,
    limit_reading,
)
from elcano.subjects.documents.pdf.opening import open_pdf

SECONDS: Final = 20.0
_DEVICE: Final = 100_000
"""Units across and down a page when shares of it become points: PDFium takes whole ones."""
_MARGIN: Final = 0.001
"""Share of the page by which a box is widened: shares are rounded."""
SAME_LETTERS: Final = 0.9
"""Share of a quote's letters and digits that have to be within its marks, in their order: ligatures and letters that
are painted apart may read differently in another program."""
WITHIN: Final = 200
"""Letters within which the next one of a quote is looked for: marks cover whole words, which have others."""


class MarkedText(Frozen):
    """Text within marks."""

    text: str


class MarkedTextRequest(FileRequest):
    """A request to read it."""

    page: int
    marks: tuple[Box, ...]


def answer_request(request: MarkedTextRequest) -> FileAnswer[MarkedText]:
    """The answer to one request, by this process."""
    limit_reading()
    return answer_or_report_skip(
        lambda: MarkedText(text=read_marked_text(request.content, request.page, request.marks))
    )


READERS: Final[ChildProcesses[MarkedTextRequest, FileAnswer[MarkedText]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}", FileAnswer[MarkedText], [__name__]
)


class MarkedTextReader:
    """Reads marked text in processes of their own."""

    def read(self, content: bytes, page: int, marks: Sequence[Box]) -> str:
        """The words within the marks of a page, counted from 1.

        Raises:
            FileSkipped: the file or the page cannot be read.
        """
        request = MarkedTextRequest(seconds=SECONDS, content=content, page=page, marks=tuple(marks))
        return ask_process(READERS, request).text


def read_marked_text(content: bytes, page: int, marks: Sequence[Box]) -> str:
    """The same in this process."""
    document = open_pdf(content)
    if not 1 <= page <= len(document):
        raise FileSkipped(f"it has no page {page}")
    try:
        shown = document[page - 1]
        textpage = shown.get_textpage()
        return " ".join(textpage.get_text_bounded(*_find_rectangle(shown, mark)) for mark in marks)
    except pdfium.PdfiumError as error:
        raise FileSkipped(f"page {page} is damaged") from error


def _find_rectangle(page: pdfium.PdfPage, mark: Box) -> tuple[float, float, float, float]:
    """A mark in points of the page, as PDFium takes them: left, bottom, right, top."""
    corners = []
    for x, y in ((mark.left - _MARGIN, mark.top), (mark.right + _MARGIN, mark.bottom)):
        across, down = c_double(), c_double()
        pdfium_c.FPDF_DeviceToPage(
            page, 0, 0, _DEVICE, _DEVICE, 0, round(x * _DEVICE), round(y * _DEVICE), byref(across), byref(down)
        )
        corners.append((across.value, down.value))
    (left, top), (right, bottom) = corners
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def has_quote(there: str, quote: str) -> bool:
    """Whether the words within marks are those of a quote, with others before, between and behind them."""
    wanted, letters = _keep_letters(quote), _keep_letters(there)
    # PDFium gives ligatures of Arabic in the order of painting, so the order of letters says nothing there.
    count = _count_in_any_order if any(map(_is_right_to_left, wanted)) else _count_in_order
    return count(wanted, letters) >= SAME_LETTERS * len(wanted)


def _keep_letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _is_right_to_left(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("R", "AL")


def _count_in_any_order(wanted: str, there: str) -> int:
    """Count the characters of `wanted` in `there`, in any order."""
    return (Counter(wanted) & Counter(there)).total()


def _count_in_order(wanted: str, there: str) -> int:
    """Count the characters of `wanted` in `there` in their order, each taken at its first place."""
    found, at = 0, 0
    for one in wanted:
        place = there.find(one, at, at + WITHIN)
        if place >= 0:
            found, at = found + 1, place + 1
    return found
