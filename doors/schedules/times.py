"""When schedules run: faults in their times, and times as Temporal keeps them, described.

Faults are times that Temporal would take for others, or take and never start anything. A cron expression is read as
Temporal reads it: a time has to match all of the five fields.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from temporalio.client import ScheduleCalendarSpec, ScheduleRange, ScheduleSpec

from elcano.service.errors import FieldFault

LAST_YEAR: Final = 2100
"""Temporal looks no further."""
_SHORTHANDS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
"""Allowed replacements of the five fields; not `@every`, which Temporal takes by the second."""
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAYS: Final = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")


def find_time_faults(
    cron: Sequence[str], every_seconds: float | None, time_zone: str, start_at: datetime | None, end_at: datetime | None
) -> list[FieldFault]:
    """Find faults in the times of a schedule; those that Temporal refuses by itself are not among them."""
    faults, firsts, zone, after = list[FieldFault](), list[float](), ZoneInfo("UTC"), datetime.now(UTC)
    if start_at is not None and start_at > after:
        after = start_at - timedelta(seconds=1)
    if not cron and every_seconds is None:
        faults.append(FieldFault(field="cron", message="say when: `cron` expressions, or `every_seconds`"))
    try:
        zone = ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        faults.append(FieldFault(field="time_zone", message=f"there is no time zone {time_zone!r}"))
    for expression in cron:
        fields = _split_fields(expression)
        if len(fields) != 5:  # Temporal reads six as with a year
            message = f"{expression!r} has not the five fields: minute, hour, day of the month, month, day of the week"
            faults.append(FieldFault(field="cron", message=f"{message}; for intervals there is `every_seconds`"))
            continue
        with suppress(ValueError):  # Temporal says which field it does not understand
            if (first := find_first_time(fields, zone, after)) is None:
                message = f"{expression!r} never comes: no date until {LAST_YEAR} matches its days and months"
                faults.append(FieldFault(field="cron", message=message))
            else:
                firsts.append(first.timestamp())
    if every_seconds is not None:
        firsts.append((after.timestamp() // int(every_seconds) + 1) * int(every_seconds))
    if end_at is not None and end_at <= (start_at or datetime.now(UTC)):
        faults.append(FieldFault(field="end_at", message="is over, or before `start_at`"))
    elif end_at is not None and firsts and end_at.timestamp() < min(firsts):
        faults.append(FieldFault(field="end_at", message="is before the first time, so nothing would ever start"))
    return faults


def _split_fields(expression: str) -> list[str]:
    return _SHORTHANDS.get(expression.strip(), expression.partition("#")[0]).split()


def find_first_time(fields: Sequence[str], zone: ZoneInfo, after: datetime) -> datetime | None:
    """The first time after `after` that matches five fields; None: there is none until `LAST_YEAR`.

    Raises:
        ValueError: a field is not understood.
    """
    minutes, hours = _parse_field(fields[0], 0, 59), _parse_field(fields[1], 0, 23)
    days, months = _parse_field(fields[2], 1, 31), _parse_field(fields[3], 1, 12, _MONTHS)
    weekdays = {number % 7 for number in _parse_field(fields[4], 0, 7, _WEEKDAYS)}
    if after.year > LAST_YEAR:
        return None
    first = after.astimezone(zone).date()
    for year, month, number in product(range(first.year, LAST_YEAR + 1), sorted(months), sorted(days)):
        try:
            day = date(year, month, number)
        except ValueError:  # the month is shorter
            continue
        if day < first or day.isoweekday() % 7 not in weekdays:
            continue
        for hour, minute in product(sorted(hours), sorted(minutes)):
            time = datetime(year, month, number, hour, minute, tzinfo=zone, fold=1).astimezone(UTC)
            if time > after and time.astimezone(zone).hour == hour:  # else the clock leaves it out that night
                return time
    return None


def _parse_field(text: str, low: int, high: int, names: Sequence[str] = ()) -> set[int]:
    values = set[int]()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        start = low if span == "*" else _parse_value(first, low, names)
        end = _parse_value(last, low, names) if dash else high if slash or span == "*" else start
        if not low <= start <= end <= high:
            raise ValueError(f"{part!r} is out of range")
        values.update(range(start, end + 1, int(step) if slash else 1))
    return values


def _parse_value(text: str, low: int, names: Sequence[str]) -> int:
    found = [number for number, name in enumerate(names, low) if name.startswith(text.lower())]
    return found[0] if found else int(text)


def describe_cron(spec: ScheduleSpec, asked: Sequence[str]) -> tuple[str, ...]:
    """The times of a schedule as cron expressions: as they were `asked` for, unless Temporal has others now.

    Temporal keeps calendars. What five fields cannot say (seconds, years) follows in brackets.
    """
    there = {_describe_calendar(calendar) for calendar in spec.calendars}
    with suppress(ValueError):
        if there == {_describe_fields(_split_fields(one)) for one in asked}:
            return tuple(asked)
    return (*sorted(there), *spec.cron_expressions)


_SPANS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
"""The first and last value of each of the five fields."""


def _describe_calendar(calendar: ScheduleCalendarSpec) -> str:
    """A calendar as a cron expression."""
    ranges = (calendar.minute, calendar.hour, calendar.day_of_month, calendar.month, calendar.day_of_week)
    fields = [_list_values(one, low) for one, (low, _) in zip(ranges, _SPANS, strict=True)]
    seconds, years = _list_values(calendar.second, 0), _list_values(calendar.year, 0)
    rest = [f"second {_join_values(seconds)}"] if seconds != {0} else []
    rest += [f"year {_join_values(years)}"] if calendar.year else []
    return _describe_sets(fields) + (f" ({', '.join(rest)})" if rest else "")


def _list_values(ranges: Iterable[ScheduleRange], least: int) -> set[int]:
    """The values of a field; one without ranges has the least."""
    values = {n for one in ranges for n in range(one.start, max(one.start, one.end) + 1, max(1, one.step))}
    return values or {least}


def _describe_fields(fields: Sequence[str]) -> str:
    """Five fields as written by someone, in the form of `_describe_calendar`."""
    if len(fields) != len(_SPANS):
        raise ValueError("not five fields")
    minutes, hours = _parse_field(fields[0], 0, 59), _parse_field(fields[1], 0, 23)
    days, months = _parse_field(fields[2], 1, 31), _parse_field(fields[3], 1, 12, _MONTHS)
    return _describe_sets([minutes, hours, days, months, {n % 7 for n in _parse_field(fields[4], 0, 7, _WEEKDAYS)}])


def _describe_sets(fields: Sequence[set[int]]) -> str:
    return " ".join(
        "*" if values >= set(range(low, high + 1)) else _join_values(values)
        for values, (low, high) in zip(fields, _SPANS, strict=True)
    )


def _join_values(values: set[int]) -> str:
    """Numbers in a row as a span: `1-5`."""
    parts: list[list[int]] = []
    for value in sorted(values):
        if parts and value == parts[-1][-1] + 1:
            parts[-1].append(value)
        else:
            parts.append([value])
    return ",".join(str(one[0]) if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in parts)
