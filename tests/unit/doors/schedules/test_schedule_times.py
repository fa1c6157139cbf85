"""Times of schedules, read as Temporal reads them: which come first, and which never come."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from temporalio.client import ScheduleCalendarSpec, ScheduleRange, ScheduleSpec

from elcano.doors.schedules.times import describe_cron, find_first_time, find_time_faults

NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("expression", "after", "first"),
    [
        ("30 2 * * *", "2027-03-27T02:30+01:00", "2027-03-29T02:30+02:00"),  # 02:30 of the 28th is left out
        ("30 2 * * *", "2027-10-30T02:30+02:00", "2027-10-31T02:30+01:00"),  # it comes twice: the second one
        ("0 9 31 * *", "2027-01-31T09:00+01:00", "2027-03-31T09:00+02:00"),
        ("0 0 29 2 *", "2027-01-01T00:00+01:00", "2028-02-29T00:00+01:00"),
        ("0 0 29 feb MON", "2027-01-01T00:00+01:00", "2044-02-29T00:00+01:00"),
        ("0 0 29 2 *", "2096-03-01T00:00+01:00", None),  # 2100 has no 29 February
        ("*/20 7-9,22 * * mon-fri", "2027-01-02T00:00+01:00", "2027-01-04T07:00+01:00"),
        ("50/5 9 * * *", "2027-01-01T09:50+01:00", "2027-01-01T09:55+01:00"),
        ("0 12 * * 7", "2027-01-01T00:00+01:00", "2027-01-03T12:00+01:00"),
        ("0 0 30 2 *", "2027-01-01T00:00+01:00", None),
        ("0 0 31 4,jun,9,nov *", "2027-01-01T00:00+01:00", None),
    ],
)
def test_the_first_time_is_that_of_temporal(expression: str, after: str, first: str | None) -> None:
    found = find_first_time(expression.split(), BERLIN, datetime.fromisoformat(after))
    assert found == (None if first is None else datetime.fromisoformat(first))


@pytest.mark.parametrize("fields", ["60 * * * *", "* * 5-1 * *", "* * ? * *", "*/0 * * * *", "* * * foo *"])
def test_a_field_that_is_not_understood_is_left_to_temporal(fields: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        find_first_time(fields.split(), BERLIN, NEW_YEAR)
    assert find_time_faults([fields], None, "UTC", None, None) == []


@pytest.mark.parametrize(
    ("cron", "every", "start", "end", "field"),
    [
        (["0 0 30 2 *"], None, None, None, "cron"),
        (["@daily", "0 0 31 4 *"], None, None, None, "cron"),
        (["0 0 29 2 *"], None, None, None, ""),
        (["0 0 29 2 *"], None, "2097-01-01T00:00Z", None, "cron"),
        (["@daily"], None, "9999-12-31T23:59Z", None, "cron"),
        (["@daily"], None, "0001-01-01T00:00Z", None, ""),
        (["0 9 1 1 *"], None, "2097-02-01T00:00Z", "2097-12-31T00:00Z", "end_at"),
        (["0 9 1 1 *", "0 9 31 12 *"], None, "2097-02-01T00:00Z", "2097-12-31T09:00Z", ""),
        (["0 9 1 1 *"], 3_600.0, "2097-02-01T00:00Z", "2097-12-31T00:00Z", ""),
        ([], 86_400.0, "2097-02-01T00:01Z", "2097-02-01T23:59Z", "end_at"),
        (["0 9 1 1 *"], None, "2097-01-01T09:00Z", "2097-01-01T09:01Z", ""),
    ],
)
def test_a_schedule_that_would_never_start_anything_has_a_fault(
    cron: list[str], every: float | None, start: str | None, end: str | None, field: str
) -> None:
    start_at, end_at = (None if one is None else datetime.fromisoformat(one) for one in (start, end))
    faults = find_time_faults(cron, every, "UTC", start_at, end_at)
    assert "".join(fault.field for fault in faults) == field


MONDAYS = ScheduleCalendarSpec(hour=[ScheduleRange(7)], day_of_week=[ScheduleRange(1)])
"""What Temporal makes of `0 7 * * MON`."""
OFTEN = ScheduleCalendarSpec(
    minute=[ScheduleRange(0, 59, 15)], hour=[ScheduleRange(8, 17)], day_of_week=[ScheduleRange(1, 5)]
)
NEW_YEARS_EVE = ScheduleCalendarSpec(
    second=[ScheduleRange(30)], month=[ScheduleRange(12)], day_of_month=[ScheduleRange(31)], year=[ScheduleRange(2030)]
)


@pytest.mark.parametrize(
    ("calendars", "asked", "shown"),
    [
        ([MONDAYS], ("0 7 * * MON",), ("0 7 * * MON",)),
        ([MONDAYS], ("@daily",), ("0 7 * * 1",)),
        ([OFTEN], ("0 7 * * MON",), ("0,15,30,45 8-17 * * 1-5",)),
        ([OFTEN, MONDAYS], ("0 7 * * 1", "*/15 8-17 * * mon-fri"), ("0 7 * * 1", "*/15 8-17 * * mon-fri")),
        ([NEW_YEARS_EVE], (), ("0 0 31 12 * (second 30, year 2030)",)),
        ([], ("0 7 * * MON",), ()),
    ],
)
def test_times_are_shown_as_asked_for_unless_temporal_has_others(
    calendars: list[ScheduleCalendarSpec], asked: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    assert describe_cron(ScheduleSpec(calendars=calendars), asked) == shown
