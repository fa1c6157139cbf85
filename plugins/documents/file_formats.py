"""Turns bytes into a document: one reader per file suffix. Pure, but able to crash a process: see `parser`.

A DOCX is a ZIP archive, so its declared sizes are checked before anything is unpacked; the memory limit of the process
that reads it catches a header that lies. The location of a passage is a paragraph's number there, and in a PDF, whose
lines are joined into paragraphs, the page number, which alone is reliable.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import docx
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.hyperlink import Hyperlink
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from elcano.activities.passages.document import Block, Document, FileSkipped, Parsed, read_rst, read_text
from elcano.activities.passages.packing import assemble_document
from elcano.activities.text.words import lower_text, raise_text
from elcano.plugins.documents import html, markdown
from elcano.plugins.documents.authorship import parse_authors, parse_file_name, parse_year

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
        blocks = [block for index in range(len(document)) for block in _read_page_blocks(document, index)]
        told = document.get_metadata_dict()
    except pdfium.PdfiumError as error:
        raise FileSkipped("one of its pages is damaged") from error
    finally:
        document.close()
    if not blocks:
        raise FileSkipped("it has no text layer: run it through OCR first")
    return Parsed(
        blocks, told.get("Title", ""), parse_authors(told.get("Author", "")), parse_year(told.get("CreationDate", ""))
    )


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


class Format(NamedTuple):
    """How files of one kind are read."""

    media_type: str
    read: Callable[[bytes], Parsed]
    foreign: bool = False
    """Whether a library written in C reads it: a bad file may crash or hang it."""


_TEXT: Final = Format("text/plain", read_text)
_MARKDOWN: Final = Format("text/markdown", markdown.read_markdown)
HTML_TYPE: Final = "text/html"
_HTML: Final = Format(HTML_TYPE, html.read_html, foreign=True)

FORMATS: Final[Mapping[str, Format]] = {
    ".txt": _TEXT,
    ".text": _TEXT,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".rst": Format("text/x-rst", read_rst),
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".pdf": Format("application/pdf", read_pdf, foreign=True),
    ".docx": Format("application/vnd.openxmlformats-officedocument.wordprocessingml.document", read_docx, foreign=True),
}


def parse_document(name: str, content: bytes) -> Document:
    """Parse the document in `content`; the suffix of `name` determines the reader.

    Raises:
        FileSkipped: it cannot be read, or there is nothing in it.
    """
    path = PurePosixPath(name)
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise FileSkipped(f"files of kind {path.suffix!r} cannot be read")
    if not content:
        raise FileSkipped("it is empty")
    parsed = kind.read(content)
    authors, year = parse_file_name(path.stem)
    parsed = replace(parsed, authors=parsed.authors or authors, year=parsed.year or year)
    document = assemble_document(parsed, path.stem, kind.media_type)
    if not document.passages:
        raise FileSkipped("there is no text in it")
    return document
