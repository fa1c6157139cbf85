"""What an uploaded file is, by its bytes: a name may lie, or say nothing."""

import io
import re
import zipfile
from pathlib import PurePosixPath
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.plugins.documents.file_formats import FORMATS

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
_BINARY: Final = (".pdf", ".docx")


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
    if data.startswith(b"PK\x03\x04"):
        if _is_word_document(data):
            return ".docx"
        raise FileSkipped("it is an archive or a document that cannot be read: unpack it, or save it as PDF or DOCX")
    for magic, kind in _BY_MAGIC.items():
        if data.startswith(magic):
            raise FileSkipped(f"it is {kind}, which cannot be read")
    return None


def _is_word_document(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
