"""The cells of a table that a writer made, with the statements that stand in them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markdown_it.token import Token

from elcano.text.prose.markdown_parser import CITATION
from elcano.text.prose.statements import END, STATEMENT, count_naming_columns, words_of


class TableCell(NamedTuple):
    """One cell, empty ones included."""

    row: int
    """Counted from 0, which is the row of heads."""
    column: int
    """Counted from 0."""
    words: str
    """Without marks and markup."""
    statement: int | None
    """The number of its statement in the block; None of an empty cell, and of a head without a mark."""
    marks_last: bool
    """Whether no words follow a mark."""
    names_row: bool = False
    """Whether it is one of the first cells of its row, which name it."""


def iter_table_cells(tokens: Sequence[Token]) -> Iterator[TableCell]:
    """Yield the cells of a table row by row; `extract_statements` has read its tokens before."""
    row, column = -1, 0
    naming = count_naming_columns(tokens)
    for token in tokens:
        if token.type == "tr_open":
            row, column = row + 1, 0
        elif token.type == "inline":
            children = token.children or []
            numbers = [one.meta[STATEMENT] for one in children if one.type in (CITATION, END)]
            marks = [place for place, one in enumerate(children) if one.type == CITATION]
            behind = words_of(children[marks[0] :]) if marks else ""
            number = numbers[0] if numbers else None
            last = not behind.strip(".,;: ")
            yield TableCell(row, column, words_of(children), number, last, row > 0 and column < naming)
            column += 1
