"""Tables of OpenDocument, cell by cell; repeated rows and columns are bounded."""

from collections.abc import Callable, Iterator
from typing import Final

from elcano.subjects.documents.office.odf_names import get_odf_name, get_odf_value
from elcano.subjects.documents.office.word_names import parse_number
from elcano.subjects.documents.tables import MOST_COLUMNS, TableCell
from elcano.text.xml_tree import Element

_MOST_REPEATED: Final = 1_000
"""Maximum repetitions of a row with text; sheets repeat empty ones a million times."""
_MOST_EMPTY: Final = 8
"""Empty cells and rows that are repeated more often are what a sheet fills up to its border, no part of its table."""
_MOST_CELLS: Final = 200_000
"""Maximum number of cells of a table, counted with those that are repeated."""
_ROW_GROUPS: Final = frozenset({"table:table-header-rows", "table:table-rows", "table:table-row-group"})
_HIDDEN: Final = frozenset({"collapse", "filter"})


def _iterate_rows(table: Element, *, head: bool = False) -> Iterator[tuple[Element, bool]]:
    """The rows of a table, and whether they are its head."""
    for child in table:
        name = get_odf_name(child)
        if name == "table:table-row":
            yield child, head
        elif name in _ROW_GROUPS:
            yield from _iterate_rows(child, head=head or name == "table:table-header-rows")


def read_odf_cells(table: Element, read_cell: Callable[[Element], str]) -> list[TableCell]:
    """The cells of a table in its grid."""
    cells: list[TableCell] = []
    number = 0
    for row, head in _iterate_rows(table):
        if get_odf_value(row, "table:visibility") in _HIDDEN:
            continue
        found = _read_row(row, number, read_cell, head=head)
        repeated = parse_number(get_odf_value(row, "table:number-rows-repeated"), 1)
        has_text = any(cell.text for cell in found)
        times = min(max(repeated, 1), _MOST_REPEATED) if has_text or repeated <= _MOST_EMPTY else 0
        for _ in range(times):
            if len(cells) + len(found) > _MOST_CELLS:
                return cells
            cells += (TableCell(one.text, number, one.column, one.rows, one.columns, one.head) for one in found)
            number += 1
    return cells


def _read_row(row: Element, number: int, read_cell: Callable[[Element], str], *, head: bool) -> list[TableCell]:
    cells: list[TableCell] = []
    column = 0
    for element in row:
        name = get_odf_name(element)
        if name not in ("table:table-cell", "table:covered-table-cell"):
            continue
        times = max(parse_number(get_odf_value(element, "table:number-columns-repeated"), 1), 1)
        text = read_cell(element) if name == "table:table-cell" and column < MOST_COLUMNS else ""
        if name == "table:covered-table-cell" or (not text and times > _MOST_EMPTY):
            column += min(times, MOST_COLUMNS)
            continue
        spans = [
            max(parse_number(get_odf_value(element, f"table:number-{kind}-spanned"), 1), 1)
            for kind in ("rows", "columns")
        ]
        for _ in range(min(times, MOST_COLUMNS - column)):
            cells.append(TableCell(text, number, column, spans[0], min(spans[1], MOST_COLUMNS), head))
            column += 1
    return cells
