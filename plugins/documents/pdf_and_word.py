"""Reads PDF documents that have a text layer. Pure, but able to crash a process: see `parser`.

Lines of a PDF are joined into paragraphs, so the location of a passage is the page number, which alone is reliable.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.activities.passages.unread_warnings import name_pages
from elcano.plugins.documents.authorship import parse_authors, parse_year

_SHORT_LINE: Final = 0.75
"""A line that ends a sentence and is shorter than this share of the page's longest line ends a paragraph."""
_SENTENCE_ENDS: Final = (".", "!", "?", ":", '."', ".)", ".”")
_SOFT_BREAKS: Final = ("￾", "\x02")
"""Characters that PDFium writes for a hyphen that only breaks a line."""


def read_pdf(content: bytes) -> Parsed:
    """Read a PDF with a text layer.

    Raises:
        FileSkipped: it is broken, encrypted, or holds pictures of pages only.
    """
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise FileSkipped("it is encrypted: save a copy without a password") from error
        raise FileSkipped("it is not a readable PDF: it may be damaged or cut off") from error
    try:
        pages = [list(_read_page_blocks(document, index)) for index in range(len(document))]
        told = document.get_metadata_dict()
    except pdfium.PdfiumError as error:
        raise FileSkipped("one of its pages is damaged") from error
    finally:
        document.close()
    if not any(pages):
        raise FileSkipped("it has no text layer: run it through OCR first")
    return Parsed(
        [block for page in pages for block in page],
        told.get("Title", ""),
        parse_authors(told.get("Author", "")),
        parse_year(told.get("CreationDate", "")),
        gaps=_list_gaps(pages),
    )


def _list_gaps(pages: Sequence[list[Block]]) -> tuple[Gap, ...]:
    empty = tuple(number for number, blocks in enumerate(pages, start=1) if not blocks)
    if not empty:
        return ()
    return (Gap(f"{name_pages(empty)} {'have' if len(empty) > 1 else 'has'} no text: run it through OCR", empty),)


def _read_page_blocks(document: pdfium.PdfDocument, index: int) -> Iterator[Block]:
    page = document[index]
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range()
    finally:
        textpage.close()
        page.close()
    for paragraph in _split_paragraphs(text):
        yield Block(paragraph, page=index + 1)


def _split_paragraphs(text: str) -> Iterator[str]:
    lines = [line.strip(" \r\t") for line in text.split("\n")]
    full = max((len(line) for line in lines), default=0) * _SHORT_LINE
    waiting = ""
    for line in lines:
        if line:
            waiting = _join_lines(waiting, line)
        if waiting and (not line or (len(line) < full and line.endswith(_SENTENCE_ENDS))):
            yield waiting
            waiting = ""
    if waiting:
        yield waiting


def _join_lines(before: str, line: str) -> str:
    if before.endswith(_SOFT_BREAKS):
        return before[:-1] + line
    return f"{before} {line}" if before else line
