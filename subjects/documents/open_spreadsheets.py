"""Spreadsheets of LibreOffice (ODS) as documents: what the visible sheets show, as tables.

The file holds what each cell shows next to its value, so numbers need no formatting here.
"""

from typing import Final

from lxml import etree

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.sheet_tables import build_sheet_blocks
from elcano.subjects.documents.sheets import MOST_MERGES, Budget, Merge, Sheet, Value, ValueKind, describe_sheet_gaps
from elcano.subjects.documents.tables import MOST_COLUMNS
from elcano.subjects.documents.zip_packages import Package, iterate_elements, require_open
from elcano.text.xml_tree import Element, get_local_name

_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_KINDS: Final[dict[str, ValueKind]] = {
    "float": "number", "percentage": "number", "currency": "number", "date": "date", "time": "date",
}  # fmt: skip
_LAST_ROW: Final = 1_048_576


class _Reader:
    """Fills sheets from the elements of a document in their order."""

    def __init__(self) -> None:
        self.sheet = Sheet()
        self.budget = Budget()
        self.row = 0
        self.column = 0
        self.hidden: set[int] = set()

    def read_column(self, element: Element) -> None:
        """Read the declaration of one column, or of several."""
        count = _count_repeats(element, "columns")
        if element.get(f"{_TABLE}visibility", "visible") != "visible":
            self.hidden.update(range(self.column, min(self.column + count, MOST_COLUMNS)))
        self.column += count

    def read_row(self, element: Element) -> None:
        """Read one row, or several with the same cells."""
        count = min(_count_repeats(element, "rows"), _LAST_ROW)
        cells = [one for one in element if get_local_name(one) in ("table-cell", "covered-table-cell")]
        if element.get(f"{_TABLE}visibility", "visible") != "visible":
            self.sheet.hidden_rows += count * any(len(one) for one in cells)
        elif not self.sheet.first_unread_row and any(len(one) or one.get(f"{_TABLE}formula") for one in cells):
            for row in range(self.row, self.row + count):
                if not self._read_cells(cells, row):
                    self.sheet.first_unread_row = row + 1
                    break
        self.row += count

    def _read_cells(self, cells: list[Element], row: int) -> bool:
        column = 0
        for one in cells:
            count = _count_repeats(one, "columns")
            text, comment = _read_cell_text(one)
            kind = _KINDS.get(one.get(f"{_OFFICE}value-type", ""), "text")
            if one.get(f"{_TABLE}formula") and one.get(f"{_OFFICE}value-type") is None and not text:
                self.sheet.formulas_without_value += 1
            if text and column + count > MOST_COLUMNS:
                self.sheet.far_cells += column + count - max(column, MOST_COLUMNS)
            for at in range(column, min(column + count, MOST_COLUMNS)) if text else ():
                if at in self.hidden:
                    self.sheet.hidden_columns = len(self.hidden)
                elif not self.budget.take(text):
                    return False
                elif get_local_name(one) == "table-cell":  # what others cover is not seen
                    self.sheet.cells[row, at] = Value(text, kind)
            if comment:
                self.sheet.comments.append(((row, column), comment))
            rows, columns = _count_spanned(one, "rows"), _count_spanned(one, "columns")
            if (rows > 1 or columns > 1) and len(self.sheet.merges) < MOST_MERGES:
                self.sheet.merges.append(Merge(row, column, row + rows - 1, column + columns - 1))
            column += count
        return True


def read_ods(content: bytes) -> Parsed:
    """Read a spreadsheet.

    Raises:
        FileSkipped: it is damaged or encrypted, or would unpack to more than it should.
    """
    package = Package(content, "spreadsheet")
    require_open(package)
    blocks: list[Block] = []
    gaps: list[Gap] = []
    hidden: set[str] = set()
    reader = _Reader()
    names = ("style", "table-column", "table-row", "table")
    with package.open("content.xml") as stream:
        for one in iterate_elements(stream, names):
            kind = get_local_name(one)
            if kind == "style":
                if any(part.get(f"{_TABLE}display") == "false" for part in one):
                    hidden.add(one.get(f"{_STYLE}name", ""))
            elif kind == "table-column":
                reader.read_column(one)
            elif kind == "table-row":
                reader.read_row(one)
            else:
                name = one.get(f"{_TABLE}name", "")
                reader.sheet.name = name
                if one.get(f"{_TABLE}style-name", "") in hidden:
                    gaps.append(Gap(f"the hidden sheet {name} was left out", unread=False))
                else:
                    blocks += build_sheet_blocks(reader.sheet)
                    gaps += describe_sheet_gaps(reader.sheet)
                budget, reader = reader.budget, _Reader()
                reader.budget = budget
    if not blocks and gaps:
        raise FileSkipped("; ".join(gap.reason for gap in gaps[:3]))
    return Parsed(blocks, *read_properties(package.parse_if_sound("meta.xml")), gaps=tuple(gaps))


def _count_repeats(element: Element, what: str) -> int:
    return _parse_count(element.get(f"{_TABLE}number-{what}-repeated"))


def _count_spanned(element: Element, what: str) -> int:
    return _parse_count(element.get(f"{_TABLE}number-{what}-spanned"))


def _parse_count(text: str | None) -> int:
    return max(int(text), 1) if text is not None and text.isascii() and text.isdigit() and len(text) < 8 else 1


def _read_cell_text(cell: Element) -> tuple[str, str]:
    """Read the displayed text of a cell, and its comment."""
    shown = [_join_text(one) for one in cell if get_local_name(one) == "p"]
    comments = [
        _join_text(part) for one in cell if get_local_name(one) == "annotation" for part in one.iter(f"{_TEXT}p")
    ]
    return " ".join(" ".join(shown).split()), "\n".join(filter(None, comments))


def _join_text(paragraph: Element) -> str:
    parts: list[str] = []
    for event, element in etree.iterwalk(paragraph, events=("start", "end")):
        if event == "start":
            name = get_local_name(element)
            parts.append(" " * min(_parse_count(element.get(f"{_TEXT}c")), 100) if name == "s" else "")
            parts.append(" " if name in ("tab", "line-break") else element.text or "")
        elif element is not paragraph:
            parts.append(element.tail or "")
    return "".join(parts)
