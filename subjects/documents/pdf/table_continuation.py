"""Tables that go on in the next column or on the next page: each part is a table of its own, with the heads.

A part that repeats its heads has them already; one that does not is given those of the part before it, which keep their
place on the page where they are printed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.tables import Table, TableCell

SAME_BOUND: Final = 0.035
"""Columns of the parts of a table begin at the same shares of its width, give or take this."""
CONTINUED: Final = ("cont", "fort", "suite", "segue")
"""Caption words for a continued table, in lower case."""


class _Place(NamedTuple):
    page: int
    number: int


def carry_heads(pages: Sequence[Sequence[Table]]) -> list[list[Table]]:
    """The tables of each page; those that continue another one and have no heads have its heads.

    Args:
        pages: the tables of each page of a document, in reading order.
    """
    carried = [list(tables) for tables in pages]
    places = [_Place(page, number) for page, tables in enumerate(carried) for number in range(len(tables))]
    for before, after in pairwise(places):
        one, other = carried[before.page][before.number], carried[after.page][after.number]
        if after.page - before.page <= 1 and _continues(one, other, new_page=after.page > before.page):
            carried[after.page][after.number] = _add_heads(one, other, before.page + 1)
    return carried


def carry_heads_of_lines(pages: Sequence[Sequence[TextLine]]) -> None:
    """Do the same with the tables that stand among the lines of each page."""
    things = [[line for line in lines if isinstance(line.thing, Table)] for lines in pages]
    carried = carry_heads([[line.thing for line in lines] for lines in things])
    for lines, tables in zip(things, carried, strict=True):
        for line, table in zip(lines, tables, strict=True):
            line.thing = table


def _continues(before: Table, table: Table, *, new_page: bool) -> bool:
    """Whether a table without heads goes on with the one before it, at the top of a column or page."""
    if before.columns != table.columns or before.turn != table.turn or before.notes:
        return False
    if any(cell.head for cell in table.cells) or not any(cell.head for cell in before.cells):
        return False
    named = bool(table.caption) and table.caption[0][0].base < table.box[1]  # a caption below the last part names all
    if named and not any(word in _write_caption(table) for word in CONTINUED):
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


def _write_caption(table: Table) -> str:
    return " ".join(token.text for line in table.caption for token in line).lower()


def _add_heads(before: Table, table: Table, page: int) -> Table:
    heads = [cell for cell in before.cells if cell.head]
    depth = max(cell.row + cell.rows for cell in heads)
    carried = [cell._replace(page=cell.page or page) for cell in heads if cell.row + cell.rows <= depth]
    moved: list[TableCell] = [cell._replace(row=cell.row + depth) for cell in table.cells]
    return table._replace(cells=(*carried, *moved), rows=table.rows + depth)
