"""Frequencies: by which unit of the calendar moments follow each other, and which are missing or out of line.

Moments have a frequency if they lie at the same place within their years, quarters, months, weeks, days or hours, and
the commonest step is one of these. The last day of each month is the same place, whatever its number.
"""

import calendar
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, timedelta
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from elcano.subjects.data.forecast_models import Frequency
from elcano.subjects.data.tables import Cell

ALMOST: Final = 0.8
"""Share of moments in line from which the others are reported as irregular."""


@dataclass(frozen=True)
class Period:
    """A unit of the calendar that a series may go by."""

    frequency: Frequency
    one: str
    """In words: `month`."""
    season: int
    """Values that make up a season; 1: it has none."""
    ahead: int
    """The usual horizon."""
    ordinal: Callable[[datetime], int]
    """The number of the unit that a moment lies in; consecutive units have consecutive numbers."""
    place: Callable[[datetime, bool], Hashable]
    """Position of a moment in its unit; True: all are last days of their months."""

    def after(self, at: datetime, steps: int, ends: bool) -> datetime:
        """The moment so many units later, at the same place.

        Raises:
            OverflowError: the calendar ends before.
            ValueError: the same.
        """
        if self.frequency == "hourly":
            return at + timedelta(hours=steps)
        if self.frequency in ("daily", "weekly"):
            return at + timedelta(days=steps * (7 if self.frequency == "weekly" else 1))
        months = at.year * 12 + at.month - 1 + steps * {"monthly": 1, "quarterly": 3}.get(self.frequency, 12)
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return at.replace(year=year, month=month + 1, day=last if ends else min(at.day, last))


@dataclass(frozen=True)
class FoundFrequency:
    """The frequency found in a list of moments. Without a `period` the other fields say why."""

    period: Period | None
    ends: bool = False
    """Whether all moments are last days of their months."""
    nearest: Period | None = None
    """Frequency of the series if `astray` were left out."""
    astray: tuple[datetime, ...] = ()
    """Moments that are out of line."""
    step: tuple[int, Period] | None = None
    """The commonest step, where it is more than one of any unit."""


def is_last_day(at: datetime) -> bool:
    """Whether a moment is on the last day of its month."""
    return at.day == calendar.monthrange(at.year, at.month)[1]


def _get_day_of_month(at: datetime, ends: bool) -> int:
    return 0 if ends else at.day


PERIODS: Final = (
    Period(
        "yearly", "year", 1, 5, lambda at: at.year, lambda at, ends: (at.month, _get_day_of_month(at, ends), at.time())
    ),
    Period(
        "quarterly",
        "quarter",
        4,
        8,
        lambda at: at.year * 4 + (at.month - 1) // 3,
        lambda at, ends: (at.month % 3, _get_day_of_month(at, ends), at.time()),
    ),
    Period(
        "monthly",
        "month",
        12,
        12,
        lambda at: at.year * 12 + at.month,
        lambda at, ends: (_get_day_of_month(at, ends), at.time()),
    ),
    Period("weekly", "week", 52, 13, lambda at: (at.toordinal() - 1) // 7, lambda at, _: (at.weekday(), at.time())),
    Period("daily", "day", 7, 14, lambda at: at.toordinal(), lambda at, _: at.time()),
    Period(
        "hourly",
        "hour",
        24,
        48,
        lambda at: at.toordinal() * 24 + at.hour,
        lambda at, _: (at.minute, at.second, at.microsecond),
    ),
)
"""The longest first. Seasons: of a year, of a week in days, of a day in hours. Horizons are a choice."""


def find_frequency(moments: Sequence[datetime]) -> FoundFrequency:
    """The frequency of at least two different moments in their order."""
    ends = all(is_last_day(at) for at in moments)
    steps: tuple[int, Period] | None = None
    nearest: FoundFrequency | None = None
    for period in PERIODS:
        places = Counter(period.place(at, ends) for at in moments)
        place, most = places.most_common(1)[0]
        in_line = [at for at in moments if period.place(at, ends) == place]
        step = _commonest_step([period.ordinal(at) for at in in_line])
        if most == len(moments) and step == 1:
            return FoundFrequency(period, ends)
        if most == len(moments) and steps is None:
            steps = (step, period)
        if nearest is None and step == 1 and ALMOST * len(moments) <= most < len(moments):
            astray = tuple(at for at in moments if period.place(at, ends) != place)
            nearest = FoundFrequency(None, nearest=period, astray=astray)
    return nearest or FoundFrequency(None, step=steps)


def _commonest_step(ordinals: Sequence[int]) -> int:
    """0 if there is none; of steps that are as common as each other the shorter one."""
    counts = Counter(second - first for first, second in pairwise(ordinals))
    return min(counts, key=lambda step: (-counts[step], step)) if counts else 0


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
    """Notation of a moment. Two moments of one series differ in nothing of it but `tail`."""

    name: FormName
    number: bool = False
    """A year that is a number, not text."""
    between: str = ""
    """For quarters: the text before the Q. For timestamps: the text between date and time."""
    tail: str = ""
    """For timestamps: the text after the hour, including the time zone."""
    offset: str = ""
    """For timestamps: the time zone, in one spelling; empty: they have none."""


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
