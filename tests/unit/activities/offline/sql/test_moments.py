"""Moments in questions, as ranges of days."""

from datetime import date

import pytest

from elcano.activities.offline.sql.moments import NoToday, moments

TODAY = date(2025, 6, 18)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("in 2021", date(2021, 1, 1), date(2022, 1, 1)),
        ("in the first quarter of 2023", date(2023, 1, 1), date(2023, 4, 1)),
        ("in March 2023", date(2023, 3, 1), date(2023, 4, 1)),
        ("between Jan 1, 2023 and March 31 2023", date(2023, 1, 1), date(2023, 4, 1)),
        ("on 2024-02-29", date(2024, 2, 29), date(2024, 3, 1)),
        ("on or after January 1, 2023", date(2023, 1, 1), None),
        ("after 2020", date(2021, 1, 1), None),
        ("before 2020", None, date(2020, 1, 1)),
        ("in the past 30 days", date(2025, 5, 19), date(2025, 6, 19)),
        ("in the last 6 months excluding the current month", date(2024, 12, 1), date(2025, 6, 1)),
        ("last week", date(2025, 6, 9), date(2025, 6, 16)),
        ("last month", date(2025, 5, 1), date(2025, 6, 1)),
        ("this year", date(2025, 1, 1), date(2026, 1, 1)),
        ("in the past month", date(2025, 5, 18), date(2025, 6, 19)),
    ],
)
def test_a_moment_is_a_range(said: str, start: date | None, end: date | None) -> None:
    rest, found = moments(f"How many orders {said}?", TODAY)
    assert [(one.start, one.end) for one in found] == [(start, end)]
    assert rest.split() == ["How", "many", "orders", "\u00a70", "?"]


def test_a_month_ends_on_its_last_day() -> None:
    _, (found,) = moments("in the past 1 month", date(2024, 3, 31))
    assert found.start == date(2024, 2, 29)


def test_a_number_is_no_year() -> None:
    assert moments("with a weight over 2000", TODAY)[1] == ()


def test_without_today_nothing_is_relative() -> None:
    with pytest.raises(NoToday, match="yesterday"):
        moments("orders of yesterday", None)
