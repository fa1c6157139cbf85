"""Reads PDF documents that have a text layer, and Word documents. Pure, but able to crash a process: see `parser`.

Lines of a PDF are joined into paragraphs, so the location of a passage is the page number, which alone is reliable; in
a Word document it is a paragraph's number. A DOCX is a ZIP archive, so its declared sizes are checked before anything
is unpacked; the memory limit of the process that reads it catches a header that lies.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final

import docx
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.hyperlink import Hyperlink
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.activities.passages.unread_warnings import name_pages
from elcano.activities.text.words import lower_text, raise_text
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


UNPACKED_BYTES: Final = 200_000_000
UNPACKED_RATIO: Final = 100
UNPACKED_HARMLESS: Final = 1_000_000
"""Size below which the ratio says nothing: an empty template packs well."""
_HEADING: Final = re.compile(r"heading (\d)$", re.IGNORECASE)


def read_docx(content: bytes) -> Parsed:
    """Read a Word document.

    Raises:
        FileSkipped: it is damaged, encrypted, or would unpack to more than it should.
    """
    _check_sizes(content)
    try:
        document = docx.Document(io.BytesIO(content))
        return Parsed(list(_parse_blocks(document)), document.core_properties.title)
    except (OpcError, SyntaxError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise FileSkipped(f"it is not a readable Word document ({type(error).__name__})") from error


def _check_sizes(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise FileSkipped("it is not a Word document, or an encrypted one: save a copy without a password") from error
    if unpacked > UNPACKED_BYTES:
        raise FileSkipped(f"it would unpack to {unpacked / 1e6:.0f} MB; the limit is {UNPACKED_BYTES / 1e6:.0f} MB")
    if unpacked > UNPACKED_HARMLESS and unpacked > len(content) * UNPACKED_RATIO:
        raise FileSkipped(f"it would unpack to more than {UNPACKED_RATIO} times its size")


def _parse_blocks(document: WordDocument) -> Iterator[Block]:
    for number, item in enumerate(document.iter_inner_content(), start=1):
        if isinstance(item, Table):
            yield Block("\n".join(_render_table_rows(item)), "table", paragraph=number)
            continue
        style = (item.style.name if item.style is not None else None) or ""
        heading = _HEADING.match(style)
        if heading or style == "Title":
            yield Block(
                _read_paragraph_text(item), kind="heading", level=int(heading[1]) if heading else 1, paragraph=number
            )
        else:
            yield Block(_read_paragraph_text(item), paragraph=number)


def _render_table_rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        cells: list[str] = []
        for cell in row.cells:
            text = " ".join("\n".join(map(_read_paragraph_text, cell.paragraphs)).split())
            if text and (not cells or cells[-1] != text):  # A merged cell comes once per column that it covers.
                cells.append(text)
        if cells:
            yield " | ".join(cells)


def _read_paragraph_text(paragraph: Paragraph) -> str:
    """Return a paragraph's text, with superscripts and subscripts written in plain characters."""
    parts = list(paragraph.iter_inner_content())
    runs = [run for part in parts for run in (part.runs if isinstance(part, Hyperlink) else [part])]
    if not any(run.font.superscript or run.font.subscript for run in runs):
        return paragraph.text
    return "".join(map(_render_run_text, runs))


def _render_run_text(run: Run) -> str:
    if run.font.superscript:
        return raise_text(run.text)
    return lower_text(run.text) if run.font.subscript else run.text
