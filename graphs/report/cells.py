"""Tables as cells with offsets in a text: which cells words stand in, and what the heads next to these say.

Cells come table by table, row by row, as readers and `Places` have them.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.places import Cell
from elcano.graphs.text import shorten_text

HEAD_CHARACTERS: Final = 120
"""Maximum length of the words of a head; whole sentences stand in some."""
CITED_CELLS: Final = 24
"""Cells of one quote that are named: a row of a wide table; of a quote of more the first ones are."""


class CitedCell(Frozen):
    """A cell of a table in which words of a quote stand."""

    row: int
    """Counted from 0, heads included."""
    column: int
    """Counted from 0, heads included."""
    text: str
    row_head: str = ""
    """Head of its row; without row heads, the first cell of the row."""
    column_head: str = ""
    """Heads of its column from the top, joined by ` > `; empty: the table has no heads."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the cell in words: its row, then its column."""
        return tuple(filter(None, (self.row_head, self.column_head)))


class Heads(NamedTuple):
    """The heads of a cell."""

    row: str
    column: str


def split_tables(cells: Iterable[Cell]) -> list[list[Cell]]:
    """The cells of each table: another one begins where rows or columns begin anew."""
    tables: list[list[Cell]] = []
    last: Cell | None = None
    for cell in cells:
        if last is None or (cell.row, cell.column) <= (last.row, last.column):
            tables.append([])
        tables[-1].append(cell)
        last = cell
    return tables


def list_column_heads(table: Sequence[Cell]) -> list[Cell]:
    """The cells of the first rows that consist of heads alone; none if the first row has other cells."""
    body = {cell.row for cell in table if not cell.head and cell.end > cell.start}
    rows = sorted({cell.row for cell in table if cell.end > cell.start})
    heads = set(takewhile(lambda row: row not in body, rows))
    return [cell for cell in table if cell.row in heads] if body else []


def find_cited_cells(text: str, cells: Sequence[Cell], start: int, end: int) -> tuple[CitedCell, ...]:
    """The cells that have some of the characters `start` to `end`; heads only where nothing else of the table does.

    Args:
        text: the text that the offsets of `cells` count in.
        cells: of all its tables, or of those at `start`.
        start: the first character.
        end: the one behind the last.
    """
    found: list[CitedCell] = []
    for table in split_tables(cells):
        touched = [cell for cell in table if cell.start < end and cell.end > start]
        cited = [cell for cell in touched if not cell.head] or touched
        for cell in cited[: CITED_CELLS - len(found)]:
            heads = find_heads(text, table, cell)
            words = " ".join(text[cell.start : cell.end].split())
            found.append(
                CitedCell(row=cell.row, column=cell.column, text=words, row_head=heads.row, column_head=heads.column)
            )
    return tuple(found)


def find_heads(text: str, table: Sequence[Cell], cell: Cell) -> Heads:
    """The words that name the row and the column of a cell; its own are none."""
    above = [
        one
        for one in list_column_heads(table)
        if one.row < cell.row and _overlap(one.column, one.columns, cell.column, cell.columns)
    ]
    nearby = [
        one
        for one in table
        if one.column < cell.column and _overlap(one.row, one.rows, cell.row, cell.rows) and one.end > one.start
    ]
    named = [one for one in nearby if one.head] or nearby[:1]
    return Heads(_join_words(text, named), _join_words(text, above))


def _overlap(first: int, length: int, other: int, other_length: int) -> bool:
    return first < other + other_length and other < first + length


def _join_words(text: str, cells: Iterable[Cell]) -> str:
    words = (" ".join(text[cell.start : cell.end].split()) for cell in cells)
    return shorten_text(" > ".join(dict.fromkeys(filter(None, words))), HEAD_CHARACTERS)
