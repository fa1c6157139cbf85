"""Which column of a result is its time and which its value: by name, or because there is only one that can be.

Names are compared exactly first, then without regard to case. A column is of a kind if its database says so, or if
most of its cells are: what the others lack is said of them later. Nothing is guessed among several.
"""

import difflib
import math
import re
from collections.abc import Callable, Sequence
from typing import Final

from elcano.activities.forecasting.moments import read
from elcano.activities.forecasting.refusing import listed, refused
from elcano.graphs.data.schema import MOMENTS, NUMBERS
from elcano.graphs.data.table import Cell, ResultTable

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def number(cell: Cell) -> float | None:
    """A cell as a number, infinite if it is too large for one; None: it is none."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, str):
        text = cell.strip()
        return float(text) if _NUMBER.fullmatch(text) or _NOT_FINITE.fullmatch(text) else None
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def chosen(table: ResultTable, time: str, value: str) -> tuple[int, int]:
    """The places of the two columns.

    Raises:
        Refused: a name is none of the result's, or without names there is not exactly one column that can be meant.
    """
    at = _named(table, time) if time else None
    of = _named(table, value) if value else None
    if at is None:
        at = _only(table, [place for place in _moments(table) if place != of], "time")
    if of is None:
        of = _only(table, [place for place in _numbers(table) if place != at], "value")
    if at == of:
        raise refused(
            "columns", f"the column {table.columns[at].name!r} cannot be both time and value: name two columns."
        )
    return at, of


def _named(table: ResultTable, name: str) -> int:
    names = [column.name for column in table.columns]
    if name in names:
        return names.index(name)
    folded = [known.casefold() for known in names]
    if folded.count(name.casefold()) == 1:
        return folded.index(name.casefold())
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    meant = f" Did you mean {names[folded.index(near[0])]!r}?" if near else ""
    raise refused("columns", f"the result has no column {name!r}; it has: {listed(names)}.{meant}")


def _only(table: ResultTable, places: Sequence[int], role: str) -> int:
    if len(places) == 1:
        return places[0]
    what = "moments" if role == "time" else "numbers"
    names = listed(repr(table.columns[place].name) for place in places)
    if places:
        raise refused("columns", f"several columns hold {what} ({names}): name the {role} column.")
    has = listed(column.name for column in table.columns)
    raise refused("columns", f"no column holds {what} and could be the {role}; the result has: {has}.")


def _moments(table: ResultTable) -> list[int]:
    declared = [place for place, column in enumerate(table.columns) if column.kind in MOMENTS]
    if declared:
        return declared
    texts = [place for place in range(len(table.columns)) if _mostly(table, place, _is_written_moment)]
    return texts or [
        place for place in range(len(table.columns)) if _mostly(table, place, _is_year) and _distinct(table, place)
    ]


def _numbers(table: ResultTable) -> list[int]:
    return [
        place
        for place, column in enumerate(table.columns)
        if column.kind in NUMBERS or _mostly(table, place, lambda cell: number(cell) is not None)
    ]


def _is_written_moment(cell: Cell) -> bool:
    return isinstance(cell, str) and read(cell) is not None


def _is_year(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and 1500 <= cell <= 2500 and read(cell) is not None


def _distinct(table: ResultTable, place: int) -> bool:
    cells = [row[place] for row in table.rows]
    return len(set(cells)) == len(cells)


def _mostly(table: ResultTable, place: int, holds: Callable[[Cell], bool]) -> bool:
    cells = [row[place] for row in table.rows if row[place] is not None]
    return 2 * sum(holds(cell) for cell in cells) > len(cells)
