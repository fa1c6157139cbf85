"""Tables of documents as text with cells: rows on lines, the cells of a row between ` | `."""

from collections.abc import Iterable, Iterator, Sequence
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
    rows: dict[int, dict[int, TableCell]] = {}
    for one in cells:
        if one.column < MOST_COLUMNS:
            rows.setdefault(one.row, {})[one.column] = one
    height = max(rows, default=-1) + 1
    width = max((column + one.columns for row in rows.values() for column, one in row.items()), default=0)
    width = min(width, MOST_COLUMNS)
    height = min(height, max(MOST_PLACES // max(width, 1), 1))
    covered = {
        (row, column)
        for begun in rows.values()
        for one in begun.values()
        if one.rows > 1 or one.columns > 1
        for row in range(one.row, min(one.row + one.rows, height))
        for column in range(one.column, min(one.column + one.columns, width))
        if (row, column) != (one.row, one.column)
    }
    lines: list[str] = []
    found = CellArray()
    offset = 0
    for row in range(height):
        begun = rows.pop(row, {})
        parts: list[str] = []
        for column in range(width):
            if column:
                offset += len(BETWEEN_CELLS)
            text = ""
            if (row, column) not in covered:
                cell = begun.get(column) or TableCell("", row, column)
                text = clean_line(cell.text)
                high, wide = min(cell.rows, height - row), min(cell.columns, width - column)
                found.append(Cell(offset, offset + len(text), row, column, high, wide, cell.head))
            parts.append(text)
            offset += len(text)
        lines.append(BETWEEN_CELLS.join(parts))
        offset += 1
    return Block("\n".join(lines), "table", page=page, anchor=anchor, paragraph=paragraph, cells=found)


def place_spans(rows: Iterable[Sequence[TableCell]]) -> Iterator[TableCell]:
    """The cells of rows in which each cell follows the one before it, as in HTML, in their columns."""
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            if column >= MOST_COLUMNS:
                break
            width = min(max(cell.columns, 1), MOST_COLUMNS - column)
            yield cell._replace(row=number, column=column, columns=width)
            for below in range(1, min(cell.rows, MOST_COLUMNS)):
                taken.update((number + below, column + at) for at in range(width))
            column += width


def clean_line(text: str) -> str:
    """Return `text` as it is stored, on one line."""
    if text.isascii() and text.isprintable():  # most cells are, and there may be 200,000 of them
        return " ".join(text.split())
    return " ".join(normalize_text(text).split())
