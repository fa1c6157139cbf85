"""Days are those of the calendar."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.references.days import format_utc_day, parse_date_parts


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(9999, 12, 31)))
def test_a_moment_is_in_the_day_that_the_standard_library_says(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC, microsecond=0)
    assert format_utc_day(aware.timestamp()) == aware.strftime("%Y-%m-%d").rjust(10, "0")


@pytest.mark.parametrize("at", [0.0, -1.0, float("nan"), float("inf"), 1e300, 253_402_300_800.0])
def test_what_is_no_moment_has_no_day(at: float) -> None:
    assert format_utc_day(at) == ""


@pytest.mark.parametrize(
    ("date", "found"),
    [
        ("2024-05-17", (2024, 5, 17)),
        ("2024-05", (2024, 5)),
        ("2024", (2024,)),
        ("2024-13-01", (2024,)),
        ("2024-05-32", (2024, 5)),
        ("2024-05-17-09", (2024, 5, 17)),
        ("spring", ()),
        ("²024", ()),
        ("", ()),
        ("9" * 5_000, ()),
    ],
)
def test_dates_are_read_as_far_as_they_are_some(date: str, found: tuple[int, ...]) -> None:
    assert parse_date_parts(date) == found
