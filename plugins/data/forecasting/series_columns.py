"""Which columns of a result are the time and the values of a series, what their cells say, and how a series is refused.

Names are compared exactly first, then without regard to case. A column is of a kind if its database says so, or if
most of its cells are: what the others lack is said of them later. Nothing is guessed among several.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.plugins.data.forecast_models import ForecastRefusal, RefusalReason
from elcano.plugins.data.forecasting.frequencies import parse_moment_cell
from elcano.plugins.data.tables import MOMENTS, NUMBERS, Cell, ResultTable

NAMED: Final = 12
"""Number of times and rows that are named; the others are counted."""
MESSAGE_CHARACTERS: Final = 2_000
"""Names of columns may be long."""


class Refused(Exception):
    """This series is not forecast; `refusal` is the answer."""

    def __init__(self, refusal: ForecastRefusal) -> None:
        self.refusal = refusal.model_copy(update={"message": shorten_text(refusal.message, MESSAGE_CHARACTERS)})
        super().__init__(self.refusal.message)


def build_forecast_refusal(
    reason: RefusalReason, message: str, *, needed: int | None = None, moments: Iterable[str] = (), lasting: bool = True
) -> Refused:
    """One reason."""
    return Refused(
        ForecastRefusal(
            reasons=(reason,), message=message, needed=needed, moments=tuple(moments)[:NAMED], lasting=lasting
        )
    )


def format_first_names(names: Iterable[object]) -> str:
    """The first names with commas, and how many more there are."""
    every = [str(name) for name in names]
    more = len(every) - NAMED
    return ", ".join(every[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def parse_cell_number(cell: Cell) -> float | None:
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


def choose_series_columns(table: ResultTable, time: str, value: str) -> tuple[int, int]:
    """The places of the two columns.

    Raises:
        Refused: a name is none of the result's, or without names there is not exactly one column that can be meant.
    """
    at = _find_named_column(table, time) if time else None
    of = _find_named_column(table, value) if value else None
    if at is None:
        at = _require_only_column(table, [place for place in _list_moment_columns(table) if place != of], "time")
    if of is None:
        of = _require_only_column(table, [place for place in _list_number_columns(table) if place != at], "value")
    if at == of:
        raise build_forecast_refusal(
            "columns", f"the column {table.columns[at].name!r} cannot be both time and value: name two columns."
        )
    return at, of


def _find_named_column(table: ResultTable, name: str) -> int:
    names = [column.name for column in table.columns]
    if name in names:
        return names.index(name)
    folded = [known.casefold() for known in names]
    if folded.count(name.casefold()) == 1:
        return folded.index(name.casefold())
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    meant = f" Did you mean {names[folded.index(near[0])]!r}?" if near else ""
    raise build_forecast_refusal(
        "columns", f"the result has no column {name!r}; it has: {format_first_names(names)}.{meant}"
    )


def _require_only_column(table: ResultTable, places: Sequence[int], role: str) -> int:
    if len(places) == 1:
        return places[0]
    what = "dates" if role == "time" else "numbers"
    names = format_first_names(repr(table.columns[place].name) for place in places)
    if places:
        raise build_forecast_refusal("columns", f"several columns hold {what} ({names}): name the {role} column.")
    has = format_first_names(column.name for column in table.columns)
    raise build_forecast_refusal("columns", f"no column holds {what} that could be the {role}; the result has: {has}.")


def _list_moment_columns(table: ResultTable) -> list[int]:
    declared = [place for place, column in enumerate(table.columns) if column.kind in MOMENTS]
    if declared:
        return declared
    texts = [place for place in range(len(table.columns)) if _is_true_for_most_cells(table, place, _is_written_moment)]
    return texts or [
        place
        for place in range(len(table.columns))
        if _is_true_for_most_cells(table, place, _is_year) and _has_distinct_cells(table, place)
    ]


def _list_number_columns(table: ResultTable) -> list[int]:
    return [
        place
        for place, column in enumerate(table.columns)
        if column.kind in NUMBERS
        or _is_true_for_most_cells(table, place, lambda cell: parse_cell_number(cell) is not None)
    ]


def _is_written_moment(cell: Cell) -> bool:
    return isinstance(cell, str) and parse_moment_cell(cell) is not None


def _is_year(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and 1500 <= cell <= 2500 and parse_moment_cell(cell) is not None


def _has_distinct_cells(table: ResultTable, place: int) -> bool:
    cells = [row[place] for row in table.rows]
    return len(set(cells)) == len(cells)


def _is_true_for_most_cells(table: ResultTable, place: int, holds: Callable[[Cell], bool]) -> bool:
    cells = [row[place] for row in table.rows if row[place] is not None]
    return 2 * sum(holds(cell) for cell in cells) > len(cells)
