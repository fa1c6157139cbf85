"""Reads PDF documents. Pure, but able to crash a process: see `plugins/documents/parser.py`.

Pages are read one after the other, and only their lines are kept; then what recurs on pages is left out and the lines
become blocks.
"""

import ctypes
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.plugins.documents.authorship import parse_authors, parse_year
from elcano.plugins.documents.pdf.furniture import drop_furniture
from elcano.plugins.documents.pdf.joining import Vocabulary, join_lines
from elcano.plugins.documents.pdf.lines import TextLine, read_lines
from elcano.plugins.documents.pdf.paragraphs import Paragraph, find_body_size, group_paragraphs
from elcano.plugins.documents.pdf.words import Page, measure_frame, read_words

PAGE_CHARACTERS: Final = 200_000
"""A page that holds more is none that anybody reads: a poster of small type has 30,000."""
PAGE_SECONDS: Final = 5.0
"""Processor time that a page may take; a dense page takes a tenth of a second."""
DOCUMENT_SECONDS: Final = 40.0
"""Processor time for all pages; what is left after that is named as a gap. A process that reads has a minute."""


@dataclass(slots=True)
class _Pages:
    """What was read of the pages of a document."""

    lines: list[list[TextLine]] = field(default_factory=list)
    sizes: list[tuple[float, float]] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    costly: list[int] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    empty: int = 0


def read_pdf(content: bytes) -> Parsed:
    """Read a PDF.

    Raises:
        FileSkipped: it is broken, encrypted, or nothing of it can be read.
    """
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise FileSkipped("it is encrypted: save a copy without a password") from error
        raise FileSkipped("it is not a readable PDF: it may be damaged or cut off") from error
    try:
        pages = _read_pages(document)
        told = document.get_metadata_dict()
        labels = _read_labels(document)
    finally:
        document.close()
    blocks = list(_build_blocks(pages))
    gaps = tuple(_list_gaps(pages))
    if not blocks:
        raise FileSkipped(_explain_emptiness(pages))
    return Parsed(
        blocks,
        told.get("Title", ""),
        parse_authors(told.get("Author", "")),
        parse_year(told.get("CreationDate", "")),
        pages.empty,
        gaps=gaps,
        page_labels=labels,
    )


def _read_pages(document: pdfium.PdfDocument) -> _Pages:
    pages = _Pages()
    began = time.process_time()
    for index in range(len(document)):
        if time.process_time() - began > DOCUMENT_SECONDS:
            pages.late.append(index + 1)
            pages.lines.append([])
            pages.sizes.append((1.0, 1.0))
            continue
        _read_page(document, index, pages)
    return pages


def _read_page(document: pdfium.PdfDocument, index: int, pages: _Pages) -> None:
    lines: list[TextLine] = []
    size = (1.0, 1.0)
    deadline = time.process_time() + PAGE_SECONDS
    handle = pdfium_c.FPDF_LoadPage(document.raw, index)
    text_page = pdfium_c.FPDFText_LoadPage(handle) if handle else None
    try:
        if not handle or not text_page:
            pages.damaged.append(index + 1)
        elif pdfium_c.FPDFText_CountChars(text_page) > PAGE_CHARACTERS or time.process_time() > deadline:
            pages.costly.append(index + 1)
        else:
            frame = measure_frame(handle)
            size = (max(frame.width, 1.0), max(frame.height, 1.0))
            page = Page(index + 1, *size, tuple(read_words(handle, text_page)))
            lines = read_lines(page)
            if not lines:
                pages.empty += 1
    finally:
        if text_page:
            pdfium_c.FPDFText_ClosePage(text_page)
        if handle:
            pdfium_c.FPDF_ClosePage(handle)
    pages.lines.append(lines)
    pages.sizes.append(size)


def _build_blocks(pages: _Pages) -> Iterator[Block]:
    body_size = find_body_size(pages.lines)
    vocabulary = Vocabulary()
    for lines in pages.lines:
        vocabulary.add(lines)
    kept = drop_furniture(pages.lines, [height for _, height in pages.sizes], body_size)
    for paragraph in group_paragraphs(kept, body_size):
        yield _build_block(paragraph, vocabulary, pages.sizes)


def _build_block(paragraph: Paragraph, vocabulary: Vocabulary, sizes: Sequence[tuple[float, float]]) -> Block:
    text, places = join_lines(paragraph.lines, vocabulary, sizes, paragraph.breaks)
    read = [line.confidence for line in paragraph.lines if line.confidence is not None]
    return Block(
        text,
        paragraph.kind,
        paragraph.level,
        paragraph.lines[0].page,
        lines=places,
        confidence=min(read) if read else None,
    )


def _list_gaps(pages: _Pages) -> Iterator[Gap]:
    if pages.damaged:
        yield Gap(f"{_name_pages(pages.damaged)} damaged and left out", tuple(pages.damaged))
    if pages.costly:
        yield Gap(f"{_name_pages(pages.costly)} left out: reading it takes too long", tuple(pages.costly))
    if pages.late:
        yield Gap(f"{_name_pages(pages.late)} left out: the document is too long; split it", tuple(pages.late))


def _name_pages(numbers: Sequence[int]) -> str:
    """The subject and verb of a sentence about pages: `page 2 was`, `pages 3 to 5 and 9 were`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"page {listed} was" if len(numbers) == 1 else f"pages {listed} were"


def _explain_emptiness(pages: _Pages) -> str:
    if pages.damaged and len(pages.damaged) == len(pages.lines):
        return "all of its pages are damaged"
    return "it has no text layer: run it through OCR first"


def _read_labels(document: pdfium.PdfDocument) -> tuple[str, ...]:
    """What is printed as the number of each page; empty where they are the numbers from 1."""
    labels = [_read_label(document, index) for index in range(len(document))]
    if all(label in ("", str(number)) for number, label in enumerate(labels, start=1)):
        return ()
    return tuple(labels)


def _read_label(document: pdfium.PdfDocument, index: int) -> str:
    length = pdfium_c.FPDF_GetPageLabel(document.raw, index, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium_c.FPDF_GetPageLabel(document.raw, index, buffer, length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace").strip()
