"""From rows to a series that can be forecast, or the reasons why it cannot.

Which columns of a result are the time and the values: names are compared exactly first, then without regard to case. A
column is of a kind if its database says so, or if most of its cells are: what the others lack is said of them later.
Nothing is guessed among several.

Nothing is mended: what is missing is never filled, what is there twice is never added up, and of a period that was not
over when the rows were read it is said that it does not count. The query is the place for all of that.
"""

import difflib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.subjects.data.forecast_models import (
    NAMED,
    ForecastInput,
    ForecastRefusal,
    RefusalReason,
    Refused,
    build_forecast_refusal,
)
from elcano.subjects.data.forecasting.frequencies import (
    Form,
    FoundFrequency,
    Moment,
    Period,
    find_frequency,
    format_moment,
    parse_moment_cell,
)
from elcano.subjects.data.tables import MOMENTS, NUMBERS, Cell, ResultTable


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
    if (place := table.find_column(name)) is not None:
        return place
    names = [column.name for column in table.columns]
    folded = [known.casefold() for known in names]
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


MOST: Final = 5_000
"""Values of a series."""
LEAST: Final = 3
"""Values, before anything can be said of their steps."""
SHOWN: Final = 40
"""Characters of a cell that an answer repeats."""
LARGEST: Final = 1e100
"""A larger value overflows when it is squared."""


@dataclass(frozen=True)
class Series:
    """Values at equal steps of the calendar."""

    period: Period
    ends: bool
    """Whether its moments are last days of months."""
    form: Form
    moments: tuple[datetime, ...]
    values: tuple[float, ...]
    time: str
    value: str
    """The names of its columns."""
    notes: tuple[str, ...] = ()

    def name(self, at: datetime) -> str:
        """A moment as the result writes it."""
        return str(format_moment(at, self.form))

    def ahead(self, steps: int) -> tuple[datetime, ...]:
        """The moments that follow.

        Raises:
            Refused: the calendar ends before.
        """
        try:
            return tuple(self.period.after(self.moments[-1], step, self.ends) for step in range(1, steps + 1))
        except (OverflowError, ValueError) as error:
            raise build_forecast_refusal(
                "horizon", "the calendar ends before the horizon: ask for a nearer one."
            ) from error


def build_time_series(table: ResultTable, given: ForecastInput) -> Series:
    """The series of a result.

    Raises:
        Refused: it cannot be forecast; all faults of cells are named at once.
    """
    if not table.rows:
        raise build_forecast_refusal("empty", "the result has no rows.")
    if table.truncated:
        text = "the result was cut off, so the end of the series is unknown: aggregate in the query, or ask for less."
        raise build_forecast_refusal("truncated", text)
    time, value = choose_series_columns(table, given.time_column, given.value_column)
    names = table.columns[time].name, table.columns[value].name
    form, points = _read_series_cells(table, time, value)
    every = [at for at, _ in points]
    if twice := [str(format_moment(at, form)) for at, count in Counter(every).items() if count > 1]:
        text = (
            f"several rows have the same {names[0]} ({format_first_names(twice)}): aggregate in "
            "the query, or take one series."
        )
        raise build_forecast_refusal("duplicates", text, moments=twice)
    if len(every) > MOST:
        text = (
            f"the series has {len(every):,} values, but at most {MOST:,} can be forecast: aggregate or take the latest."
        )
        raise build_forecast_refusal("too_long", text)
    if len(points) < LEAST:
        text = f"the series has {len(points)} values, but at least {LEAST} are needed to find a frequency."
        raise build_forecast_refusal("too_short", text, needed=LEAST)
    look = find_frequency(every)
    if look.period is None:
        raise _build_irregular_refusal(look, form)
    _require_no_gaps(every, look.period, look.ends, form)
    values = tuple(amount for _, amount in points)
    made = _without_unfinished(Series(look.period, look.ends, form, tuple(every), values, *names), table.at)
    if max(made.values) == min(made.values):
        raise build_forecast_refusal(
            "constant", f"all {len(made.values):,} values are {made.values[0]:g}: there is nothing to forecast."
        )
    return made


def _read_series_cells(table: ResultTable, time: int, value: int) -> tuple[Form, list[tuple[datetime, float]]]:
    """All cells of the two columns: how moments are written, and the values in the order of their moments.

    Raises:
        Refused: some cannot be read.
    """
    faults: dict[RefusalReason, list[str]] = {}
    forms: dict[tuple[object, ...], list[str]] = {}
    zones: dict[str, list[str]] = {}
    points: list[tuple[datetime, float]] = []
    first: Moment | None = None
    for row, cells in enumerate(table.rows, 1):
        moment = parse_moment_cell(cells[time])
        where = f"row {row}: {_format_faulty_cell(cells[time])}"
        if moment is None:
            faults.setdefault("not_moments", []).append(where)
            continue
        first = first or moment
        forms.setdefault((moment.form.name, moment.form.number), []).append(where)
        zones.setdefault(moment.form.offset, []).append(where)
        amount = parse_cell_number(cells[value])
        if cells[value] is None:
            faults.setdefault("missing_values", []).append(f"row {row}")
        elif amount is None:
            faults.setdefault("not_numbers", []).append(f"row {row}: {_format_faulty_cell(cells[value])}")
        elif not math.isfinite(amount) or abs(amount) > LARGEST:
            faults.setdefault("not_finite", []).append(f"row {row}: {_format_faulty_cell(cells[value])}")
        else:
            points.append((moment.at, amount))
    if len(forms) > 1:
        faults.setdefault("not_moments", []).extend(sorted(forms.values(), key=len)[0])
    if len(zones) > 1:
        faults["time_zones"] = [rows[0] for rows in zones.values()]
    if faults or first is None:
        raise _build_cell_refusal(faults, table.columns[time].name, table.columns[value].name)
    return first.form, sorted(points)


def _build_cell_refusal(faults: dict[RefusalReason, list[str]], time: str, value: str) -> Refused:
    said = {
        "not_moments": f"{time} has cells that are not dates, or are not written like the others: write them "
        "as ISO 8601 (`2024-05-31`, `2024-05`)",
        "time_zones": f"{time} has several time zones: convert to one in the query",
        "missing_values": f"{value} is NULL in some rows: fill them or leave them out in the query",
        "not_numbers": f"{value} has cells that are not numbers",
        "not_finite": f"{value} has numbers that are infinite, too large or NaN",
    }
    sentences = [f"{said[reason]} ({format_first_names(rows)})." for reason, rows in faults.items()]
    return Refused(ForecastRefusal(reasons=tuple(faults), message=" ".join(sentences)))


def _build_irregular_refusal(look: FoundFrequency, form: Form) -> Refused:
    advice = "aggregate in the query by year, quarter, month, week, day or hour."
    if look.nearest is not None:
        which = [str(format_moment(at, form)) for at in look.astray]
        text = f"most dates are one {look.nearest.one} apart, but not {format_first_names(which)}: {advice}"
        return build_forecast_refusal("irregular", text, moments=which)
    if look.step is not None and look.step[0] > 1:
        steps, period = look.step
        return build_forecast_refusal(
            "irregular", f"the most common step is {steps} {period.one}s, which is not a supported frequency: {advice}"
        )
    return build_forecast_refusal("irregular", f"the dates are not evenly spaced in any calendar unit: {advice}")


def _without_unfinished(made: Series, read_at: str) -> Series:
    """The series without its last period, if that was not over when the rows were read.

    If several had not even begun they are plans, not measurements: they stay, and it is said.
    """
    if not read_at:
        return made
    now = datetime.fromisoformat(read_at)
    now = now.astimezone(UTC).replace(tzinfo=None) if now.tzinfo else now
    later = [at for at in made.moments if _find_period_end(made, at) > now]
    if not later:
        return made
    name = made.name(later[0])
    if len(later) > 1:
        text = f"{len(later):,} values, from {name} on, are for periods that were not over when read; they are used."
        return replace(made, notes=(*made.notes, text))
    text = f"{name} was not over when the rows were read, so its value ({made.values[-1]:g}) is not used but forecast."
    return replace(made, moments=made.moments[:-1], values=made.values[:-1], notes=(*made.notes, text))


def _find_period_end(made: Series, at: datetime) -> datetime:
    """When a period is over: the last day of a month means the time up to its end."""
    try:
        return at + timedelta(days=1) if made.ends else made.period.after(at, 1, made.ends)
    except (OverflowError, ValueError):
        return datetime.max


def _format_faulty_cell(cell: object) -> str:
    return "NULL" if cell is None else repr(shorten_text(cell, SHOWN) if isinstance(cell, str) else cell)


def _require_no_gaps(moments: Sequence[datetime], period: Period, ends: bool, form: Form) -> None:
    """Refuse a series, in the order of its moments, that lacks some; the first of them are named."""
    known = {period.ordinal(at) for at in moments}
    length = max(known) - min(known) + 1
    if length > MOST:
        which = [str(format_moment(at, form)) for at in max(pairwise(moments), key=lambda pair: pair[1] - pair[0])]
        text = f"there is nothing between {which[0]} and {which[1]}: leave outlying dates out in the query."
        raise build_forecast_refusal("irregular", text, moments=which)
    absent = [step for step in range(length) if min(known) + step not in known]
    if absent:
        which = [str(format_moment(period.after(moments[0], step, ends), form)) for step in absent]
        weekdays = period.frequency == "daily" and len(absent) > length / 4
        text = (
            f"of {length:,} {period.one}s {len(absent):,} are missing ({format_first_names(which)}): give them in the "
            f"query, as 0 if no row means none, or aggregate there{' by week' if weekdays else ''}."
        )
        raise build_forecast_refusal("irregular", text, moments=which)
