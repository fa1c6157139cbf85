"""Files that are ZIP packages: Office Open XML, OpenDocument, EPUB. Read part by part, each within bounds.

A part is unpacked when it is read and never written to the disk, so no name in a package leads anywhere.
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
from elcano.subjects.documents.authorship import parse_authors
from elcano.subjects.documents.zip_sizes import UnpackedSizes, check_count
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, get_local_name, parse_xml

_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError)
"""Exceptions that unpacking raises; `RuntimeError`: a part needs a password."""
_PIECE_BYTES: Final = 65_536


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
        check_count(content)
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
        except _UNREADABLE as error:
            raise FileSkipped(f"it is no readable {format_name}: it may be damaged or cut off") from error
        # Names of parts do not depend on case, and some programs write backslashes or a leading slash.
        self._parts = {_fold_name(one.filename): one for one in reversed(self._archive.infolist()) if not one.is_dir()}
        self._sizes = UnpackedSizes()

    @property
    def names(self) -> Iterator[str]:
        """The names of all parts."""
        return (one.filename for one in self._archive.infolist())

    def __contains__(self, name: str) -> bool:
        return _fold_name(name) in self._parts

    def open(self, name: str) -> IO[bytes]:
        """Open a part to read it piece by piece; the caller limits how much of it is read.

        Raises:
            FileSkipped: it is not there, or needs a password.
        """
        part = self._parts.get(_fold_name(name))
        if part is None:
            raise FileSkipped(f"it is no readable {self.format_name}: {name[:100]} is missing")
        try:
            return self._archive.open(part)
        except _UNREADABLE as error:
            if part.flag_bits & 1:
                raise FileSkipped("it is encrypted: save a copy without a password") from error
            raise FileSkipped(f"it is no readable {self.format_name}: {name[:100]} is damaged") from error

    def read(self, name: str) -> bytes:
        """Return the bytes of a part.

        Raises:
            FileSkipped: it is missing, damaged, or larger than it should be.
        """
        with self.open(name) as opened:
            self._sizes.add(self._parts[_fold_name(name)])
            try:
                return opened.read()
            except _UNREADABLE as error:
                raise FileSkipped(f"it is no readable {self.format_name}: {name[:100]} is damaged") from error

    def parse(self, name: str) -> Element:
        """Return the root of a part that is XML.

        Raises:
            FileSkipped: it cannot be read.
        """
        try:
            return parse_xml(self.read(name))
        except (XmlUnreadable, EntitiesDeclared) as error:
            raise FileSkipped(f"it is no readable {self.format_name}: {name[:100]}: {error}") from error

    def parse_if_sound(self, name: str) -> Element | None:
        """Return the root of a part without which the rest can be read; None if it cannot be parsed."""
        if name not in self:
            return None
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
        related = (one.target for one in self.relations().values() if one.kind == "officeDocument")
        return next((name for name in related if name in self), usual)


class Properties(NamedTuple):
    """Properties of a document."""

    title: str = ""
    authors: tuple[str, ...] = ()


def read_properties(package: Package) -> Properties:
    """Return the core properties of an Office document."""
    name = next((one.target for one in package.relations().values() if one.kind == "core-properties"), "")
    root = package.parse_if_sound(name or "docProps/core.xml")
    if root is None:
        return Properties()
    found = {get_local_name(one): (one.text or "").strip() for one in root}
    return Properties(" ".join(found.get("title", "").split()), parse_authors(found.get("creator", "")))


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
        FileSkipped: it is no XML.
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
        raise FileSkipped(f"a part of it is damaged ({str(error)[:100]})") from error


def _drop_after_use(parser: etree.XMLPullParser) -> Iterator[Element]:
    for _, element in parser.read_events():
        yield element
        element.clear()
        while (before := element.getprevious()) is not None and (parent := before.getparent()) is not None:
            parent.remove(before)
