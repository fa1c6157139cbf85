"""Turns bytes into a document: one reader per file suffix. Pure, but able to crash a process: see `parser`.

What a reader of one kind of file needs is imported when one is read: programs that only name the kinds do without.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from pkgutil import resolve_name
from typing import Final, NamedTuple

from elcano.activities.passages.document import Document, FileSkipped, Parsed
from elcano.activities.passages.packing import assemble_document
from elcano.plugins.documents import csl_works
from elcano.plugins.documents.authorship import parse_file_name
from elcano.plugins.documents.first_page import complete_from_first_page, is_placeholder

READER: Final = 1
"""The version of all readers and of the packing. Raise it when any of them makes something else of a file: documents
that an older one read are then read anew in the background. `test_reader_version` compares what they make."""


class Format(NamedTuple):
    """How files of one kind are read."""

    media_type: str
    reader: str
    """The path of the function that reads their bytes."""
    foreign: bool = False
    """Whether a library written in C reads it: a bad file may crash or hang it."""

    def read(self, content: bytes) -> Parsed:
        """Read a file of this kind."""
        reader: Callable[[bytes], Parsed] = resolve_name(self.reader)
        return reader(content)


_DOCUMENT: Final = "elcano.activities.passages.document"
_PLUGIN: Final = "elcano.plugins.documents"
_TEXT: Final = Format("text/plain", f"{_DOCUMENT}:read_text")
_MARKDOWN: Final = Format("text/markdown", f"{_PLUGIN}.markdown:read_markdown")
HTML_TYPE: Final = "text/html"
_HTML: Final = Format(HTML_TYPE, f"{_PLUGIN}.html:read_html", foreign=True)

PDF_TYPE: Final = "application/pdf"
_WORD_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS: Final[Mapping[str, Format]] = {
    ".txt": _TEXT,
    ".text": _TEXT,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".rst": Format("text/x-rst", f"{_DOCUMENT}:read_rst"),
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    csl_works.SUFFIX: Format(csl_works.CSL_TYPE, f"{_PLUGIN}.csl_works:read_csl_work"),
    ".pdf": Format(PDF_TYPE, f"{_PLUGIN}.pdf.reader:read_pdf", foreign=True),
    ".docx": Format(_WORD_TYPE, f"{_PLUGIN}.pdf_and_word:read_docx", foreign=True),
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
    if kind.media_type == PDF_TYPE:
        parsed = complete_from_first_page(parsed)
        parsed = replace(parsed, title=parsed.title or path.stem)  # the first heading may be a journal's name
    elif is_placeholder(parsed.title):
        parsed = replace(parsed, title="")
    authors, year = parse_file_name(path.stem)
    parsed = replace(parsed, authors=parsed.authors or authors, year=parsed.year or year)
    document = assemble_document(parsed, path.stem, kind.media_type)
    if not document.passages:
        raise FileSkipped("there is no text in it")
    return document
