"""Books in EPUB: their chapters in reading order, each read as HTML; scripts, pictures and style are not.

A chapter without a heading of its own gets that of the table of contents. The table itself is not read: it only repeats
headings.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.subjects.documents.authorship import parse_authors, parse_year
from elcano.subjects.documents.html import read_html
from elcano.subjects.documents.zip_packages import Package, resolve_target
from elcano.text.xml_tree import Element, get_local_name

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_FONT_ALGORITHMS: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Ways to garble fonts, which leave the text as it is."""
_PAGES: Final = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml")
MOST_CHAPTERS: Final = 10_000
MOST_DAMAGED: Final = 20
"""Chapters that are named each when they cannot be read; further ones are counted."""
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_SELF_CLOSED: Final = re.compile(r"<([A-Za-z][\w.-]{0,40})((?:\s[^<>]{0,2000})?)/>")
_PREFIX: Final = re.compile(rb"<(/?)(?:x?html|xh|h):(?=[a-z])")


class _Item(NamedTuple):
    """A file of a book, as its package document lists it."""

    name: str
    media_type: str
    properties: str


def read_epub(content: bytes) -> Parsed:
    """Read a book.

    Raises:
        FileSkipped: it is damaged, or protected by DRM.
    """
    package = Package(content, "EPUB")
    _require_open(package)
    name = _find_package_document(package)
    root = package.parse_main(name)
    folder = posixpath.dirname(name)
    items = {
        one.get("id", ""): _Item(
            resolve_target(folder, one.get("href", "")), one.get("media-type", ""), one.get("properties") or ""
        )
        for one in root.iterfind("{*}manifest/{*}item")
    }
    spine = root.find("{*}spine")
    order = [one.get("idref", "") for one in spine if get_local_name(one) == "itemref"] if spine is not None else []
    labels = _read_labels(package, items, spine.get("toc", "") if spine is not None else "")
    blocks: list[Block] = []
    damaged: list[str] = []
    pictures = 0
    for one in dict.fromkeys(order[:MOST_CHAPTERS]):
        item = items.get(one)
        if item is None:
            damaged.append(f"the chapter {one[:100]} was left out: the book lists no file for it")
            continue
        if "nav" in item.properties.split():
            continue
        if item.media_type not in _PAGES:
            pictures += item.media_type.startswith("image/")
            continue
        try:
            blocks += _read_chapter(package, item.name, labels.get(item.name, ""))
        except FileSkipped as error:
            damaged.append(f"the chapter {item.name[:100]} was left out: {error}")
    if not blocks and damaged:
        raise FileSkipped(damaged[0])
    gaps = [Gap(reason) for reason in damaged[:MOST_DAMAGED]]
    if len(damaged) > MOST_DAMAGED:
        gaps.append(Gap(f"{len(damaged) - MOST_DAMAGED:,} more chapters were left out"))
    if len(order) > MOST_CHAPTERS:
        gaps.append(Gap(f"only the first {MOST_CHAPTERS:,} chapters were read"))
    if pictures:
        gaps.append(Gap(f"{pictures:,} pages are pictures, which are not read"))
    return _add_metadata(Parsed(blocks, gaps=tuple(gaps)), root)


def _require_open(package: Package) -> None:
    """Refuse a book whose text is encrypted."""
    root = package.parse_if_sound(_ENCRYPTION)
    if root is None:
        return
    for one in root.iter("{*}EncryptedData"):
        method = next(one.iter("{*}EncryptionMethod"), None)
        if method is None or method.get("Algorithm") not in _FONT_ALGORITHMS:
            raise FileSkipped("it is protected by DRM: get a copy without it")


def _find_package_document(package: Package) -> str:
    root = package.parse_if_sound(_CONTAINER)
    for one in root.iter("{*}rootfile") if root is not None else ():
        if (name := one.get("full-path", "")) in package:
            return name
    return next((name for name in package.names if name.lower().endswith(".opf")), "content.opf")


def _read_labels(package: Package, items: Mapping[str, _Item], toc: str) -> dict[str, str]:
    """Read the names of a book's files from its table of contents."""
    labels: dict[str, str] = {}
    navigation = next((one for one in items.values() if "nav" in one.properties.split()), None)
    root = package.parse_if_sound(navigation.name) if navigation is not None else None
    if root is not None and navigation is not None:
        for link in root.iter("{*}a"):
            _add_label(labels, navigation.name, link.get("href", ""), "".join(link.itertext()))
    contents = items.get(toc) or next((one for one in items.values() if one.name.endswith(".ncx")), None)
    root = package.parse_if_sound(contents.name) if contents is not None else None
    if root is not None and contents is not None:
        for point in root.iter("{*}navPoint"):
            target, label = point.find("{*}content"), point.find("{*}navLabel")
            if target is not None and label is not None:
                _add_label(labels, contents.name, target.get("src", ""), "".join(label.itertext()))
    return labels


def _add_label(labels: dict[str, str], name: str, target: str, label: str) -> None:
    if "#" not in target and (plain := " ".join(label.split())):
        labels.setdefault(resolve_target(posixpath.dirname(name), target), plain)


def _read_chapter(package: Package, name: str, label: str) -> Iterator[Block]:
    found = read_html(_write_as_html(package.read(name))).blocks
    if found and label and not any(block.kind == "heading" for block in found):
        yield Block(label, "heading", 1, anchor=name)
    for block in found:
        yield replace(block, anchor=f"{name}#{block.anchor}" if block.anchor else name)


def _write_as_html(content: bytes) -> bytes:
    """XHTML as HTML: to HTML, an element that closes itself is open, and `<title/>` hides all that follows."""
    plain = _PREFIX.sub(rb"<\1", content)
    text = plain.decode("latin-1")  # keeps every byte, whatever the encoding: markup is ASCII in those that are used
    written = _SELF_CLOSED.sub(
        lambda tag: tag[0] if tag[1].lower() in _VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>", text
    )
    return written.encode("latin-1") if not content.startswith((b"\xff\xfe", b"\xfe\xff")) else content


def _add_metadata(parsed: Parsed, root: Element) -> Parsed:
    metadata = root.find("{*}metadata")
    found: dict[str, list[str]] = {}
    for one in metadata.iter() if metadata is not None else ():
        text = " ".join((one.text or "").split())
        is_conversion = any(value in ("modification", "conversion") for value in one.attrib.values())
        if text and not is_conversion:
            found.setdefault(get_local_name(one), []).append(text)
    return replace(
        parsed,
        title=next(iter(found.get("title", ())), ""),
        authors=parse_authors("\n".join(found.get("creator", ()))),
        year=parse_year(next(iter(found.get("date", ())), "")),
    )
