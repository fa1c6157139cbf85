"""Where a number of an answer comes from: a cell of a result, or arithmetic over cells, which code does again.

A number that names nothing, or whose arithmetic gives another one, is listed as unverified; it is never mended.
"""

from typing import Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

Operation: TypeAlias = Literal[
    "cell", "count", "sum", "mean", "minimum", "maximum", "difference", "ratio", "share", "change"
]
"""`cell`: the one cell. `count`: how many cells. `difference`: first less second. `ratio`: first by second. `share`:
the first in percent of the sum of the others. `change`: from the second to the first, in percent of the second."""


class CellReference(Frozen):
    """One cell, or a column from one row to another."""

    result: int = Field(ge=1)
    """The number of the result, in the order in which the answer was given them."""
    column: str
    row: int = Field(ge=1)
    """Counted from 1."""
    to_row: int | None = Field(default=None, ge=1)
    """The last row of several; None: the one cell."""


class NumberProof(Frozen):
    """One number as the answer writes it, and the cells that it comes from."""

    text: str = Field(min_length=1, max_length=100)
    """Literal words of the claim: `1,204`, `3.5 million`, `12 %`."""
    operation: Operation = "cell"
    cells: tuple[CellReference, ...] = Field(default=(), max_length=1_000)
