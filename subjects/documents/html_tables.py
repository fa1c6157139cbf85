"""Tables of a page: cells with their spans, or text where a table only lays a page out."""

from dataclasses import dataclass, field
from typing import Final

from elcano.activities.passages.document import Block
from elcano.subjects.documents.html_parts import Part
from elcano.subjects.documents.tables import BETWEEN_CELLS, TableCell, build_compact_table, place_spans

MOST_ROWS: Final = 65_534
"""Browsers allow as many for one cell."""
PROSE_CHARACTERS: Final = 600
"""Length of a cell above which a table without heads lays out text; cells of data tables in print are shorter."""
_GROUPS: Final = {"thead": 0, "tfoot": 2}
"""Browsers show the head first and the foot last, wherever they are written."""


@dataclass(slots=True)
class HtmlCell:
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
    cells: list[HtmlCell] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table that is being read."""

    presentation: bool = False
    """Whether it declares that it is none."""
    rows: list[Row] = field(default_factory=list)
    outside: list[Part] = field(default_factory=list)
    """Its caption, and what else is outside of its cells."""
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

    def open_cell(self, cell: HtmlCell) -> None:
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
    headed = any(cell.head for cell in cells) or any(part.block.kind == "caption" for part in table.outside)
    if any(part.block.kind == "code" and "\n" in part.block.text for cell in cells for part in cell.parts):
        return True
    if headed:
        return any(part.block.kind == "heading" for cell in cells for part in cell.parts)
    if all(sum(1 for cell in row.cells if cell.parts) <= 1 for row in table.rows):
        return True
    return any(_is_laid_out(cell) for cell in cells)


def _is_laid_out(cell: HtmlCell) -> bool:
    kinds = {part.block.kind for part in cell.parts}
    length = sum(len(part.block.text) for part in cell.parts)
    return bool(kinds & {"heading", "table"}) or length > PROSE_CHARACTERS


def list_layout_parts(table: Table) -> list[Part]:
    """The parts of a table that lays a page out, without numbers of lines next to code."""
    parts: list[Part] = [*table.outside]
    for row in table.rows:
        for cell in row.cells:
            if len(row.cells) == 1 or not all(_numbers_lines(part) for part in cell.parts):
                parts += cell.parts
    return parts


def _numbers_lines(part: Part) -> bool:
    return part.block.kind == "code" and part.block.text.replace("\n", "").replace(" ", "").isdigit()


def build_html_table(table: Table, anchor: str) -> Block | None:
    """The table as a block with its cells; None if there is no text in it."""
    rows = sorted((row for row in table.rows if row.cells), key=lambda row: row.order)
    ends = {row.group: number for number, row in enumerate(rows, 1)}
    cells = place_spans(
        [
            TableCell(
                write_cell(cell),
                rows=min(cell.rows or MOST_ROWS, ends[row.group] - number),
                columns=cell.columns,
                head=cell.head,
            )
            for cell in row.cells
        ]
        for number, row in enumerate(rows)
    )
    return build_compact_table(cells, keep_empty=False, anchor=anchor)


def write_cell(cell: HtmlCell) -> str:
    """The text of a cell on one line."""
    texts = [part.bare.replace(BETWEEN_CELLS, ", ") if part.block.kind == "table" else part.bare for part in cell.parts]
    listed = len(texts) > 1 and all(part.mark for part in cell.parts)
    joined = "; ".join(texts) if listed else "\n".join(texts)
    lines = [" ".join(line.split()) for line in joined.splitlines()]
    return (" " if not any(part.block.kind == "table" for part in cell.parts) else "; ").join(filter(None, lines))
