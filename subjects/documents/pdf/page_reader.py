"""Reads one page of a PDF after the other: its words that a person can see, its tables, its lines, its picture."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import Block
from elcano.subjects.documents.pdf.annotations import read_annotations
from elcano.subjects.documents.pdf.chars import UNKNOWN, read_codes
from elcano.subjects.documents.pdf.decodability import is_undecodable
from elcano.subjects.documents.pdf.edges import read_edges
from elcano.subjects.documents.pdf.false_codes import correct_codes
from elcano.subjects.documents.pdf.frames import measure_frame
from elcano.subjects.documents.pdf.lines import TextLine, read_lines
from elcano.subjects.documents.pdf.ocr import SURE, OcrReader
from elcano.subjects.documents.pdf.overdrawn import drop_copies
from elcano.subjects.documents.pdf.page_objects import holds_more
from elcano.subjects.documents.pdf.segments import Segment, build_segments_by_turn
from elcano.subjects.documents.pdf.table_search import find_tables
from elcano.subjects.documents.pdf.tables import Table, drop_table_words
from elcano.subjects.documents.pdf.text_layers import widen_words
from elcano.subjects.documents.pdf.visibility import see_words
from elcano.subjects.documents.pdf.words import Page, Word, read_words

PAGE_CHARACTERS: Final = 200_000
"""A page that holds more is none that anyone reads: a poster of small type has 30,000."""
PAGE_SECONDS: Final = 6.0
"""Processor time that a page may take; a dense page takes a tenth of a second."""
PAGE_OBJECTS: Final = 40_000
"""Pages of more objects, forms included, are left out: drawing one cannot be interrupted, and takes .1 to .2 ms an
object; undrawn, nothing tells what of it is hidden."""

BROKEN: Final = 0.01
LEAST_BROKEN: Final = 3
"""From this share and number of words on with letters that cannot be decoded, such as ligatures, OCR reads better."""
SIGN: Final = 2
"""An undecodable character in a word of more letters than this is a letter or ligature; else it is a sign."""
STAMP: Final = 200
"""Number of letters on the picture of a page up to which they may be a stamp, such as a download notice; more are its
text."""
PICTURE: Final = 0.6
"""The share of a page that its images cover if it is a picture."""

State: TypeAlias = Literal[
    "read", "empty", "damaged", "failed", "costly", "crowded", "late", "picture", "undecodable", "unsure"
]
"""Outcome of reading a page: nothing is on it; it cannot be loaded; the reader has a fault; it takes too long, or holds
too many drawings; the document took too long; it is a picture, or its letters cannot be decoded, so that only OCR can
read it; OCR is not sure of it."""


@dataclass(slots=True)
class PageText:
    """Content of a page."""

    number: int
    state: State = "read"
    width: float = 1.0
    height: float = 1.0
    lines: Sequence[TextLine] = ()
    comments: list[Block] = field(default_factory=list)
    picture: bool = False
    """Whether it is a picture, or mostly one, without a text layer that can be read."""
    undecodable: bool = False
    """Whether it has a text layer of which letters cannot be decoded; if most cannot, it is left out."""
    needs: str = ""
    """Missing component that could read its picture; see `Gap`."""
    confidence: float = 1.0
    """OCR's confidence in what it found in the picture."""
    hidden: int = 0
    """Number of its words that are invisible."""
    broken: int = 0
    """Number of its words with an undecodable character."""


def read_page(document: pdfium.PdfDocument, index: int) -> PageText:
    """Read the page of this index."""
    found = PageText(index + 1)
    deadline = time.process_time() + PAGE_SECONDS
    try:
        page = document[index]
    except pdfium.PdfiumError:
        found.state = "damaged"
        return found
    try:
        _fill(found, page, deadline)
    except pdfium.PdfiumError:
        found.state = "damaged"
    except (MemoryError, RecursionError):
        raise
    except Exception:  # a fault of ours costs the page that triggers it, not its document
        found = PageText(index + 1, "failed", found.width, found.height)
    finally:
        page.close()
    return found


def _fill(found: PageText, page: pdfium.PdfPage, deadline: float) -> None:
    frame = measure_frame(page.raw)
    found.width, found.height = max(frame.width, 1.0), max(frame.height, 1.0)
    if holds_more(page, PAGE_OBJECTS):
        found.state = "crowded"
        return
    words = _load_words(page, found, deadline)
    if words is None or time.process_time() > deadline:
        found.state = "costly"
        return
    if found.undecodable:
        found.state, found.picture = "undecodable", True
        return
    sight = see_words(page, words)
    found.hidden = len(sight.hidden)
    words = widen_words(words, sight.layer) if sight.layer else words
    words = [word for number, word in enumerate(words) if number not in sight.hidden]
    bare = sum(len(word.text) for word in words) < STAMP and not sight.layer
    found.picture = bare and (sight.picture_share > PICTURE or (not words and sight.has_ink))
    broken = [word for word in words if UNKNOWN in word.text]
    found.broken = len(broken)
    # Not so the signs before figures: a text layer is surer of these than OCR is.
    if sum(sum(map(str.isalpha, word.text)) > SIGN for word in broken) >= max(LEAST_BROKEN, BROKEN * len(words)):
        found.undecodable = found.picture = True
    written = read_annotations(page, found.number)
    found.comments = written.comments
    content = Page(found.number, found.width, found.height, (*words, *written.words))
    segments = build_segments_by_turn(content)
    tables = find_tables(content, read_edges(page.raw), segments) if content.words else []
    if tables:
        things = [(table.turn, _build_stand_in(table)) for table in tables]
        found.lines = read_lines(drop_table_words(content, tables), things)
    else:
        found.lines = read_lines(content, known=segments)
    if not found.lines:
        found.state = "picture" if found.picture else "empty"


def read_picture(document: pdfium.PdfDocument, found: PageText, ocr: OcrReader) -> None:
    """Read the picture of a page; what is on it as text stays if OCR does not find more."""
    try:
        page = document[found.number - 1]
        try:
            read = ocr.read(page, found.number)
        finally:
            page.close()
    except pdfium.PdfiumError:
        return
    if read.lines and (found.undecodable or _count_letters(read.lines) > _count_letters(found.lines)):
        found.lines, found.state = read.lines, "read"
    elif not found.lines:
        found.confidence = read.confidence
        found.state = "costly" if not read.in_time else "unsure" if read.confidence < SURE else "empty"


def _count_letters(lines: Iterable[TextLine]) -> int:
    return sum(len(token) for line in lines for token in line.tokens)


def _load_words(page: pdfium.PdfPage, found: PageText, deadline: float) -> list[Word] | None:
    """The words of a page; None: it holds too much. Notes whether they can be decoded."""
    text_page = page.get_textpage()
    try:
        if pdfium_c.FPDFText_CountChars(text_page.raw) > PAGE_CHARACTERS or time.process_time() > deadline:
            return None
        codes = correct_codes(text_page.raw, read_codes(text_page.raw))
        words = drop_copies(read_words(page.raw, text_page.raw, codes))
        found.undecodable = is_undecodable(text_page, codes, words)
        return words
    finally:
        text_page.close()


def _build_stand_in(table: Table) -> Segment:
    """Return the stand-in for a table among the lines of its page."""
    left, top, right, bottom = table.box[:4]
    size = next((line[0].size for line in table.lines if line), 10.0)
    return Segment(left, top, right, bottom, top + size, size, thing=table)
