"""Files that are ZIP packages: Office Open XML, OpenDocument, EPUB. Read part by part, each within bounds.

A part is unpacked when it is read and never written to the disk, so no name in a package leads anywhere. Python's
`zipfile` unpacks no more of a part than is declared, and the memory limit of the reading process catches the rest.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import IO, Final, NamedTuple
from urllib.parse import unquote

from lxml import etree

from elcano.activities.passages.document import FileSkipped
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, parse_xml

TOTAL_BYTES: Final = 200_000_000
"""Unpacked size of all parts together that are read."""
PART_BYTES: Final = 50_000_000
"""Unpacked size of a part: as a tree it takes some ten times as much memory."""
PART_RATIO: Final = 200
"""Maximum compression ratio of a part. `deflate` reaches 1,030."""
HARMLESS_BYTES: Final = 1_000_000
"""Size below which the ratio says nothing: an empty template packs well."""
MOST_PARTS: Final = 50_000
"""Parts whose names are read: a book with a picture on every page has some 2,000."""
_ENTRY: Final = b"PK\x01\x02"
"""Beginning of each directory entry."""
_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError)
"""Exceptions that unpacking raises; `RuntimeError`: a part needs a password."""
_PIECE_BYTES: Final = 65_536
_SCHEMAS: Final = b"http://schemas.openxmlformats.org/"
_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_STRICT_NAMES: Final = (b"wordprocessingml/", b"officeDocument/", b"drawingml/", b"spreadsheetml/", b"presentationml/")
RELATION_ID: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class PartUnreadable(FileSkipped):
    """A part is missing or damaged; the text says which."""


class Relation(NamedTuple):
    """Reference of a part of an Office document."""

    kind: str
    """The last word of its type, such as `slide` or `comments`."""
    target: str
    """The name of a part; empty for what is outside of the package."""


class Package:
    """The parts of a package, by their names.

    Args:
        content: the bytes of the file.
        format_name: how people call such a file, for error messages.

    Raises:
        FileSkipped: it is no ZIP archive, or one with too many parts.
    """

    def __init__(self, content: bytes, format_name: str) -> None:
        self.format_name = format_name
        if content.count(_ENTRY) > MOST_PARTS:
            raise FileSkipped(f"it has more than {MOST_PARTS:,} parts")
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
        except _UNREADABLE as error:
            raise FileSkipped(f"it is not a readable {format_name}: it may be damaged or cut off") from error
        # Names of parts do not depend on case, and some programs write backslashes or a leading slash.
        self._parts = {_fold_name(one.filename): one for one in reversed(self._archive.infolist()) if not one.is_dir()}
        self._unpacked = 0

    @property
    def names(self) -> Iterator[str]:
        """The names of all parts."""
        return (one.filename for one in self._archive.infolist())

    def __contains__(self, name: str) -> bool:
        return _fold_name(name) in self._parts

    def open(self, name: str) -> IO[bytes]:
        """Open a part to read it piece by piece; the caller limits how much of it is read.

        Raises:
            PartUnreadable: it is missing or damaged.
            FileSkipped: it needs a password.
        """
        part = self._parts.get(_fold_name(name))
        if part is None:
            raise PartUnreadable(f"{name[:100]} is missing")
        try:
            return self._archive.open(part)
        except _UNREADABLE as error:
            if part.flag_bits & 1:
                raise FileSkipped("it is encrypted: save a copy without a password") from error
            raise PartUnreadable(f"{name[:100]} is damaged") from error

    def read(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            PartUnreadable: it is missing or damaged.
            FileSkipped: it is larger than it should be, or needs a password.
        """
        with self.open(name) as opened:
            self._count_bytes(self._parts[_fold_name(name)])
            try:
                return opened.read()
            except _UNREADABLE as error:
                raise PartUnreadable(f"{name[:100]} is damaged") from error

    def _count_bytes(self, part: zipfile.ZipInfo) -> None:
        """Count a part that is about to be unpacked.

        Raises:
            FileSkipped: it, or all parts up to it, are too large.
        """
        self._unpacked += part.file_size
        if part.file_size > PART_BYTES or self._unpacked > TOTAL_BYTES:
            raise FileSkipped(
                f"it would unpack to more than {TOTAL_BYTES / 1e6:.0f} MB, or a part to {PART_BYTES / 1e6:.0f} MB"
            )
        if part.file_size > max(HARMLESS_BYTES, part.compress_size * PART_RATIO):
            raise FileSkipped(f"a part of it would unpack to more than {PART_RATIO} times its size")

    def parse(self, name: str) -> Element:
        """Return the root of a part that is XML, with the namespaces that nearly all documents use.

        Raises:
            PartUnreadable: it is missing, damaged, or no XML that may be read.
            FileSkipped: it is larger than it should be, or needs a password.
        """
        content = self.read(name)
        if _STRICT in content:  # ISO 29500 Strict
            for schema in _STRICT_NAMES:
                content = content.replace(_STRICT + schema, _SCHEMAS + schema + b"2006/")
        try:
            return parse_xml(content)
        except XmlUnreadable as error:
            raise PartUnreadable(f"{name[:100]} is no XML, or nested too deeply") from error
        except EntitiesDeclared as error:
            raise PartUnreadable(f"{name[:100]} declares entities, which are not expanded") from error

    def parse_main(self, name: str) -> Element:
        """Return the root of a part without which nothing can be read.

        Raises:
            FileSkipped: it cannot be read.
        """
        try:
            return self.parse(name)
        except PartUnreadable as error:
            raise FileSkipped(f"it is not a readable {self.format_name}: {error}") from error

    def parse_if_sound(self, name: str) -> Element | None:
        """Return the root of a part without which the rest can be read; None if it cannot be parsed."""
        try:
            return self.parse(name)
        except FileSkipped:
            return None

    def relations(self, name: str = "") -> Mapping[str, Relation]:
        """Return the references of a part of an Office document, by id; without a name: those of the package."""
        folder, _, base = name.rpartition("/")
        root = self.parse_if_sound(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, Relation] = {}
        for one in root if root is not None else ():
            kind = one.get("Type", "").rpartition("/")[2]
            outside = one.get("TargetMode") == "External"
            found[one.get("Id", "")] = Relation(kind, "" if outside else resolve_target(folder, one.get("Target", "")))
        return found

    def find_main_part(self, usual: str) -> str:
        """Return the name of the main part of an Office document, which is not always called as usual."""
        related = [one.target for one in self.relations().values() if one.kind == "officeDocument"]
        numbered = sorted(name for name in self.names if name.startswith(usual[:-4]) and name.endswith(".xml"))
        return next((name for name in (*related, usual, *numbered) if name in self), usual)

    def parse_properties(self) -> Element | None:
        """Return the core properties of an Office document; None if they cannot be read."""
        name = next((one.target for one in self.relations().values() if one.kind == "core-properties"), "")
        return self.parse_if_sound(name if name in self else "docProps/core.xml")


def require_open(package: Package) -> None:
    """Refuse an OpenDocument file that needs a password.

    Raises:
        FileSkipped: it does.
    """
    manifest = package.parse_if_sound("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter("{*}encryption-data"), None) is not None:
        raise FileSkipped("it is encrypted: save a copy without a password")


def resolve_target(folder: str, target: str) -> str:
    """Return the name of the part that a reference leads to, from a part in `folder`."""
    path = unquote(target.partition("#")[0]).replace("\\", "/")
    joined = path if path.startswith("/") else posixpath.join("/", folder, path)
    return posixpath.normpath(joined).lstrip("/")


def _fold_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def iterate_elements(stream: IO[bytes], tags: tuple[str, ...]) -> Iterator[Element]:
    """Yield the elements of these names, with or without a namespace, each complete; they are dropped afterwards.

    Raises:
        PartUnreadable: it is no XML.
    """
    # Unlike `etree.iterparse`, this parser takes files in which an `xml:id` is repeated, as LibreOffice writes them.
    parser = etree.XMLPullParser(
        ("end",),
        tag=[f"{{*}}{tag}" for tag in tags],
        collect_ids=False,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )
    try:
        while piece := stream.read(_PIECE_BYTES):
            parser.feed(piece)
            yield from _drop_after_use(parser)
        parser.close()
        yield from _drop_after_use(parser)
    except (etree.XMLSyntaxError, *_UNREADABLE) as error:
        raise PartUnreadable(f"a part of it is damaged ({str(error)[:100]})") from error


def _drop_after_use(parser: etree.XMLPullParser) -> Iterator[Element]:
    for _, element in parser.read_events():
        yield element
        element.clear()
        while (before := element.getprevious()) is not None and (parent := before.getparent()) is not None:
            parent.remove(before)
