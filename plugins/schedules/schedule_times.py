"""Faults in when a schedule runs: times that Temporal would take for others, or take and never start anything.

A cron expression is read as Temporal reads it: a time has to match all of the five fields.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from elcano.api.http.errors import FieldFault

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
"""What may stand for five fields; not `@every`, which Temporal takes by the second."""
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAYS: Final = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")


def find_time_faults(
    cron: Sequence[str], every_seconds: float | None, time_zone: str, start_at: datetime | None, end_at: datetime | None
) -> list[FieldFault]:
    """What is wrong with the times of a schedule; what Temporal refuses by itself is not among it."""
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
        fields = _SHORTHANDS.get(expression.strip(), expression.partition("#")[0]).split()
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
