"""Tables of a page: cells with their spans, or text where a table only lays a page out."""

from dataclasses import dataclass, field
from typing import Final

from elcano.activities.passages.document import Block
from elcano.graphs.report.places import Cell
from elcano.subjects.documents.html_parts import Part

MOST_COLUMNS: Final = 1_000
"""Browsers allow as many for one cell; a row has no more in all."""
MOST_SLOTS: Final = 200_000
"""Rows times columns of a table with merged cells. A few bytes can claim millions: beyond this, cells span nothing."""
PROSE_CHARACTERS: Final = 600
"""Length of a cell above which a table without heads lays out text; cells of data tables in print are shorter."""
SEPARATOR: Final = " | "
_GROUPS: Final = {"thead": 0, "tfoot": 2}
"""Browsers show the head first and the foot last, wherever they are written."""


@dataclass(slots=True)
class TableCell:
    """One cell as it is written."""

    parts: list[Part] = field(default_factory=list)
    rows: int = 1
    """Number of rows it spans; 0: all that follow in its group."""
    columns: int = 1
    head: bool = False


@dataclass(slots=True)
class Row:
    """One row as it is written."""

    group: int
    """Counts the groups of rows, in which the spans of cells end."""
    order: int
    cells: list[TableCell] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table that is being read."""

    presentation: bool = False
    """Whether it declares that it is none."""
    rows: list[Row] = field(default_factory=list)
    beside: list[Part] = field(default_factory=list)
    """Its caption, and what else stands outside of its cells."""
    groups: int = 0
    order: int = 1
    """The order of the open group."""

    def open_group(self, tag: str) -> None:
        """Begin a head, body or foot."""
        self.groups += 1
        self.order = _GROUPS.get(tag, 1)

    def open_row(self) -> None:
        """Begin a row."""
        self.rows.append(Row(self.groups, self.order))

    def open_cell(self, cell: TableCell) -> None:
        """Begin a cell of the last row."""
        if not self.rows:
            self.open_row()
        self.rows[-1].cells.append(cell)


def parse_span(text: str | None, least: int, most: int) -> int:
    """The number in a `rowspan` or `colspan`; 1 where it is none."""
    plain = (text or "").strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) <= 9):
        return 1
    return min(max(int(plain), least), most)


def is_layout(table: Table) -> bool:
    """Whether the table lays a page out: nothing in it has to be read by row and column."""
    cells = [cell for row in table.rows for cell in row.cells if cell.parts]
    if table.presentation or len(cells) <= 1:
        return True
    headed = any(cell.head for cell in cells) or any(part.block.kind == "caption" for part in table.beside)
    if any(part.block.kind == "code" and "\n" in part.block.text for cell in cells for part in cell.parts):
        return True
    if headed:
        return any(part.block.kind == "heading" for cell in cells for part in cell.parts)
    if all(sum(1 for cell in row.cells if cell.parts) <= 1 for row in table.rows):
        return True
    return any(_is_laid_out(cell) for cell in cells)


def _is_laid_out(cell: TableCell) -> bool:
    kinds = {part.block.kind for part in cell.parts}
    length = sum(len(part.block.text) for part in cell.parts)
    return bool(kinds & {"heading", "table"}) or length > PROSE_CHARACTERS


def list_layout_parts(table: Table) -> list[Part]:
    """The parts of a table that lays a page out, without numbers of lines next to code."""
    parts: list[Part] = [*table.beside]
    for row in table.rows:
        for cell in row.cells:
            if len(row.cells) == 1 or not all(_numbers_lines(part) for part in cell.parts):
                parts += cell.parts
    return parts


def _numbers_lines(part: Part) -> bool:
    return part.block.kind == "code" and part.block.text.replace("\n", "").replace(" ", "").isdigit()


@dataclass(frozen=True, slots=True)
class _Placed:
    row: int
    column: int
    rows: int
    columns: int
    cell: TableCell


def build_table(table: Table, anchor: str) -> Block | None:
    """The table as a block with its cells; None if there is no text in it."""
    rows = sorted((row for row in table.rows if row.cells), key=lambda row: row.order)
    spans = _fits(rows)
    placed = _place_cells(rows) if spans else _place_without_spans(rows)
    placed = _drop_empty(placed)
    if not placed:
        return None
    width = max(one.column + one.columns for one in placed)
    height = max(one.row + one.rows for one in placed)
    grid: list[dict[int, _Placed]] = [{} for _ in range(height)]
    for one in placed:
        grid[one.row][one.column] = one
    text: list[str] = []
    cells: list[Cell] = []
    offset = 0
    for number, row in enumerate(grid):
        for column in range(width):
            before = SEPARATOR if column else "\n" if number else ""
            text.append(before)
            offset += len(before)
            if (at := row.get(column)) is None:
                continue
            words = write_cell(at.cell)
            text.append(words)
            cells.append(Cell(offset, offset + len(words), number, column, at.rows, at.columns, at.cell.head))
            offset += len(words)
    return Block("".join(text), kind="table", anchor=anchor, cells=tuple(cells))


def write_cell(cell: TableCell) -> str:
    """The text of a cell on one line."""
    texts = [part.bare.replace(SEPARATOR, ", ") if part.block.kind == "table" else part.bare for part in cell.parts]
    listed = len(texts) > 1 and all(part.mark for part in cell.parts)
    joined = "; ".join(texts) if listed else "\n".join(texts)
    lines = [" ".join(line.split()) for line in joined.splitlines()]
    return (" " if not any(part.block.kind == "table" for part in cell.parts) else "; ").join(filter(None, lines))


def _fits(rows: list[Row]) -> bool:
    width = max((sum(cell.columns for cell in row.cells) for row in rows), default=0)
    merged = any(cell.columns > 1 or cell.rows != 1 for row in rows for cell in row.cells)
    return not merged or (width <= MOST_COLUMNS and width * len(rows) <= MOST_SLOTS)


def _place_without_spans(rows: list[Row]) -> list[_Placed]:
    return [
        _Placed(number, column, 1, 1, cell) for number, row in enumerate(rows) for column, cell in enumerate(row.cells)
    ]


def _place_cells(rows: list[Row]) -> list[_Placed]:
    """Each cell in the first free column of its row, as browsers place them."""
    ends: dict[int, int] = {}
    for number, row in enumerate(rows):
        ends[row.group] = number + 1
    placed: list[_Placed] = []
    taken: dict[int, int] = {}
    """By column: the row in which it is free again."""
    for number, row in enumerate(rows):
        column = 0
        for cell in row.cells:
            while taken.get(column, 0) > number:
                column += 1
            last = ends[row.group]
            until = min(number + cell.rows, last) if cell.rows else last
            for spanned in range(column, column + cell.columns):
                taken[spanned] = max(taken.get(spanned, 0), until)
            placed.append(_Placed(number, column, until - number, cell.columns, cell))
            column += cell.columns
    return placed


def _drop_empty(placed: list[_Placed]) -> list[_Placed]:
    """The cells without rows and columns in which nothing is written."""
    full = [one for one in placed if one.cell.parts]
    rows = _count_up({one.row for one in full})
    columns = _count_up({one.column for one in full})
    kept: list[_Placed] = []
    for one in placed:
        height = sum(1 for row in range(one.row, one.row + one.rows) if row in rows)
        width = sum(1 for column in range(one.column, one.column + one.columns) if column in columns)
        if height and width:
            row = next(rows[row] for row in range(one.row, one.row + one.rows) if row in rows)
            column = next(columns[at] for at in range(one.column, one.column + one.columns) if at in columns)
            kept.append(_Placed(row, column, height, width, one.cell))
    return kept


def _count_up(numbers: set[int]) -> dict[int, int]:
    return {number: at for at, number in enumerate(sorted(numbers))}
