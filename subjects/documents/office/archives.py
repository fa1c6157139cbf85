"""ZIP archives that documents are packed in: their sizes are checked before anything is unpacked."""

import io
import zipfile
import zlib
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.zip_sizes import check_count, check_total
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, parse_xml

_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of an OLE compound file: Office of before 2007, and whatever Office encrypts."""


class PartUnreadable(Exception):
    """A part is missing or damaged; the text says which."""


class Archive:
    """The files of a ZIP archive by their names, which are compared without case."""

    def __init__(self, content: bytes, kind: str) -> None:
        """Open the archive of a document that users call `kind`, such as `a Word document`.

        Raises:
            FileSkipped: it is none, is encrypted, or would unpack to more than it should.
        """
        if content.startswith(_COMPOUND):
            raise FileSkipped(_explain_compound_file(content, kind))
        check_count(content)
        try:
            self._file = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            reason = "it may be damaged or cut off" if content.startswith(b"PK\x03\x04") else ""
            raise FileSkipped(f"it is not {kind}: {reason}" if reason else _explain_stranger(kind)) from error
        entries = self._file.infolist()
        check_total(entries, len(content))
        self._entries = {entry.filename.replace("\\", "/").lstrip("/").lower(): entry for entry in entries}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._entries

    def list_names(self) -> list[str]:
        """The names of all files, in lower case."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The bytes of one file.

        Raises:
            PartUnreadable: it is missing, damaged or encrypted.
        """
        entry = self._entries.get(name.lower())
        if entry is None:
            raise PartUnreadable(f"{name} is missing")
        try:
            return self._file.read(entry)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise PartUnreadable(f"{name} is damaged or encrypted") from error

    def read_xml(self, name: str) -> Element:
        """The root of one file.

        Raises:
            PartUnreadable: it is missing, damaged, or no XML that may be read.
        """
        try:
            return parse_xml(_use_transitional_names(self.read(name)))
        except XmlUnreadable as error:
            raise PartUnreadable(f"{name} is no XML, or nested too deeply") from error
        except EntitiesDeclared as error:
            raise PartUnreadable(f"{name} declares entities, which are not expanded") from error


def _explain_compound_file(content: bytes, kind: str) -> str:
    if "EncryptedPackage".encode("utf-16-le") in content:
        return "it is encrypted: save a copy without a password"
    if "WordDocument".encode("utf-16-le") in content:
        return "it is a Word document of before 2007: save it as DOCX"
    return _explain_stranger(kind)


def _explain_stranger(kind: str) -> str:
    return f"it is not {kind}, or an encrypted one: save a copy without a password"


_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_TRANSITIONAL: Final = (
    ("wordprocessingml/main", "wordprocessingml/2006/main"),
    ("officeDocument/relationships", "officeDocument/2006/relationships"),
    ("officeDocument/math", "officeDocument/2006/math"),
    ("drawingml/main", "drawingml/2006/main"),
    ("drawingml/wordprocessingDrawing", "drawingml/2006/wordprocessingDrawing"),
    ("drawingml/chart", "drawingml/2006/chart"),
    ("drawingml/diagram", "drawingml/2006/diagram"),
)
"""Namespaces of ISO 29500 Strict, and those that every other document uses for the same elements."""


def _use_transitional_names(xml: bytes) -> bytes:
    if _STRICT not in xml:
        return xml
    for strict, transitional in _TRANSITIONAL:
        xml = xml.replace(_STRICT + strict.encode(), f"http://schemas.openxmlformats.org/{transitional}".encode())
    return xml
