"""Tables of a Word document, cell by cell: what is merged is known by the grid, never by its text."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from elcano.subjects.documents.office.word_drawings import choose_alternative
from elcano.subjects.documents.office.word_names import WORD, get_name, get_value, is_on, parse_number
from elcano.subjects.documents.office.word_styles import Styles, has_shading, read_table_look
from elcano.subjects.documents.tables import MOST_COLUMNS, TableCell
from elcano.text.xml_tree import Element

_WRAPPERS: Final = frozenset({"w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag"})


class CellContent(NamedTuple):
    """Content of a cell."""

    text: str
    is_bold: bool = False


ReadCell = Callable[[Element, bool], CellContent]
"""Reads a cell, given whether something dark is painted behind its text."""


def iterate_wrapped(parent: Element, name: str) -> Iterator[Element]:
    """The rows or cells in an element, also those in content controls; deleted ones are left out."""
    for child in parent:
        own = get_name(child)
        if own == name:
            yield child
        elif own in _WRAPPERS:
            yield from iterate_wrapped(child, name)
        elif own == "mc:AlternateContent" and (chosen := choose_alternative(child)) is not None:
            yield from iterate_wrapped(chosen, name)


def read_table_cells(table: Element, styles: Styles, read_cell: ReadCell) -> list[TableCell]:
    """The cells of a table in its grid."""
    properties = table.find(WORD + "tblPr")
    style = styles.get_style(get_value(properties, "tblStyle"))
    look = read_table_look(properties)
    is_dark = style.has_dark_parts or bool(has_shading(properties))
    cells: list[TableCell] = []
    bold: dict[int, list[bool]] = {}
    merged: dict[int, TableCell] = {}
    number = 0
    for row in iterate_wrapped(table, "w:tr"):
        row_properties = row.find(WORD + "trPr")
        if get_value(row_properties, "del") is not None or is_on(row_properties, "hidden"):
            continue
        is_head = bool(is_on(row_properties, "tblHeader"))
        is_head |= number == 0 and style.has_head_row and look.get("firstRow", False)
        column = min(parse_number(get_value(row_properties, "gridBefore")), MOST_COLUMNS)
        below: dict[int, TableCell] = {}
        for element in iterate_wrapped(row, "w:tc"):
            own = element.find(WORD + "tcPr")
            if get_value(own, "cellDel") is not None:
                continue
            span = min(max(parse_number(get_value(own, "gridSpan"), 1), 1), MOST_COLUMNS)
            above = merged.get(column)
            joins = get_value(own, "vMerge")
            if joins in ("", "continue") and above is not None and above.columns == span:
                above.rows += 1
                below[column] = above
            elif get_value(own, "hMerge") == "continue" and cells and cells[-1].row == number:
                cells[-1].columns += span
            else:
                content = read_cell(element, is_dark or bool(has_shading(own)))
                is_head_column = column == 0 and style.has_head_column and look.get("firstColumn", False)
                cells.append(TableCell(content.text, number, column, 1, span, is_head or is_head_column))
                bold.setdefault(number, []).append(content.is_bold or not content.text)
                if joins is not None:
                    below[column] = cells[-1]
            column += span
        merged = below
        number += 1
    _mark_bold_head(cells, bold)
    return cells


def _mark_bold_head(cells: list[TableCell], bold: dict[int, list[bool]]) -> None:
    """Take a first row in bold for the head of a table that declares none, if what follows is not bold."""
    if any(cell.head for cell in cells) or len(bold) < 2 or not all(bold.get(0, [False])):
        return
    if any(all(row) for number, row in bold.items() if number > 0):
        return
    for cell in cells:
        cell.head = cell.row == 0
