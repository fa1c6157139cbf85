"""Points of charts stand where their period begins; the expected days are those of the calendar and of ISO 8601."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import pytest

from elcano.subjects.data.answering.charts import plan_chart
from elcano.subjects.data.answering.consensus import Path, merge_path_tables
from elcano.subjects.data.tables import Cell, Kind, ResultTable
from tests.unit.subjects.data.answering.tables import table

YEAR = "strftime('%Y', day)"
MONTH = "strftime('%m', day)"
QUARTER = f"((CAST({MONTH} AS INTEGER) + 2) / 3)"
HALF = f"((CAST({MONTH} AS INTEGER) + 5) / 6)"


def points(result: ResultTable) -> list[date]:
    """The days on which the points of a line stand, in the order in which they are drawn."""
    found = plan_chart(result)
    assert found is not None
    assert found.kind == "line", found.title
    values = cast(list[dict[str, Any]], cast(dict[str, Any], found.spec["data"])["values"])
    return [datetime.fromtimestamp(one["c0"] / 1000, UTC).date() for one in values]


@pytest.fixture(scope="module")
def sales() -> Iterator[sqlite3.Connection]:
    """A sale every fifth day of five years."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE sales (day TEXT, total REAL)")
    days = (date(2009, 1, 1) + timedelta(days=5 * at) for at in range(365))
    connection.executemany("INSERT INTO sales VALUES (?, 9.5)", ((day.isoformat(),) for day in days))
    yield connection
    connection.close()


def ask(connection: sqlite3.Connection, columns: str) -> ResultTable:
    count = len(connection.execute(f"SELECT {columns} FROM sales LIMIT 0").description)
    sql = f"SELECT {columns}, SUM(total) AS revenue FROM sales GROUP BY {', '.join(map(str, range(1, count + 1)))}"
    cursor = connection.execute(f"{sql} ORDER BY revenue")
    names = [one[0] for one in cursor.description]
    rows = cursor.fetchall()
    kinds: list[Kind] = ["text" if isinstance(cell, str) else "decimal" for cell in rows[0]]
    return table(list(zip(names, kinds, strict=True)), rows, sql=sql)


def months(step: int) -> list[date]:
    return [date(2009 + at // 12, at % 12 + 1, 1) for at in range(0, 60, step)]


@pytest.mark.parametrize(
    ("columns", "step"),
    [
        (f"{YEAR} || '-Q' || {QUARTER} AS quarter", 3),
        (f"'Q' || {QUARTER} || ' ' || {YEAR} AS label", 3),
        (f"CAST({YEAR} AS INTEGER) AS year, {QUARTER} AS quarter", 3),
        (f"{QUARTER} AS quarter, CAST({YEAR} AS INTEGER) AS yr", 3),
        (f"{YEAR} AS y, 'Q' || {QUARTER} AS part", 3),
        (f"{YEAR} || ' H' || {HALF} AS half", 6),
        (f"{YEAR} AS jahr, {HALF} AS halbjahr", 6),
        ("strftime('%Y-%m', day) AS month", 1),
        (f"CAST({YEAR} AS INTEGER) AS fiscal_year, CAST({MONTH} AS INTEGER) AS month", 1),
        ("CAST(strftime('%Y%m', day) AS INTEGER) AS period", 1),
        (f"CAST({YEAR} AS INTEGER) AS fy", 12),
    ],
)
def test_quarters_halves_and_months_stand_on_their_first_day(
    sales: sqlite3.Connection, columns: str, step: int
) -> None:
    assert points(ask(sales, columns)) == months(step)


@pytest.mark.parametrize(
    "columns",
    [
        "strftime('%Y-%W', day) AS week",
        "strftime('%Y-W%W', day) AS label",
        "strftime('%Y', day) AS year, strftime('%W', day) AS wk",
    ],
)
def test_weeks_of_sqlite_stand_on_their_monday_or_on_new_year(sales: sqlite3.Connection, columns: str) -> None:
    days = [date(2009, 1, 1) + timedelta(days=5 * at) for at in range(365)]
    starts = {max(day - timedelta(days=day.weekday()), date(day.year, 1, 1)) for day in days}
    assert points(ask(sales, columns)) == sorted(starts)


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2020-W53", "2021-W01", "2021-W02"], ["2020-12-28", "2021-01-04", "2021-01-11"]),  # ISO 8601
        (["2024-05", "2024-12", "2024-13"], ["2024-01-29", "2024-03-18", "2024-03-25"]),  # no month 13
        (["2021/22", "2022/23", "2023/24"], ["2021-01-01", "2022-01-01", "2023-01-01"]),  # no weeks
        (["March 2024", "Mai 2024", "Dec 2024"], ["2024-03-01", "2024-05-01", "2024-12-01"]),
        (["KW 1/2024", "KW 2/2024", "KW 10/2024"], ["2024-01-01", "2024-01-08", "2024-03-04"]),
        (["01/2024", "02/2024", "11/2024"], ["2024-01-01", "2024-02-01", "2024-11-01"]),
        (["1.2024", "2.2024", "12.2024"], ["2024-01-01", "2024-02-01", "2024-12-01"]),
        (["enero de 2024", "febrero de 2024", "Marzo de 2024"], ["2024-01-01", "2024-02-01", "2024-03-01"]),
        (["março de 2024", "abril de 2024", "maio de 2024"], ["2024-03-01", "2024-04-01", "2024-05-01"]),
        (["2024年1月", "2024年2月", "2024年12月"], ["2024-01-01", "2024-02-01", "2024-12-01"]),
        (["2024년 1월", "2024년 2월", "2024년 3월"], ["2024-01-01", "2024-02-01", "2024-03-01"]),
        (["2024年第1四半期", "2024年第2四半期", "2024年第3四半期"], ["2024-01-01", "2024-04-01", "2024-07-01"]),
        (
            ["2024-03-31 22:30:00", "2024-04-01 00:00:00", None, "2024-04-02"],
            ["2024-03-31", "2024-04-01", "2024-04-02"],
        ),
    ],
)
def test_periods_are_read_as_they_are_written(cells: Sequence[Cell], days: Sequence[str]) -> None:
    found = points(table([("k", "text"), ("n", "integer")], [(cell, at) for at, cell in enumerate(cells)]))
    assert [day.isoformat() for day in found] == days


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-Q1", "2024-Q5", "2024-Q2"],
        ["2023-02-28", "2023-02-31", "2023-03-01"],
        ["2024-W54", "2024-W01", "2024-W02"],
        ["2024-01 draft", "2024-02", "2024-03"],
        ["1.10", "1.11", "1.12"],
        ["13/2024", "01/2024", "02/2024"],
        ["2024年1月", "2024年13月", "2024年2月"],
        ["10115", "10117", "10119"],
    ],
)
def test_what_is_no_period_is_no_time(cells: Sequence[Cell]) -> None:
    found = plan_chart(table([("k", "text"), ("n", "integer")], [(cell, at) for at, cell in enumerate(cells)]))
    assert found is not None
    assert found.kind == "bar"


@pytest.mark.parametrize("name", ["yr", "fiscal year", "fiscal", "FY", "Geschäftsjahr"])
def test_years_are_no_measures_whatever_they_are_called(name: str) -> None:
    result = table([(name, "integer"), ("n", "integer")], [(2021, 5), (2022, 6), (2023, 7)], sql="")
    assert points(result) == [date(2021, 1, 1), date(2022, 1, 1), date(2023, 1, 1)]


def test_numbers_that_a_query_groups_by_are_no_measures() -> None:
    sql = "SELECT store, COUNT(*) AS n FROM sales GROUP BY store"
    found = plan_chart(table([("store", "integer"), ("n", "integer")], [(7, 70), (9, 90)], sql=sql))
    assert found is not None
    assert (found.kind, found.title) == ("bar", "n by store")


@pytest.mark.parametrize(
    ("sql", "adds_up"),
    [
        ("SELECT g, SUM(x) AS n FROM t GROUP BY g", True),
        ("SELECT g, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY g", True),
        ("SELECT g, ROUND(COALESCE(SUM(x), 0), 2) AS n FROM t GROUP BY g", True),
        ("SELECT g, COUNT(*) FILTER (WHERE x > 1) AS n FROM t GROUP BY g", True),
        ("SELECT * FROM (SELECT g, SUM(x) AS n FROM t GROUP BY g) AS a LIMIT 1001", True),
        ("WITH a AS (SELECT g, SUM(x) AS n FROM t GROUP BY g) SELECT g, n FROM a ORDER BY n", True),
        ("SELECT g, AVG(x) AS n, COUNT(*) AS m FROM t GROUP BY g", False),
        ("SELECT g, SUM(x) * 100.0 / (SELECT SUM(x) FROM t) AS n FROM t GROUP BY g", False),
        ("SELECT g, SUM(x) / COUNT(*) AS n FROM t GROUP BY g", False),
        ("SELECT g, SUM(SUM(x)) OVER (ORDER BY g) AS n FROM t GROUP BY g", False),
        ("SELECT g, COUNT(DISTINCT x) AS n FROM t GROUP BY g", False),
        ("SELECT g, MAX(x) AS n FROM t GROUP BY g", False),
        ("SELECT g, SUM(x) AS n FROM t GROUP BY ROLLUP (g)", False),
        ("SELECT g, SUM(x) AS n FROM t GROUP BY g UNION ALL SELECT 'all', SUM(x) FROM t", False),
        ("SELECT g, x AS n FROM t", False),
        ("", False),
    ],
)
def test_only_plain_sums_and_counts_are_added_up(sql: str, adds_up: bool) -> None:
    columns: list[tuple[str, Kind]] = [("g", "text"), ("n", "integer"), ("m", "integer")]
    width = 3 if " AS m" in sql else 2
    rows = [(f"g{at}", at, 0)[:width] for at in range(50)]
    found = plan_chart(table(columns[:width], rows, sql=sql))
    assert found is not None
    assert ("the other 20 are one bar" in found.description) == adds_up


def test_a_comparison_of_two_years_has_a_bar_for_each() -> None:
    paths = [
        Path(year, table([("year", "integer"), ("revenue", "decimal")], [(int(year), value)]), f"a{year}")
        for year, value in (("2023", "100.5"), ("2024", "120"))
    ]
    found = plan_chart(merge_path_tables(paths).table)
    assert found is not None
    assert (found.kind, found.title) == ("bar", "revenue by path")
    assert cast(dict[str, Any], found.spec["data"])["values"] == [
        {"c0": "2023", "c1": 100.5},
        {"c0": "2024", "c1": 120.0},
    ]


def test_a_comparison_by_region_shows_both_years() -> None:
    paths = [
        Path(year, table([("region", "text"), ("n", "integer")], [("Nord", 1 + at), ("Süd", 3 + at)]), f"a{year}")
        for at, year in enumerate(("2023", "2024"))
    ]
    found = plan_chart(merge_path_tables(paths).table)
    assert found is not None
    values = cast(list[dict[str, Any]], cast(dict[str, Any], found.spec["data"])["values"])
    assert {one["c0"]: one["c1"] for one in values} == {
        "Nord, 2023": 1.0,
        "Nord, 2024": 2.0,
        "Süd, 2023": 3.0,
        "Süd, 2024": 4.0,
    }
