"""Tables that go on in the next column or on the next page: each part is a table of its own, with the heads.

A part that repeats its heads has them already; one that does not is given those of the part before it, which keep their
place on the page where they are printed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.tables import Table, TableCell

SAME_BOUND: Final = 0.035
"""Columns of the parts of a table begin at the same shares of its width, give or take this."""


def carry_heads(pages: Iterable[Sequence[Table]]) -> Iterator[list[Table]]:
    """The tables of each page; those that continue another one and have no heads have its heads.

    Args:
        pages: the tables of each page of a document, in reading order.
    """
    before: Table | None = None
    page_before = 0
    for page, tables in enumerate(pages):
        carried: list[Table] = []
        for table in tables:
            near = page - page_before <= 1
            if before is not None and near and _continues(before, table, new_page=page > page_before):
                table = _add_heads(before, table, page_before + 1)
            carried.append(table)
            before, page_before = table, page
        yield carried


def carry_heads_of_lines(pages: Iterable[Sequence[TextLine]]) -> Iterator[list[TextLine]]:
    """Do the same with the tables that stand among the lines of each page."""
    things: list[TextLine] = []
    page_lines: list[TextLine] = []

    def list_tables() -> Iterator[list[Table]]:
        for lines in pages:
            page_lines[:] = lines
            things[:] = [line for line in page_lines if isinstance(line.thing, Table)]
            yield [line.thing for line in things]

    for tables in carry_heads(list_tables()):
        for line, table in zip(things, tables, strict=True):
            line.thing = table
        yield list(page_lines)


def _continues(before: Table, table: Table, *, new_page: bool) -> bool:
    """Whether a table without heads goes on with the one before it, at the top of a column or page."""
    if before.columns != table.columns or before.turn != table.turn or before.notes:
        return False
    if any(cell.head for cell in table.cells) or not any(cell.head for cell in before.cells):
        return False
    if not new_page and table.box[1] >= before.box[1]:
        return False  # further down in the same column
    wide, other_wide = before.bounds[-1] - before.bounds[0], table.bounds[-1] - table.bounds[0]
    if min(wide, other_wide) < 0.8 * max(wide, other_wide):
        return False
    return all(
        abs((one - before.bounds[0]) / wide - (other - table.bounds[0]) / other_wide) <= SAME_BOUND
        for one, other in zip(before.bounds, table.bounds, strict=True)
    )


def _add_heads(before: Table, table: Table, page: int) -> Table:
    heads = [cell for cell in before.cells if cell.head]
    depth = max(cell.row + cell.rows for cell in heads)
    carried = [cell._replace(page=cell.page or page) for cell in heads if cell.row + cell.rows <= depth]
    moved: list[TableCell] = [cell._replace(row=cell.row + depth) for cell in table.cells]
    return table._replace(cells=(*carried, *moved), rows=table.rows + depth)
