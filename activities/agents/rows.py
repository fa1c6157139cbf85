"""Which rows of results fit into a prompt: the first ones of each, as many of each as have room beside the others."""

import json
from collections.abc import Sequence
from typing import Final

from elcano.graphs.agents.loaded import ShownResult
from elcano.graphs.data.table import Cell, ResultTable
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.tokens import CHARACTERS_PER_TOKEN

CELL_CHARACTERS: Final = 300
"""Of one cell, as a model is shown it."""
LEAST_ROWS: Final = 3
"""Rows of a result that are shown in any case."""


def fitting_rows(tables: Sequence[ResultTable], tokens: int) -> tuple[ShownResult, ...]:
    """The rows to show of each result, whole ones, within `tokens` for all of them."""
    left, shown = tokens * CHARACTERS_PER_TOKEN, []
    for place, table in enumerate(tables):
        room = left // (len(tables) - place)
        rows: list[tuple[Cell, ...]] = []
        taken = 0
        for row in table.rows:
            cells = tuple(shorten_text(cell, CELL_CHARACTERS) if isinstance(cell, str) else cell for cell in row)
            taken += len(json.dumps(cells, ensure_ascii=False)) + 2
            if taken > room and len(rows) >= LEAST_ROWS:
                break
            rows.append(cells)
        left = max(0, left - min(taken, room))
        shown.append(ShownResult(rows=tuple(rows)))
    return tuple(shown)
