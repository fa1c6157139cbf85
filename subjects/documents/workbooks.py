"""Workbooks of Excel (XLSX) as documents: what the visible sheets show, as tables.

Sheets are parsed piece by piece, since a million rows take gigabytes as a tree. Numbers read as the spreadsheet shows
them. Formulas are not computed: what a spreadsheet program stored as their values is read.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.subjects.documents.number_formats import BUILT_IN, format_number, format_text, is_date_code
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.sheet_tables import build_sheet_blocks
from elcano.subjects.documents.sheets import (
    MOST_CHARACTERS,
    MOST_MERGES,
    Budget,
    Merge,
    Place,
    Sheet,
    Value,
    ValueKind,
    describe_sheet_gaps,
)
from elcano.subjects.documents.tables import MOST_COLUMNS
from elcano.subjects.documents.zip_packages import RELATION_ID, Package, iterate_elements
from elcano.text.words import lower_text, raise_text
from elcano.text.xml_tree import Element, get_local_name

_MAIN: Final = "xl/workbook.xml"
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TRUE: Final = ("1", "true")
_THREAD_NOTE: Final = "[Threaded comment]"
"""Beginning of the copy of a conversation that Excel writes for older releases."""


class _Style(NamedTuple):
    code: str = "General"
    strong: bool = False
    struck: bool = False


@dataclass
class _Book:
    """Common data of a workbook's sheets."""

    strings: Sequence[str] = ()
    styles: Sequence[_Style] = ()
    from_1904: bool = False
    budget: Budget = field(default_factory=Budget)
    struck: int = 0
    lost_strings: int = 0


def read_xlsx(content: bytes) -> Parsed:
    """Read a workbook.

    Raises:
        FileSkipped: it is damaged or encrypted, or would unpack to more than it should.
    """
    package = Package(content, "workbook")
    main = package.find_main_part(_MAIN)
    root = package.parse_main(main)
    relations = package.relations(main)
    book = _Book(
        _read_strings(package, next((one.target for one in relations.values() if one.kind == "sharedStrings"), "")),
        _read_styles(package, next((one.target for one in relations.values() if one.kind == "styles"), "")),
        any(one.get("date1904") in _TRUE for one in root.iter("{*}workbookPr")),
    )
    blocks: list[Block] = []
    gaps: list[Gap] = []
    for one in root.iter("{*}sheet"):
        name = one.get("name") or ""
        relation = relations.get(one.get(RELATION_ID, ""))
        if one.get("state", "visible") != "visible":
            gaps.append(Gap(f"the hidden sheet {name} was left out", unread=False))
        elif relation is not None and relation.kind == "worksheet":
            try:
                sheet = _read_sheet(package, relation.target, name, book)
            except FileSkipped as error:
                gaps.append(Gap(f"the sheet {name} was left out: {error}"))
                continue
            blocks += build_sheet_blocks(sheet)
            gaps += describe_sheet_gaps(sheet)
    if book.struck:
        gaps.append(Gap(f"what is struck out in {book.struck:,} cells was left out", unread=False))
    if book.lost_strings:
        gaps.append(
            Gap(f"the texts of {book.lost_strings:,} cells were not read: they are too many, or not in the file")
        )
    if not blocks and gaps:
        raise FileSkipped("; ".join(gap.reason for gap in gaps[:3]))
    return Parsed(blocks, *read_properties(package.parse_properties()), gaps=tuple(gaps))


def _read_strings(package: Package, name: str) -> list[str]:
    found: list[str] = []
    characters = 0
    if name not in package:
        return found
    with package.open(name) as stream:
        for one in iterate_elements(stream, ("si",)):
            text = _read_rich_text(one)
            characters += len(text)
            if characters > MOST_CHARACTERS:
                break
            found.append(text)
    return found


def _read_rich_text(element: Element) -> str:
    """The text of a string: without its phonetic hints and what is struck out, with exponents as such."""
    parts: list[str] = []
    for one in element:
        name = get_local_name(one)
        if name == "t":
            parts.append(one.text or "")
        elif name == "r":
            text = "".join(part.text or "" for part in one if get_local_name(part) == "t")
            marks = {get_local_name(mark): mark.get("val", "1") for part in one for mark in part}
            if marks.get("strike", "0") in _TRUE:
                continue
            raised = marks.get("vertAlign")
            parts.append(
                raise_text(text) if raised == "superscript" else lower_text(text) if raised == "subscript" else text
            )
    return _unescape("".join(parts))


def _unescape(text: str) -> str:
    """Text with the characters that XML cannot hold, or that a program wrote so."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _read_styles(package: Package, name: str) -> list[_Style]:
    root = package.parse_if_sound(name)
    if root is None:
        return []
    codes = dict(BUILT_IN)
    fonts: list[tuple[bool, bool]] = []
    for one in root.iter("{*}numFmt"):
        if (named := one.get("numFmtId", "")).isdecimal():
            codes[int(named)] = one.get("formatCode", "General")
    for one in root.iterfind("{*}fonts/{*}font"):
        marks = {get_local_name(mark): mark.get("val", "1") in _TRUE for mark in one}
        fonts.append((marks.get("b", False), marks.get("strike", False)))
    found: list[_Style] = []
    for one in root.iterfind("{*}cellXfs/{*}xf"):
        number, font = _parse_whole(one.get("numFmtId")), _parse_whole(one.get("fontId"))
        found.append(_Style(codes.get(number, "General"), *(fonts[font] if font < len(fonts) else ())))
    return found


def _read_sheet(package: Package, name: str, title: str, book: _Book) -> Sheet:
    sheet = Sheet(title)
    hidden: list[range] = []
    number = 0
    zeros = True
    with package.open(name) as stream:
        for one in iterate_elements(stream, ("row", "col", "mergeCell", "sheetView", "autoFilter")):
            kind = get_local_name(one)
            if kind == "row":
                number = _parse_whole(one.get("r")) or number + 1
                if one.get("hidden") in _TRUE:
                    sheet.hidden_rows += len(one) > 0
                elif not _read_row(one, number - 1, sheet, book, hidden, zeros):
                    sheet.first_unread_row = number
                    break
            elif kind == "col" and one.get("hidden") in _TRUE:
                first = _parse_whole(one.get("min")) - 1
                hidden.append(range(first, _parse_whole(one.get("max"))))
            elif kind == "sheetView":
                zeros = one.get("showZeros", "1") in _TRUE
            elif (span := _parse_span(one.get("ref", ""))) is not None:
                if kind == "autoFilter":
                    sheet.heads.add(span.top)
                elif len(sheet.merges) < MOST_MERGES:
                    sheet.merges.append(span)
    _read_related_parts(package, name, sheet)
    return sheet


def _read_row(row: Element, number: int, sheet: Sheet, book: _Book, hidden: Sequence[range], zeros: bool) -> bool:
    """Read the cells of a row; returns whether there was room for them."""
    column = -1
    found: dict[Place, Value] = {}
    for one in row:
        place = _parse_place(one.get("r", ""))
        column = place[1] if place is not None else column + 1
        if get_local_name(one) != "c":
            continue
        if column >= MOST_COLUMNS:
            sheet.far_cells += len(one) > 0
            continue
        value = _read_value(one, sheet, book)
        if not value.text or (value.text == "0" and value.kind == "number" and not zeros):
            continue
        if any(column in one for one in hidden):
            sheet.hidden_columns = max(
                sheet.hidden_columns, sum(len(one) for one in hidden if one.start < MOST_COLUMNS)
            )
            continue
        if not book.budget.take(value.text):
            return False
        found[number, column] = value
    sheet.cells.update(found)
    return True


def _read_value(cell: Element, sheet: Sheet, book: _Book) -> Value:
    kind = cell.get("t", "n")
    parts = {get_local_name(part): part for part in cell}
    raw = parts["v"].text or "" if "v" in parts else ""
    style_number = _parse_whole(cell.get("s"))
    style = book.styles[style_number] if style_number < len(book.styles) else _Style()
    if kind == "inlineStr":
        raw = _read_rich_text(parts["is"]) if "is" in parts else ""
    elif not raw:
        sheet.formulas_without_value += "f" in parts and kind != "str"
        return Value("")
    elif kind == "s":
        index = _parse_whole(raw)
        if index >= len(book.strings):
            book.lost_strings += 1
            return Value("")
        raw = book.strings[index]
    if style.struck and raw:
        book.struck += 1
        return Value("")
    if kind == "n":
        return _build_number(raw, style, book.from_1904)
    if kind == "b":
        return Value("TRUE" if raw in _TRUE else "FALSE", "text", style.strong)
    if kind == "d":
        return _build_date(raw, style, book.from_1904)
    return Value(" ".join(format_text(_unescape(raw), style.code).split()), "text", style.strong)


def _build_date(raw: str, style: _Style, from_1904: bool) -> Value:
    """A date in ISO 8601, which few programs write, with the format of its cell."""
    try:
        moment = datetime.fromisoformat(raw).replace(tzinfo=None)
    except ValueError:
        return Value(raw, "date", style.strong)
    days = (moment - datetime(1904, 1, 1) if from_1904 else moment - datetime(1899, 12, 30)) / timedelta(days=1)
    code = style.code if is_date_code(style.code) else "yyyy-mm-dd hh:mm:ss"
    return Value(format_number(days, code, from_1904=from_1904), "date", style.strong)


def _build_number(raw: str, style: _Style, from_1904: bool) -> Value:
    if style.code == "General" and raw.isascii() and raw.isdigit() and len(raw) <= 15:  # as most numbers are
        return Value(raw, "number", style.strong)
    try:
        number = float(raw)
    except ValueError:
        return Value(raw, "text", style.strong)
    if not math.isfinite(number):
        return Value(raw, "text", style.strong)
    kind: ValueKind = "date" if is_date_code(style.code) else "number"
    return Value(format_number(number, style.code, from_1904=from_1904), kind, style.strong)


def _read_related_parts(package: Package, name: str, sheet: Sheet) -> None:
    """Add the comments, the text boxes and the declared tables of a sheet, and count what is embedded in it."""
    remarks: dict[Place, list[str]] = {}
    for one in package.relations(name).values():
        sheet.objects += one.kind in _EMBEDDED
        root = package.parse_if_sound(one.target) if one.kind in _RELATED else None
        if root is None:
            continue
        if one.kind == "table":
            if (span := _parse_span(root.get("ref", ""))) is not None and root.get("headerRowCount", "1") != "0":
                sheet.heads.add(span.top)
        elif one.kind == "drawing":
            sheet.texts += _list_box_texts(root)
        else:
            for place, text in _list_comments(root):
                remarks.setdefault(place, []).append(text)
    for place, texts in sorted(remarks.items()):
        own = [text for text in texts if not text.startswith(_THREAD_NOTE)] or texts
        sheet.comments += [(place, text) for text in own]


_RELATED: Final = frozenset({"table", "drawing", "comments", "threadedComment"})
_EMBEDDED: Final = frozenset({"oleObject", "package"})


def _list_comments(root: Element) -> Iterator[tuple[Place, str]]:
    for one in root:
        for comment in one if get_local_name(one) == "commentList" else [one]:
            place = _parse_place(comment.get("ref", ""))
            parts = [part for part in comment if get_local_name(part) == "text"]
            text = "".join(_read_rich_text(part) if len(part) else part.text or "" for part in parts)
            if place is not None and text.strip():
                yield place, text


def _list_box_texts(root: Element) -> Iterator[str]:
    for body in root.iter("{*}txBody"):
        paragraphs = ("".join(text.text or "" for text in one.iter("{*}t")) for one in body.iter("{*}p"))
        if text := "\n".join(filter(str.strip, paragraphs)):
            yield text


def _parse_place(reference: str) -> Place | None:
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]) - 1, column - 1


def _parse_span(reference: str) -> Merge | None:
    first, _, last = reference.partition(":")
    start, end = _parse_place(first), _parse_place(last or first)
    return Merge(*start, *end) if start is not None and end is not None else None


def _parse_whole(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else 0
