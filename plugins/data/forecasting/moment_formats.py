"""Moments as results write them, read strictly and written again in the same form.

Known are ISO 8601 dates and timestamps, months (`2024-05`), quarters (`2024-Q2`), weeks (`2024-W05`) and years, as text
or as a number. What else looks like a date to somebody is refused: 03/04/2024 is two days.
"""

import re
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime
from typing import Final, Literal, TypeAlias

from elcano.graphs.report.tables import Cell

FormName: TypeAlias = Literal["year", "quarter", "month", "week", "date", "timestamp"]
_YEAR: Final = re.compile(r"([0-9]{4})(?:\.0)?")
_QUARTER: Final = re.compile(r"([0-9]{4})([- ]?)Q([1-4])")
_MONTH: Final = re.compile(r"([0-9]{4})-([0-9]{2})")
_WEEK: Final = re.compile(r"([0-9]{4})-?W([0-9]{2})")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:.*", re.ASCII)
_OFFSET: Final = re.compile(r" ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2}){0,2})$")


@dataclass(frozen=True)
class Form:
    """How a moment is written. Two moments of one series differ in nothing of it but `tail`."""

    name: FormName
    number: bool = False
    """A year that is a number, not text."""
    between: str = ""
    """Of quarters: what stands before the Q. Of timestamps: what stands between date and time."""
    tail: str = ""
    """Of timestamps: what stands behind the hour, time zone included."""
    offset: str = ""
    """Of timestamps: the time zone, in one spelling; empty: they name none."""


@dataclass(frozen=True)
class Moment:
    """When something was. `at` is the beginning of a period, and is without a time zone: `form` has that."""

    at: datetime
    form: Form


def parse_moment_cell(cell: Cell) -> Moment | None:
    """A cell as a moment; None: it is none that is known."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, (int, float)):
        whole = 1000 <= cell <= MAXYEAR and cell == int(cell)
        return Moment(datetime(int(cell), 1, 1), Form("year", number=True)) if whole else None
    text = cell.strip()
    try:
        return _parse_period(text) or _parse_day_or_time(text)
    except (ValueError, OverflowError):  # the 31st of February, the 54th week
        return None


def format_moment(at: datetime, form: Form) -> Cell:
    """`at` in a form; of quarters, weeks and so on the period that it lies in."""
    match form.name:
        case "year":
            return at.year if form.number else f"{at.year:04d}"
        case "quarter":
            return f"{at.year:04d}{form.between}Q{(at.month + 2) // 3}"
        case "month":
            return f"{at.year:04d}-{at.month:02d}"
        case "week":
            year, week, _ = at.isocalendar()
            return f"{year:04d}{form.between}W{week:02d}"
        case "date":
            return at.date().isoformat()
        case "timestamp":
            return f"{at.date().isoformat()}{form.between}{at.hour:02d}{form.tail}"


def _parse_period(text: str) -> Moment | None:
    if found := _YEAR.fullmatch(text):
        return Moment(datetime(int(found[1]), 1, 1), Form("year"))
    if found := _QUARTER.fullmatch(text):
        return Moment(datetime(int(found[1]), 3 * int(found[3]) - 2, 1), Form("quarter", between=found[2]))
    if found := _MONTH.fullmatch(text):
        return Moment(datetime(int(found[1]), int(found[2]), 1), Form("month"))
    if found := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return Moment(datetime(monday.year, monday.month, monday.day), Form("week", between="-" if "-" in text else ""))
    return None


def _parse_day_or_time(text: str) -> Moment | None:
    if _DATE.fullmatch(text):
        return Moment(datetime.fromisoformat(text), Form("date"))
    if not _TIMESTAMP.fullmatch(text):
        return None
    at = datetime.fromisoformat(_OFFSET.sub(lambda zone: zone[0].strip(), text))
    zone = at.utcoffset()
    form = Form("timestamp", between=text[10], tail=text[13:], offset="" if zone is None else f"{zone}")
    return Moment(at.replace(tzinfo=None), form)
