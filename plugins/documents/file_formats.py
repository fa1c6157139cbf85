"""Turns bytes into a document: one reader per file suffix. Pure, but able to crash a process: see `parser`."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from elcano.activities.passages import plain
from elcano.activities.passages.document import Document, FileSkipped, Parsed
from elcano.activities.passages.packing import assemble_document
from elcano.plugins.documents import docx, html, markdown, pdf


class Format(NamedTuple):
    """How files of one kind are read."""

    media_type: str
    read: Callable[[bytes], Parsed]
    foreign: bool = False
    """Whether a library written in C reads it: a bad file may crash or hang it."""


_TEXT: Final = Format("text/plain", plain.read_text)
_MARKDOWN: Final = Format("text/markdown", markdown.read_markdown)
HTML_TYPE: Final = "text/html"
_HTML: Final = Format(HTML_TYPE, html.read_html, foreign=True)

FORMATS: Final[Mapping[str, Format]] = {
    ".txt": _TEXT,
    ".text": _TEXT,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".rst": Format("text/x-rst", plain.read_rst),
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".pdf": Format("application/pdf", pdf.read_pdf, foreign=True),
    ".docx": Format(
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx.read_docx, foreign=True
    ),
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
    document = assemble_document(kind.read(content), path.stem, kind.media_type)
    if not document.passages:
        raise FileSkipped("there is no text in it")
    return document
