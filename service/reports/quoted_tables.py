"""The table that a quote is in, as rows for a page of HTML: its heads, the quoted cells, and what is near them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elcano.graphs.report.cells import CitedCell, list_column_heads, split_tables
from elcano.graphs.report.places import Cell

ROWS_AROUND: Final = 3
"""Rows that are shown above and below a quoted cell: enough to see what it is among."""
MOST_ROWS: Final = 30
MOST_COLUMNS: Final = 30
CELL_CHARACTERS: Final = 300


class ShownCell(NamedTuple):
    """A cell as it is shown."""

    text: str
    head: bool = False
    cited: bool = False
    rows: int = 1
    columns: int = 1


ShownTable = tuple[tuple[ShownCell, ...], ...]


def build_quoted_table(
    text: str, offset: int, cells: Sequence[Cell], start: int, end: int, cited: Sequence[CitedCell] = ()
) -> ShownTable:
    """The rows of the table that the characters `start` to `end` stand in; empty if they stand in none.

    Args:
        text: a part of the stored text, such as a passage.
        offset: where `text` begins in the stored text, which all other offsets count in.
        cells: of the tables in `text`, perhaps with heads that stand before it.
        start: the first character of the quote.
        end: the one behind its last.
        cited: the cells of the quote, whose heads are shown where those of the table are not in `text`.
    """
    for table in split_tables(cells):
        touched = [cell for cell in table if cell.start < end and cell.end > start]
        if touched:
            there = [cell for cell in table if cell.start >= offset and cell.end <= offset + len(text)]
            return _build_rows(text, offset, there, touched, cited)
    return ()


def _build_rows(
    text: str, offset: int, table: Sequence[Cell], touched: Sequence[Cell], cited: Sequence[CitedCell]
) -> ShownTable:
    heads = {cell.row for cell in list_column_heads(table)}
    marked = {(cell.row, cell.column) for cell in touched if not cell.head} or {
        (one.row, one.column) for one in touched
    }
    near = {cell.row + step for cell in touched for step in range(-ROWS_AROUND, ROWS_AROUND + 1)}
    shown = [row for row in sorted({cell.row for cell in table}) if row in heads or row in near][:MOST_ROWS]
    columns = _choose_columns(table, touched)
    rows: dict[int, list[ShownCell]] = {row: [] for row in shown}
    for cell in sorted(table, key=lambda one: (one.row, one.column)):
        covered = [row for row in shown if cell.row <= row < cell.row + cell.rows]
        across = sum(cell.column <= column < cell.column + cell.columns for column in columns)
        if covered and across:
            words = " ".join(text[cell.start - offset : cell.end - offset].split())
            rows[covered[0]].append(
                ShownCell(
                    words if len(words) <= CELL_CHARACTERS else f"{words[: CELL_CHARACTERS - 1]}\u2026",
                    cell.head,
                    (cell.row, cell.column) in marked,
                    len(covered),
                    across,
                )
            )
    made = tuple(tuple(rows[row]) for row in shown)
    named = {one.column: one.column_head for one in cited if one.column_head}
    if heads or not named:
        return made
    return (tuple(ShownCell(named.get(column, ""), head=True) for column in columns), *made)


def _choose_columns(table: Sequence[Cell], touched: Sequence[Cell]) -> Sequence[int]:
    """The columns that are shown: the first one, which names the rows, and those around the quoted cells."""
    width = max((cell.column + cell.columns for cell in table), default=0)
    first = min(max(min(cell.column for cell in touched) - MOST_COLUMNS // 2, 0), max(width - MOST_COLUMNS, 0))
    return sorted({0, *range(first, min(first + MOST_COLUMNS, width))})
