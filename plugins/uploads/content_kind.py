"""What an uploaded file is, by its bytes: a name may lie, or say nothing."""

import io
import re
from pathlib import PurePosixPath
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.api.archive_members import open_archive
from elcano.graphs.errors import InputInvalid
from elcano.plugins.documents import csl_works
from elcano.plugins.documents.file_formats import FORMATS
from elcano.plugins.uploads.reading_lists import BIBTEX, CSL, RIS, ZOTERO_RDF, find_list_type

ZIP: Final = "application/zip"
PARTED_TYPES: Final = frozenset({ZIP, BIBTEX, RIS, CSL, ZOTERO_RDF})
"""Of files that are not searched themselves: each of their parts is a document of its own."""

_HEAD: Final = 1024
_HTML: Final = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_BY_MAGIC: Final = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"\xd0\xcf\x11\xe0": "a document of the former Microsoft Office (save it as DOCX)",
    b"\x1f\x8b": "a compressed file (gzip)",
    b"Rar!": "an archive (RAR)",
    b"7z\xbc\xaf": "an archive (7z)",
    b"\x7fELF": "a program",
    b"MZ": "a program",
}
_OFFICE: Final = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF")
"""What documents that are archives have in them."""
_BINARY: Final = (".pdf", ".docx")


def find_parted_type(path: str, data: bytes) -> str:
    """The type of a file that is many documents, an archive or a reading list; empty: it is none."""
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        names = _list_archive(data)
        return "" if any(name in names for name in _OFFICE) else ZIP
    return "" if data.startswith(b"%PDF-") else find_list_type(path, data)


def name_by_content(path: str, data: bytes) -> str:
    """The document's name with the suffix of what its bytes are.

    Raises:
        FileSkipped: they are nothing that can be read; the text says what they are.
    """
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    found = _find_suffix(data)
    if found is not None:
        return name if found == suffix else name + found
    if suffix in _BINARY:
        raise FileSkipped(f"its name says {suffix}, and its bytes are nothing of the kind")
    if suffix in FORMATS:
        return name
    return name + (".html" if _HTML.match(data[:_HEAD]) else ".txt")


def _find_suffix(data: bytes) -> str | None:
    """The suffix of a binary format that can be read; None: it may be text.

    Raises:
        FileSkipped: it is of another binary format.
    """
    if b"%PDF-" in data[:_HEAD]:
        return ".pdf"
    if data.startswith(b"{") and csl_works.is_item(data):
        return csl_works.SUFFIX
    if data.startswith(b"PK\x03\x04"):
        if "word/document.xml" in _list_archive(data):
            return ".docx"
        raise FileSkipped("it is a document that cannot be read: save it as PDF or DOCX")
    for magic, kind in _BY_MAGIC.items():
        if data.startswith(magic):
            raise FileSkipped(f"it is {kind}, which cannot be read")
    return None


def _list_archive(data: bytes) -> list[str]:
    """The names in an archive; none if it cannot be read."""
    try:
        with open_archive(io.BytesIO(data)) as archive:
            return archive.namelist()
    except InputInvalid:
        return []
