"""Tables of documents as text with cells: rows on lines, the cells of a row between ` | `."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.passages.document import Block, normalize_text
from elcano.activities.passages.place_arrays import CellArray
from elcano.graphs.report.places import Cell

BETWEEN_CELLS: Final = " | "
MOST_PLACES: Final = 400_000
"""Places of a table, empty ones included, unless it has as many cells: two filled columns may be far apart."""
MOST_COLUMNS: Final = 1_000
"""Columns of a table whose cells stay in their columns: a span may claim a million of them."""


@dataclass(slots=True)
class TableCell:
    """One cell of a table, as a file declares it."""

    text: str
    row: int = 0
    """Counted from 0."""
    column: int = 0
    """Counted from 0."""
    rows: int = 1
    columns: int = 1
    head: bool = False


def build_table(cells: Iterable[TableCell], *, page: int = 0, anchor: str = "", paragraph: int = 0) -> Block:
    """Return a table as a block: each row has every column, and a merged cell has its text where it begins.

    Cells of a table with too many columns or empty places stand one behind the other: no text is lost.
    """
    rows: dict[int, dict[int, TableCell]] = {}
    width = count = 0
    for one in cells:
        rows.setdefault(one.row, {})[one.column] = one
        width, count = max(width, one.column + min(one.columns, MOST_COLUMNS)), count + 1
    height = max(rows, default=-1) + 1
    placed = width <= MOST_COLUMNS and width * height <= max(MOST_PLACES, 2 * count)
    numbers = range(height) if placed else sorted(rows)
    lines: list[str] = []
    found = CellArray()
    covered: dict[int, int] = {}  # by column, the row in which it is free again
    offset = 0
    for row, number in enumerate(numbers):
        begun = rows.pop(number, {})
        parts: list[str] = []
        for at, column in enumerate(range(width) if placed else sorted(begun)):
            offset += len(BETWEEN_CELLS) if at else 0
            text = ""
            cell = begun.get(column) or TableCell("")
            if cell.text or covered.get(column, 0) <= row:
                text = clean_line(cell.text)
                high, wide = (min(cell.rows, height - row), min(cell.columns, width - column)) if placed else (1, 1)
                if high > 1 or wide > 1:
                    covered |= dict.fromkeys(range(column, column + wide), row + high)
                found.append(Cell(offset, offset + len(text), row, at, high, wide, cell.head))
            parts.append(text)
            offset += len(text)
        lines.append(BETWEEN_CELLS.join(parts))
        offset += 1
    return Block("\n".join(lines), "table", page=page, anchor=anchor, paragraph=paragraph, cells=found)


def place_spans(rows: Iterable[Sequence[TableCell]]) -> Iterator[TableCell]:
    """The cells of rows in which each cell follows the one before it, as in HTML, in their columns."""
    free: dict[int, int] = {}
    """By column, the row in which it is free again."""
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while free.get(column, 0) > number:
                column += 1
            cell.row, cell.column = number, column
            cell.columns = min(max(cell.columns, 1), MOST_COLUMNS)
            for spanned in range(column, column + cell.columns) if cell.rows > 1 else ():
                free[spanned] = max(free.get(spanned, 0), number + cell.rows)
            yield cell
            column += cell.columns


def build_compact_table(
    cells: Iterable[TableCell], *, keep_empty: bool = True, anchor: str = "", paragraph: int = 0
) -> Block | None:
    """Return a table without the rows and columns in which no cell begins; None if there is no text in it.

    Args:
        cells: with their places in a grid, of which some rows and columns may only exist to place them.
        keep_empty: whether cells without text count.
        anchor: see `Block`.
        paragraph: see `Block`.
    """
    cells = list(cells)
    used = [one for one in cells if keep_empty or one.text]
    rows, columns = sorted({one.row for one in used}), sorted({one.column for one in used})
    kept: list[TableCell] = []
    for one in cells:
        row, column = bisect_left(rows, one.row), bisect_left(columns, one.column)
        height = bisect_left(rows, one.row + one.rows) - row
        width = bisect_left(columns, one.column + one.columns) - column
        if height > 0 and width > 0:
            kept.append(TableCell(one.text, row, column, height, width, one.head))
    return build_table(kept, anchor=anchor, paragraph=paragraph) if any(one.text for one in kept) else None


def clean_line(text: str) -> str:
    """Return `text` as it is stored, on one line."""
    if text.isascii() and text.isprintable():  # most cells are, and there may be 200,000 of them
        return " ".join(text.split())
    return " ".join(normalize_text(text).split())
