"""Tables of documents as text with cells: rows on lines, the cells of a row between ` | `."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, normalize_text
from elcano.activities.passages.place_arrays import CellArray
from elcano.graphs.report.places import Cell

BETWEEN_CELLS: Final = " | "
MOST_PLACES: Final = 400_000
"""Places of a table, empty ones included: two filled columns may stand a thousand apart."""
MOST_COLUMNS: Final = 1_000
"""Columns of a table that are read: a span may claim a million of them."""


class TableCell(NamedTuple):
    """One cell of a table, as a file declares it."""

    text: str
    row: int
    """Counted from 0."""
    column: int
    """Counted from 0."""
    rows: int = 1
    columns: int = 1
    head: bool = False


def build_table(cells: Iterable[TableCell], *, page: int = 0, anchor: str = "", paragraph: int = 0) -> Block:
    """Return a table as a block: each row has every column, and a merged cell has its text where it begins."""
    placed = {(one.row, one.column): one for one in cells if one.column < MOST_COLUMNS}
    height = max((row + 1 for row, _ in placed), default=0)
    width = min(max((column + one.columns for (_, column), one in placed.items()), default=0), MOST_COLUMNS)
    height = min(height, max(MOST_PLACES // max(width, 1), 1))
    covered = {
        (row, column)
        for one in placed.values()
        if one.rows > 1 or one.columns > 1
        for row in range(one.row, min(one.row + one.rows, height))
        for column in range(one.column, min(one.column + one.columns, width))
        if (row, column) != (one.row, one.column)
    }
    parts: list[str] = []
    found: list[Cell] = []
    offset = 0
    for row in range(height):
        for column in range(width):
            if column or row:
                parts.append(BETWEEN_CELLS if column else "\n")
                offset += len(parts[-1])
            cell = placed.get((row, column)) or TableCell("", row, column)
            text = "" if (row, column) in covered else clean_line(cell.text)
            if (row, column) not in covered:
                rows, columns = min(cell.rows, height - row), min(cell.columns, width - column)
                found.append(Cell(offset, offset + len(text), row, column, rows, columns, cell.head))
            parts.append(text)
            offset += len(text)
    return Block("".join(parts), "table", page=page, anchor=anchor, paragraph=paragraph, cells=CellArray(found))


def place_spans(rows: Iterable[Sequence[TableCell]]) -> list[TableCell]:
    """Return the cells of rows in which each cell follows the one before it, as in HTML, in their columns."""
    found: list[TableCell] = []
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            if column >= MOST_COLUMNS:
                break
            width = min(max(cell.columns, 1), MOST_COLUMNS - column)
            found.append(cell._replace(row=number, column=column, columns=width))
            for below in range(1, min(cell.rows, MOST_COLUMNS)):
                taken.update((number + below, column + at) for at in range(width))
            column += width
    return found


def clean_line(text: str) -> str:
    """Return `text` as it is stored, on one line."""
    if text.isascii() and text.isprintable():  # most cells are, and there may be 200,000 of them
        return " ".join(text.split())
    return " ".join(normalize_text(text).split())
