"""Turns bytes into a document: one reader per file suffix. Pure, but able to crash a process: see `parser`.

What a reader of one kind of file needs is imported when one is read: programs that only name the kinds do without.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from pkgutil import resolve_name
from typing import Final, NamedTuple

from elcano.activities.passages.document import Document, FileSkipped, Gap, Parsed
from elcano.activities.passages.packing import assemble_document
from elcano.subjects.documents import csl_works
from elcano.subjects.documents.authorship import parse_file_name
from elcano.subjects.documents.first_page import complete_from_first_page, is_placeholder

READER: Final = 11
"""The version of all readers and of the packing. Raise it when any of them makes something else of a file: documents
that an older one read are then read anew in the background. `test_reader_version` compares what they make."""


class Format(NamedTuple):
    """Format of a kind of files."""

    media_type: str
    reader: str
    """The path of the function that reads their bytes."""
    foreign: bool = False
    """Whether a library written in C reads it: a bad file may crash or hang it."""
    titled: bool = True
    """Whether a first heading is a title where the file declares none; that of a workbook is the name of a sheet."""
    binary: bool = False
    """Whether its files are no text, so that one which is has another kind or is damaged."""

    def read(self, content: bytes) -> Parsed:
        """Read a file of this kind."""
        reader: Callable[[bytes], Parsed] = resolve_name(self.reader)
        return reader(content)


_DOCUMENT: Final = "elcano.activities.passages.document"
_PLUGIN: Final = "elcano.subjects.documents"
_TEXT: Final = Format("text/plain", f"{_DOCUMENT}:read_text")
_MARKDOWN: Final = Format("text/markdown", f"{_PLUGIN}.markdown:read_markdown")
HTML_TYPE: Final = "text/html"
_HTML: Final = Format(HTML_TYPE, f"{_PLUGIN}.html:read_html", foreign=True)

PDF_TYPE: Final = "application/pdf"
_WORD_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_WORD: Final = Format(_WORD_TYPE, f"{_PLUGIN}.office.word_documents:read_word", foreign=True, binary=True)
_ODF_READER: Final = f"{_PLUGIN}.office.odf_documents:read_odf"
_ODF: Final = Format("application/vnd.oasis.opendocument.text", _ODF_READER, foreign=True, binary=True)
_FLAT_ODF: Final = Format("application/vnd.oasis.opendocument.text-flat-xml", _ODF_READER, foreign=True)
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_OPEN: Final = "application/vnd.oasis.opendocument"
_SLIDES: Final = Format(
    f"{_OFFICE}.presentationml.presentation", f"{_PLUGIN}.slides:read_pptx", foreign=True, binary=True
)
_OPEN_SLIDES: Final = Format(f"{_OPEN}.presentation", f"{_PLUGIN}.open_slides:read_odp", foreign=True, binary=True)
_WORKBOOK: Final = Format(
    f"{_OFFICE}.spreadsheetml.sheet", f"{_PLUGIN}.workbooks:read_xlsx", foreign=True, titled=False, binary=True
)
_MAIL: Final = Format("message/rfc822", f"{_PLUGIN}.mails:read_mail", foreign=True)
_JATS: Final = Format("application/jats+xml", f"{_PLUGIN}.jats:read_jats", foreign=True)
_LATEX: Final = Format("application/x-latex", f"{_PLUGIN}.latex_source:read_latex", foreign=True)
_PICTURES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
}
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
    ".pdf": Format(PDF_TYPE, f"{_PLUGIN}.pdf.reader:read_pdf", foreign=True, binary=True),
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), _WORD),
    **dict.fromkeys((".odt", ".ott"), _ODF),
    ".fodt": _FLAT_ODF,
    **{
        suffix: Format(kind, f"{_PLUGIN}.pdf.picture_files:read_picture", foreign=True, binary=True)
        for suffix, kind in _PICTURES.items()
    },
    ".pptx": _SLIDES,
    ".pptm": _SLIDES,
    ".ppsx": _SLIDES,
    **dict.fromkeys((".odp", ".otp"), _OPEN_SLIDES),
    ".xlsx": _WORKBOOK,
    ".xlsm": _WORKBOOK,
    ".xltx": _WORKBOOK,
    ".ods": Format(
        f"{_OPEN}.spreadsheet", f"{_PLUGIN}.open_spreadsheets:read_ods", foreign=True, titled=False, binary=True
    ),
    ".csv": Format("text/csv", f"{_PLUGIN}.csv_tables:read_csv", titled=False),
    ".tsv": Format("text/tab-separated-values", f"{_PLUGIN}.csv_tables:read_tsv", titled=False),
    ".epub": Format("application/epub+zip", f"{_PLUGIN}.books:read_epub", foreign=True, binary=True),
    ".eml": _MAIL,
    ".mbox": Format("application/mbox", f"{_PLUGIN}.mails:read_mailbox", foreign=True, titled=False),
    ".mht": _MAIL,
    ".mhtml": _MAIL,
    ".jats": _JATS,
    ".nxml": _JATS,
    ".tei": Format("application/tei+xml", f"{_PLUGIN}.tei:read_tei", foreign=True),
    ".xml": _JATS,
    ".ipynb": Format("application/x-ipynb+json", f"{_PLUGIN}.notebooks:read_notebook", foreign=True),
    ".tex": _LATEX,
    ".latex": _LATEX,
    ".ltx": _LATEX,
}
"""By suffix. `.xml` may be either kind of article, or none: see `file_detection`."""


def read_file(name: str, content: bytes) -> Parsed:
    """Read a file with the reader for the suffix of `name`.

    Raises:
        FileSkipped: there is none, or it cannot be read.
    """
    kind = FORMATS.get(PurePosixPath(name).suffix.lower())
    if kind is None:
        raise FileSkipped(f"files of kind {PurePosixPath(name).suffix!r} cannot be read")
    return kind.read(content)


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
    title = parsed.title or ("" if kind.titled else path.stem)
    parsed = replace(parsed, title=title, authors=parsed.authors or authors, year=parsed.year or year)
    document = assemble_document(parsed, path.stem, kind.media_type)
    if not document.passages:
        gap = next((gap for gap in document.gaps if gap.unread), Gap("there is no text in it"))
        raise FileSkipped(gap.reason, gap.needs)
    return document
