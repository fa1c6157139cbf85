"""How well the cells of tables are read: pure, on plain tuples, so that any reader can be measured."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class ScoredCell(NamedTuple):
    """A cell as a truth or a reader gives it: where it begins, counted from 0, and what it says."""

    row: int
    column: int
    text: str


class Score(NamedTuple):
    """Cells with text that a truth has, and those that a reader gave at their place."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """The share of cells that are right; 1 where there are none."""
        return self.right / self.total if self.total else 1.0


def score_cells(truth: Iterable[ScoredCell], tables: Iterable[Iterable[ScoredCell]]) -> Score:
    """Score the table of `tables` that fits a true table best: cells with the same text in the same row and column.

    Rows may be counted from another first row, as where a reader takes the caption for a row: what counts is that the
    cells stand together. Columns may not.
    """
    wanted = {(cell.row, cell.column): folded for cell in truth if (folded := fold_text(cell.text))}
    best = max((_count_right(wanted, list(table)) for table in tables), default=0)
    return Score(best, len(wanted))


def _count_right(wanted: dict[tuple[int, int], str], cells: Sequence[ScoredCell]) -> int:
    found = {(cell.row, cell.column): folded for cell in cells if (folded := fold_text(cell.text))}
    shifts: dict[int, int] = {}
    by_text: dict[tuple[int, str], list[int]] = {}
    for (row, column), text in found.items():
        by_text.setdefault((column, text), []).append(row)
    for (row, column), text in wanted.items():
        for other in by_text.get((column, text), ()):
            shifts[other - row] = shifts.get(other - row, 0) + 1
    return max(shifts.values(), default=0)


_FOLDED = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        **dict.fromkeys("\u2010\u2013\u2014\u2212", "-"),
        "\u00ad": "",
    }
)


def fold_text(text: str) -> str:
    """`text` without spaces and case, with plain quotes, dashes and digits."""
    plain = unicodedata.normalize("NFKC", text).translate(_FOLDED).casefold()
    return "".join(char for char in plain if not char.isspace())
