"""Moments are read strictly and written as they were read."""

from datetime import datetime

import pytest

from elcano.subjects.data.forecasting.frequencies import format_moment, parse_moment_cell
from elcano.subjects.data.tables import Cell


@pytest.mark.parametrize(
    ("cell", "at"),
    [
        (2024, datetime(2024, 1, 1)),
        ("2024", datetime(2024, 1, 1)),
        ("2024-Q3", datetime(2024, 7, 1)),
        ("2024 Q3", datetime(2024, 7, 1)),
        ("2024Q1", datetime(2024, 1, 1)),
        ("2024-05", datetime(2024, 5, 1)),
        ("2024-W01", datetime(2024, 1, 1)),
        ("2024W53", None),
        ("2020-W53", datetime(2020, 12, 28)),
        ("2024-02-29", datetime(2024, 2, 29)),
        ("2024-05-06 07:00:00", datetime(2024, 5, 6, 7)),
        ("2024-05-06T07:00:00Z", datetime(2024, 5, 6, 7)),
        ("2024-05-06 07:00:00+02", datetime(2024, 5, 6, 7)),
        ("2024-05-06 07:00:00.000000 +05:30", datetime(2024, 5, 6, 7)),
    ],
)
def test_what_is_read_is_written_alike(cell: Cell, at: datetime | None) -> None:
    moment = parse_moment_cell(cell)
    if at is None:
        assert moment is None
        return
    assert moment is not None
    assert moment.at == at
    assert format_moment(moment.at, moment.form) == cell


def test_time_zones_are_the_same_in_any_spelling() -> None:
    spelled = [parse_moment_cell(f"2024-05-06 07:00:00{zone}") for zone in ("Z", "+00", "+00:00", "-00:00")]
    assert {one.form.offset for one in spelled if one is not None} == {"0:00:00"}
    assert None not in spelled


@pytest.mark.parametrize(
    "cell",
    [
        None,
        True,
        "",
        "   ",
        "yesterday",
        "03/04/2024",
        "2024-13",
        "2024-00",
        "2023-02-29",
        "2024-Q5",
        "20240506",
        "٢٠٢٤",
        "2024-05-06 25:00:00",
        "2024-05-06 later",
        "2024-05-06T07:00:00 DROP TABLE months",
        20240506,
        2024.5,
        10**400,
        float("nan"),
        float("inf"),
        -1,
        "2024-05-06 " + "0" * 100_000,
    ],
)
def test_what_is_no_moment_is_none(cell: Cell) -> None:
    assert parse_moment_cell(cell) is None


def test_what_a_number_was_is_written_as_a_number() -> None:
    year = parse_moment_cell(2024.0)
    assert year is not None
    assert format_moment(year.at, year.form) == 2024
