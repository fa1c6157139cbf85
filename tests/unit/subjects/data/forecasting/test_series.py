"""What becomes a series, and what is refused: each with the reason, the place and what to do."""

from datetime import datetime

import pytest

from elcano.subjects.data.forecasting.series import MOST, build_time_series
from elcano.subjects.data.tables import Cell
from tests.unit.subjects.data.forecasting.material import (
    given,
    made,
    monthly,
    months,
    refusal,
    refused_by,
    steps,
    table,
    wave,
)


@pytest.mark.parametrize(
    ("rows", "frequency", "after"),
    [
        ([[1960 + n, float(n % 7)] for n in range(30)], "yearly", ["1990", "1991"]),
        ([[f"{1960 + n}-06-30", float(n % 7)] for n in range(30)], "yearly", ["1990-06-30", "1991-06-30"]),
        ([[f"{2000 + n // 4}-Q{n % 4 + 1}", float(n % 7)] for n in range(30)], "quarterly", ["2007-Q3", "2007-Q4"]),
        (monthly(40), "monthly", ["2018-05", "2018-06"]),
        (steps(40, "2024-01-01", lambda at: at.date().isoformat(), weeks=1), "weekly", ["2024-10-07", "2024-10-14"]),
        (steps(40, "2024-01-01", lambda at: at.strftime("%G-W%V"), weeks=1), "weekly", ["2024-W41", "2024-W42"]),
        (steps(40, "2024-01-31", lambda at: at.date().isoformat(), days=1), "daily", ["2024-03-11", "2024-03-12"]),
        (steps(40, "2024-01-01 23:30:00+00:00", str, hours=1), "hourly", ["2024-01-03 15:30:00+00:00"]),
    ],
)
def test_frequencies_are_found_and_go_on(rows: list[list[Cell]], frequency: str, after: list[str]) -> None:
    found = made(rows)
    assert found.period.frequency == frequency
    assert [found.name(at) for at in found.ahead(len(after))] == after


def test_month_ends_go_on_as_month_ends() -> None:
    ends = ["2023-10-31", "2023-11-30", "2023-12-31"]
    found = made([[end, float(n)] for n, end in enumerate(ends)])
    assert [found.name(at) for at in found.ahead(3)] == ["2024-01-31", "2024-02-29", "2024-03-31"]


def test_order_does_not_matter_and_columns_are_found_by_what_they_hold() -> None:
    rows = monthly(30)
    mixed = table(
        [[value, "north", month] for month, value in rows[::-1]],
        ("sales", "region", "month"),
        ("decimal", "text", "text"),
    )
    assert build_time_series(mixed, given()) == made(rows)


def test_decimals_are_text() -> None:
    found = made([[month, f"{value:.2f}"] for month, value in zip(months(30), wave(30), strict=True)])
    assert found.values[0] == 100.0


@pytest.mark.parametrize(
    ("cell", "reason", "told"),
    [
        (None, "missing_values", "row 4"),
        ("n/a", "not_numbers", "row 4: 'n/a'"),
        (True, "not_numbers", "row 4: True"),
        ("1,204", "not_numbers", "row 4: '1,204'"),
        ("NaN", "not_finite", "row 4: 'NaN'"),
        (float("inf"), "not_finite", "row 4: inf"),
        ("1e400", "not_finite", "row 4: '1e400'"),
        (10**400, "not_finite", "row 4"),
    ],
)
def test_a_cell_that_is_no_value_is_named(cell: Cell, reason: str, told: str) -> None:
    rows = monthly(40)
    rows[3][1] = cell
    found = refusal(rows)
    assert found.reasons == (reason,)
    assert told in found.message


def test_all_faults_of_cells_are_named_at_once() -> None:
    rows = monthly(40)
    rows[0][1], rows[1][1], rows[2][0] = None, "many", "March"
    found = refusal(rows)
    assert set(found.reasons) == {"missing_values", "not_numbers", "not_moments"}
    assert all(f"row {row}" in found.message for row in (1, 2, 3))


def test_moments_of_two_forms_are_refused() -> None:
    found = refusal([*monthly(40), ["2018-05-01", 3.0]])
    assert found.reasons == ("not_moments",)
    assert "row 41: '2018-05-01'" in found.message


def test_time_zones_are_not_mixed() -> None:
    rows = steps(40, "2024-01-01 00:00:00+00:00", str, hours=1)
    rows[5][0] = "2024-01-01 07:00:00+02:00"
    found = refusal(rows)
    assert found.reasons == ("time_zones",)
    assert "+02:00" in found.message
    rows[5][0] = "2024-01-01 05:00:00"
    assert refusal(rows).reasons == ("time_zones",)


def test_a_moment_that_is_there_twice_is_never_added_up() -> None:
    found = refusal([*monthly(40), ["2015-03", 1.0]])
    assert (found.reasons, found.moments) == (("duplicates",), ("2015-03",))
    assert "aggregate" in found.message


def test_missing_months_are_named() -> None:
    rows = monthly(40)
    lacking = [*rows[:10], *rows[12:]]
    found = refusal(lacking)
    assert (found.reasons, found.moments) == (("irregular",), ("2015-11", "2015-12"))


def test_steps_that_are_no_frequency_are_named() -> None:
    assert "2 weeks" in refusal(steps(40, "2024-01-01", lambda at: at.date().isoformat(), weeks=2)).message
    assert "not evenly spaced" in refusal(steps(40, "2024-01-01", str, minutes=15)).message
    rows = [[f"{month}-01", value] for month, value in monthly(40)]
    rows[7][0] = "2015-08-17"
    found = refusal(rows)
    assert found.moments == ("2015-08-17",)
    assert "one month apart, but not 2015-08-17" in found.message


def test_working_days_are_told_to_be_aggregated() -> None:
    days = steps(60, "2024-01-01", lambda at: at.date().isoformat(), days=1)
    found = refusal([row for row in days if datetime.fromisoformat(str(row[0])).weekday() < 5])
    assert found.moments[:2] == ("2024-01-06", "2024-01-07")
    assert "by week" in found.message


def test_a_moment_that_stands_for_never_does_not_fill_the_memory() -> None:
    found = refusal([*[[f"{day}-01", value] for day, value in monthly(40)], ["9999-01-01", 1.0]])
    assert (found.reasons, found.moments) == (("irregular",), ("2018-04-01", "9999-01-01"))


def test_constant_and_short_and_long_and_empty_and_cut_off() -> None:
    assert refusal([[month, 5.0] for month in months(40)]).reasons == ("constant",)
    assert refusal(monthly(2)).reasons == ("too_short",)
    assert refusal([]).reasons == ("empty",)
    assert refusal(steps(MOST + 1, "2001-01-01", str, hours=1)).reasons == ("too_long",)
    cut = table(monthly(40), truncated=True)
    assert refused_by(lambda: build_time_series(cut, given())).reasons == ("truncated",)


def test_columns_are_named_or_asked_for() -> None:
    rows: list[list[Cell]] = [[month, value, 2 * value] for month, value in zip(months(40), wave(40), strict=True)]
    both = table(rows, ("month", "Umsatz", "profit"), ("text", "decimal", "decimal"))
    unnamed = refused_by(lambda: build_time_series(both, given()))
    assert unnamed.reasons == ("columns",)
    assert "'Umsatz', 'profit'" in unnamed.message
    assert build_time_series(both, given(value_column="umsatz")).value == "Umsatz"
    assert "Did you mean 'Umsatz'?" in refused_by(lambda: build_time_series(both, given(value_column="Umsaz"))).message
    assert (
        "both" in refused_by(lambda: build_time_series(both, given(time_column="month", value_column="month"))).message
    )
    assert "no column holds dates" in refused_by(lambda: build_time_series(table([["x", 1.0]]), given())).message


def test_names_of_any_length_and_script_are_shown_within_bounds() -> None:
    names = [f"столбец {number} " + "я" * 280 for number in range(12)]
    wide = table([["x"] * 12] * 3, names, ["text"] * 12)
    found = refused_by(lambda: build_time_series(wide, given()))
    assert "столбец 0" in found.message
    assert len(found.message) <= 2_000


def test_the_period_that_is_not_over_does_not_count_and_that_is_said() -> None:
    rows = monthly(40)  # up to 2018-04
    within = table(rows, at="2018-04-12T10:00:00+00:00")
    found = build_time_series(within, given())
    assert found.name(found.moments[-1]) == "2018-03"
    assert "2018-04 was not over" in found.notes[0]
    assert build_time_series(table(rows, at="2018-05-01T00:00:00+00:00"), given()).notes == ()
    planned = build_time_series(table(rows, at="2018-01-12T10:00:00+00:00"), given())
    assert len(planned.values) == 40
    assert "4 values, from 2018-01 on" in planned.notes[0]
