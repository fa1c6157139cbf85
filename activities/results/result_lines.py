"""Formats cells and rows of results as text, for quotes and for answers that rules write."""

import re
from collections.abc import Sequence
from typing import Final

from elcano.graphs.report.tables import Cell
from elcano.graphs.text import shorten_text

LINE_CHARACTERS: Final = 1_900
"""Of one row: less than a quote may have."""
_OVERRIDES: Final = re.compile("[\u202d\u202e]")
NULL: Final = "NULL"
NO_ROW: Final = "It has no row."


def row_line(number: int, row: Sequence[Cell]) -> str:
    """A row as its text has it; `number` counts from 1."""
    line = f"Row {number}: {' | '.join(cell_text(cell) for cell in row)}"
    return shorten_text(line, LINE_CHARACTERS)


def cell_text(cell: Cell) -> str:
    """A value as text, on one line. Of a float 15 digits count: sums are shown as 10390.26, not 10390.259999999995."""
    if cell is None:
        return NULL
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return on_one_line(str(float(f"{cell:.15g}") if isinstance(cell, float) else cell))


def on_one_line(text: str) -> str:
    """`text` with every white space a single space, and without signs that show what follows the other way round."""
    return " ".join(_OVERRIDES.sub("\N{REPLACEMENT CHARACTER}", text).split())
