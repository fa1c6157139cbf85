"""Tables as text with cells: rows on lines, cells between ` | `, merged cells by their spans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.passages.document import Block
from elcano.graphs.report.places import Cell

MOST_COLUMNS: Final = 256
"""Maximum number of columns: more are a data set, and its empty cells would fill the memory."""
BETWEEN: Final = " | "


@dataclass(slots=True)
class GridCell:
    """A cell in the grid of its table, in which a merged cell has spans."""

    row: int
    column: int
    text: str
    rows: int = 1
    columns: int = 1
    head: bool = False


def build_table(cells: Sequence[GridCell], paragraph: int = 0) -> Block | None:
    """A table as a block; None if there is no text in it.

    Rows and columns in which no cell begins exist only for the grid and are left out.
    """
    shown = [cell for cell in cells if cell.column < MOST_COLUMNS]
    if not any(cell.text for cell in shown):
        return None
    rows = {row: place for place, row in enumerate(sorted({cell.row for cell in shown}))}
    columns = {column: place for place, column in enumerate(sorted({cell.column for cell in shown}))}
    by_row: list[list[GridCell]] = [[] for _ in rows]
    for cell in shown:
        by_row[rows[cell.row]].append(cell)
    row_starts, column_starts = list(rows), list(columns)
    lines: list[str] = []
    placed: list[Cell] = []
    offset = 0
    for place, line_cells in enumerate(by_row):
        texts = [""] * len(columns)
        for cell in line_cells:
            texts[columns[cell.column]] = cell.text
        starts = _list_starts(texts, offset)
        for cell in sorted(line_cells, key=lambda one: one.column):
            start = starts[columns[cell.column]]
            placed.append(
                Cell(
                    start,
                    start + len(cell.text),
                    place,
                    columns[cell.column],
                    _count_starts(row_starts, place, cell.row + cell.rows),
                    _count_starts(column_starts, columns[cell.column], cell.column + cell.columns),
                    cell.head,
                )
            )
        lines.append(BETWEEN.join(texts))
        offset += len(lines[-1]) + 1
    return _strip_table(Block("\n".join(lines), "table", paragraph=paragraph, cells=tuple(placed)))


def _list_starts(texts: Sequence[str], offset: int) -> list[int]:
    starts: list[int] = []
    for text in texts:
        starts.append(offset)
        offset += len(text) + len(BETWEEN)
    return starts


def _count_starts(starts: Sequence[int], first: int, end: int) -> int:
    """Count the ascending `starts`, from number `first` on, that lie before `end`."""
    count = 1
    while first + count < len(starts) and starts[first + count] < end:
        count += 1
    return count


def _strip_table(block: Block) -> Block:
    """The block as it is stored: without white space at its ends, with cells in bounds."""
    text = block.text.strip()
    cut = block.text.index(text)
    if len(text) == len(block.text):
        return block
    cells = tuple(
        cell._replace(start=min(max(cell.start - cut, 0), len(text)), end=min(max(cell.end - cut, 0), len(text)))
        for cell in block.cells
    )
    return Block(text, block.kind, paragraph=block.paragraph, cells=cells)
