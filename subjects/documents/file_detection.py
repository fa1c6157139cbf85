"""Detects the type of a file from its content where that is clear, else from its name, which may be wrong.

Folders, uploads and files that clients attach all ask here. A file is read as what it is, or refused with its kind and
what to do about it; none is taken for plain text because nothing better was known of it. Nothing is parsed: the first
bytes and the directory of a ZIP archive decide the type.
"""

import re
import zipfile
import zlib
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents import csl_works, file_signatures
from elcano.subjects.documents.file_formats import FORMATS
from elcano.subjects.documents.file_signatures import Unread

_HEAD: Final = 4_096
"""Bytes that decide the type of a text; XML may have long comments above its first element."""
_PDF_WITHIN: Final = 1_024
"""Bytes before its mark that PDF readers tolerate."""
_OLE_BYTES: Final = 4_000_000
"""Bytes from each end of a compound file that are searched for the names in its directory."""
_DECLARED_BYTES: Final = 1_000_000
"""Bytes of the part that declares the kind of a package; that of 500 slides has 100,000."""
_ENTRIES: Final = 200_000
"""Entries of a ZIP archive whose names are read: each takes half a kilobyte of memory."""
_ENTRY: Final = b"PK\x01\x02"
_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError)

_SPACE: Final = b"\xef\xbb\xbf \t\r\n"
_HTML: Final = re.compile(
    rb"(?:<\?xml[^>]{0,200}>\s{0,99})?(?:<!--.{0,2000}?-->\s{0,99}){0,9}<(?:!doctype\s+html|html)[\s>]", re.I | re.S
)
_XML_ROOT: Final = re.compile(
    rb"(?:<\?.{0,500}?\?>\s{0,99}|<!--.{0,2000}?-->\s{0,99}|<!DOCTYPE[^\[>]{0,500}(?:\[[^\]]{0,2000}\]\s{0,99})?>\s{0,99}){0,20}"
    rb"<(?:[\w.-]{1,40}:)?([\w.-]{1,60})(?=[\s/>])",
    re.S,
)
_XML_START: Final = re.compile(rb"<(?:\?xml\s|!DOCTYPE\s(?!html))", re.I)
_XML_SUFFIXES: Final = frozenset({".xml", ".nxml", ".jats", ".tei", ".fodt"})
_JATS: Final = re.compile(rb"article-type|dtd-version|JATS|NLM//DTD|<front[\s>]|<article-meta")
_MAIL_FIELD: Final = re.compile(rb"^(From|To|Date|Subject|Received|Message-ID|MIME-Version|Return-Path):", re.I | re.M)
_MAIL_PROOF: Final = re.compile(rb"^(?:Message-ID|MIME-Version|Received):", re.I | re.M)
_MAIL_LINE: Final = re.compile(rb"(?:From |[!-9;-~]{1,80}:|[ \t])")
_LATEX: Final = re.compile(rb"^[^%\r\n]{0,200}\\document(?:class|style)\s{0,9}[\[{]", re.M)
_NOTEBOOK: Final = re.compile(rb"\"nbformat\"\s{0,9}:\s{0,9}\d")
_SCOPUS_FIELDS: Final = (b"Authors", b"Title", b"Year", b"Source title")
_TEXT: Final = frozenset({"", ".txt", ".text", ".log"})
"""Suffixes that say nothing but that it is text: the bytes are believed more readily."""


def name_by_content(path: str, data: bytes) -> str:
    """Return the name of a file with the suffix of the reader for it.

    Raises:
        FileSkipped: nothing reads it; the text says what it is and what to do.
    """
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    found = find_suffix(suffix, data)
    return name if found == suffix else name + found


def find_suffix(suffix: str, data: bytes) -> str:
    """Return the suffix of the reader for a file, of which `suffix` is that of its name, in lower case.

    Raises:
        FileSkipped: nothing reads it; the text says what it is and what to do.
    """
    if not data:
        raise FileSkipped("it is empty")
    binary = suffix in FORMATS and FORMATS[suffix].binary
    found = _find_binary_kind(data) or _find_text_kind("" if binary else suffix, data)
    if binary and found == ".txt":
        raise FileSkipped(
            f"its name says {suffix}, and its bytes are nothing of the kind: it may be damaged or cut off"
        )
    if isinstance(found, Unread):
        raise _refuse(found)
    if found not in FORMATS:
        raise _refuse(_describe(found))
    same_reader = suffix in FORMATS and FORMATS[suffix].reader == FORMATS[found].reader
    return suffix if same_reader else found


def is_package(data: bytes) -> bool:
    """Whether a ZIP archive is one document, and no folder of files."""
    return not file_signatures.PACKAGE_SIGNS.isdisjoint(_list_parts(data))


def _refuse(unread: Unread) -> FileSkipped:
    return FileSkipped(f"it is {unread.kind}{f': {unread.remedy}' if unread.remedy else ', which cannot be read'}")


def _describe(suffix: str) -> Unread:
    return Unread(f"a document of kind {suffix}", "save it as PDF or DOCX")


def _find_binary_kind(data: bytes) -> str | Unread:
    """Detect the type of a file that is no text; empty: it may be one."""
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return ".pdf"
    if data.startswith(file_signatures.PACKAGE_MARKS):
        return _find_package_kind(data)
    if data.startswith(file_signatures.OLE):
        return _find_ole_kind(data)
    for mark, suffix in file_signatures.PICTURES.items():
        if data.startswith(mark):
            return suffix
    for one in file_signatures.SIGNATURES:
        if data[one.offset : one.offset + len(one.mark)] == one.mark and (
            not (one.binary or one.offset) or b"\0" in data[:_HEAD]
        ):
            return one.unread
    return ""


def _find_ole_kind(data: bytes) -> Unread:
    ends = data[:_OLE_BYTES] + data[-_OLE_BYTES:]
    for name, unread in file_signatures.OLE_ENTRIES.items():
        if name.encode("utf-16-le") in ends:
            return unread
    return file_signatures.OLE_OTHER


def _find_package_kind(data: bytes) -> str | Unread:
    parts = _list_parts(data)
    if not parts:
        raise FileSkipped("it is a damaged ZIP archive, or a document that is cut off")
    declared = _read_part(data, parts.get("mimetype")).decode("ascii", "replace").strip()
    if declared in file_signatures.MIMETYPES:
        return file_signatures.MIMETYPES[declared]
    types = _read_part(data, parts.get("[content_types].xml")).decode("utf-8", "replace").lower()
    for mark, found in file_signatures.CONTENT_TYPES.items():
        if mark in types:
            return found
    for name, found in file_signatures.PACKAGE_PARTS.items():
        if name in parts:
            return found
    folders = {name.partition("/")[0] for name in parts}  # the main part may be called otherwise
    found_folder = next((folder for folder in file_signatures.PACKAGE_FOLDERS if folder in folders), "")
    return file_signatures.PACKAGE_FOLDERS.get(found_folder, file_signatures.PACKAGE_OTHER)


def _list_parts(data: bytes) -> dict[str, str]:
    """The names in a ZIP archive, by themselves in lower case; none if it cannot be read."""
    if data.count(_ENTRY) > _ENTRIES:
        return {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return {name.lower().replace("\\", "/").lstrip("/"): name for name in archive.namelist()}
    except _UNREADABLE:
        return {}


def _read_part(data: bytes, name: str | None) -> bytes:
    """The beginning of a part; nothing if it is not there or damaged."""
    if name is None:
        return b""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive, archive.open(name) as part:
            return part.read(_DECLARED_BYTES)
    except _UNREADABLE:
        return b""


def _find_text_kind(suffix: str, data: bytes) -> str | Unread:
    """Detect the type of a text: marks that prove a type count more than the name, and this more than likeness."""
    head = data[:_HEAD].lstrip(_SPACE)
    if suffix not in _XML_SUFFIXES and _HTML.match(head):
        return ".html"
    if head.startswith(b"{") and suffix not in (".md", ".rst") and (found := _find_json_kind(data)):
        return found
    if suffix in _XML_SUFFIXES or ((suffix not in FORMATS or suffix in _TEXT) and head.startswith(b"<")):
        kind = _find_xml_kind(suffix, head)
        if kind or suffix in _XML_SUFFIXES:
            return kind or ".txt"
    if suffix in (*_TEXT, ".csv", ".tsv") and (unread := _find_list_kind(head)):
        return unread
    if suffix in _TEXT and _LATEX.search(head):
        return ".tex"
    if suffix not in FORMATS or suffix in _TEXT:
        if _is_mail(head):
            return ".mbox" if head.startswith(b"From ") else ".eml"
        if suffix in file_signatures.SUFFIXES:
            return file_signatures.SUFFIXES[suffix]
    return suffix if suffix in FORMATS else ".txt"


def _find_json_kind(data: bytes) -> str:
    if _NOTEBOOK.search(data[:_HEAD]) or _NOTEBOOK.search(data[-_HEAD:]):
        return ".ipynb"
    return csl_works.SUFFIX if csl_works.is_item(data) else ""


def _find_xml_kind(suffix: str, head: bytes) -> str | Unread:
    root = _XML_ROOT.match(head)
    name = root[1].decode("ascii", "replace") if root else ""
    found = file_signatures.XML_ROOTS.get(name)
    declared = suffix in _XML_SUFFIXES or _XML_START.match(head) is not None
    if name == "article" and suffix not in (".nxml", ".jats") and not _JATS.search(head):
        found = Unread("an article in XML of an unknown kind", "save it as HTML") if declared else ""
    elif name == "xml" and b"<record" not in head:
        found = None
    elif name == "document" and (suffix == ".fodt" or b"opendocument.text" in head):
        found = ".fodt"
    if found is None and declared:
        return Unread(f"XML of a kind that is not read{f' (<{name[:40]}>)' if name else ''}", "save it as HTML or PDF")
    return found or ""


def _find_list_kind(head: bytes) -> Unread | None:
    for pattern, unread in file_signatures.LISTS:
        if pattern.match(head):
            return unread
    first = head.partition(b"\n")[0]
    return file_signatures.SCOPUS if all(field in first for field in _SCOPUS_FIELDS) else None


def _is_mail(head: bytes) -> bool:
    """Whether a text begins with the headers of a mail that some program sent or received."""
    fields = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    named = {name.lower() for name in _MAIL_FIELD.findall(fields)}
    whole = all(_MAIL_LINE.match(line) for line in fields.split(b"\n")[:-1])
    return len(named) >= 3 and whole and _MAIL_PROOF.search(fields) is not None
