"""Facts about the cells of an Excel file that the reader of their values does not report.

Formulas that no program has computed, errors, and numbers whose format shows zeros before them. The parts of a file are
searched as bytes in portions: a sheet may have millions of cells, and few files have any of this.
"""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Final

from elcano.graphs.text import format_count
from elcano.text.xml_tree import EntitiesDeclared, XmlUnreadable, parse_xml

SUFFIXES: Final = frozenset({".xlsx", ".xlsm"})
MOST_NAMED: Final = 3
"""Cells that a note names."""
MOST_PART_BYTES: Final = 50_000_000
"""Maximum size of a part that is parsed whole: the workbook, its relations, its styles."""
_PORTION: Final = 1 << 20
_LONGEST_CELL: Final = 1 << 16
"""Bytes at the end of a portion that are searched with the next one."""
_CELL: Final = re.compile(rb"<(?:\w+:)?c\b([^>]*?)(?:/>|>(.{0,60000}?)</(?:\w+:)?c>)", re.DOTALL)
_PLACE: Final = re.compile(rb'\br="([A-Z]{1,3})(\d{1,7})"')
_STYLE: Final = re.compile(rb'\bs="(\d{1,6})"')
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f\b")
_VALUE: Final = re.compile(rb"<(?:\w+:)?v\b[^>]*>[^<]")
_PADDED: Final = re.compile(r"(0{2,15})(?:;.*)?")
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass
class SheetFacts:
    """Facts about the cells of a sheet."""

    uncomputed: list[str] = field(default_factory=list)
    """Cells whose formula has no value."""
    errors: list[str] = field(default_factory=list)
    """Cells with an error for a value."""
    padded: dict[int, int] = field(default_factory=dict)
    """Digits of the numbers of a column that are shown with zeros before them, by the column counted from 0."""

    def describe(self) -> Iterator[str]:
        """Yield caveats for readers of the table."""
        for cells, what, advice in (
            (self.uncomputed, "a formula that was never computed", ": save the file in a spreadsheet program"),
            (self.errors, "an error", ""),
        ):
            if cells:
                named = ", ".join(cells[:MOST_NAMED]) + (", ..." if len(cells) > MOST_NAMED else "")
                counted = f"{format_count(len(cells), 'cell')} with {what}"
                yield f"{counted} {'is' if len(cells) == 1 else 'are'} NULL ({named}){advice}."


def inspect_sheets(path: str) -> dict[str, SheetFacts]:
    """The facts of the sheets of a file by their names; empty for files of other kinds, and where they cannot be found.

    What is damaged is left to the reader of the values to refuse.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        return {}
    damaged = (zipfile.BadZipFile, XmlUnreadable, EntitiesDeclared, OSError, ValueError, RuntimeError)
    try:
        with zipfile.ZipFile(path) as file:
            padded = _find_padded_styles(file)
            return {
                name: _inspect_sheet(file, part, padded) for name, part in _find_parts(file) if part in file.NameToInfo
            }
    except damaged:
        return {}


def _find_parts(file: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """The names of the sheets, and of their parts."""
    book = _read_part(file, "xl/workbook.xml")
    relations = parse_xml(_read_part(file, "xl/_rels/workbook.xml.rels"))
    targets = {one.get("Id"): one.get("Target") or "" for one in relations.iter("{*}Relationship")}
    for one in parse_xml(book).iter("{*}sheet"):
        target = targets.get(one.get(_RELATION), "")
        yield one.get("name") or "", target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl") / target)


def _find_padded_styles(file: zipfile.ZipFile) -> dict[bytes, int]:
    """The digits of number formats such as `00000`, by the numbers of their styles."""
    if "xl/styles.xml" not in file.NameToInfo:
        return {}
    root = parse_xml(_read_part(file, "xl/styles.xml"))
    widths = {
        one.get("numFmtId"): len(found[1])
        for one in root.iter("{*}numFmt")
        if (found := _PADDED.fullmatch(one.get("formatCode") or "")) is not None
    }
    styles = root.iterfind("{*}cellXfs/{*}xf")
    return {str(at).encode(): widths[key] for at, one in enumerate(styles) if (key := one.get("numFmtId")) in widths}


def _read_part(file: zipfile.ZipFile, name: str) -> bytes:
    with file.open(name) as part:
        content = part.read(MOST_PART_BYTES + 1)
    if len(content) > MOST_PART_BYTES:
        raise ValueError("too large")
    return content


def _inspect_sheet(file: zipfile.ZipFile, part: str, padded: dict[bytes, int]) -> SheetFacts:
    facts = SheetFacts()
    with file.open(part) as stream:
        for attributes, inside in _iter_cells(stream, everything=bool(padded)):
            place = _PLACE.search(attributes)
            if place is None:
                continue
            name = (place[1] + place[2]).decode()
            if b't="e"' in attributes:
                facts.errors.append(name)
            elif _FORMULA.search(inside) and not _VALUE.search(inside) and b't="str"' not in attributes:
                facts.uncomputed.append(name)
            style = _STYLE.search(attributes) if padded and inside else None
            if style is not None and style[1] in padded and b't="s"' not in attributes:
                column = _count_column(place[1])
                facts.padded[column] = max(facts.padded.get(column, 0), padded[style[1]])
    return facts


def _iter_cells(stream: IO[bytes], *, everything: bool) -> Iterator[tuple[bytes, bytes]]:
    """Attributes and content of the cells of a sheet; of those alone that may matter, unless all are wanted."""
    left = b""
    while portion := stream.read(_PORTION):
        text = left + portion
        if not everything and b"<f" not in text and b":f" not in text and b't="e"' not in text:
            left = text[-_LONGEST_CELL:]
            continue
        last = 0
        for found in _CELL.finditer(text):
            last = found.end()
            yield found[1], found[2] or b""
        left = text[last:] if len(text) - last <= _LONGEST_CELL else text[-_LONGEST_CELL:]


def _count_column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
