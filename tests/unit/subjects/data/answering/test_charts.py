import base64
import json
import sys
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report
from elcano.service.reports.html_report import render_report_page
from elcano.storage.store import Store
from elcano.subjects.data.answering.charts import (
    ALLOWED,
    MOST_BARS,
    MOST_POINTS,
    NO_LIBRARY,
    ChartNotDrawn,
    PlannedChart,
    plan_chart,
    render_vega_chart,
)
from elcano.subjects.data.data_answer import CHART_PATH, ChartInput
from elcano.subjects.data.tables import ResultTable
from elcano.subjects.data.tools import draw_result_chart
from tests.tool_work import work_of
from tests.unit.subjects.data.answering.answering import RUN, digests
from tests.unit.subjects.data.answering.tables import REVENUE, table

HOSTILE = (
    "<script>alert(1)</script>",
    "{signal: alert(1)}",
    "datum.c1 + 1",
    "'); DROP TABLE x; --",
    "https://example.org/x.png",
    "日本語 und Ümläute ﷺ",
    "a\x00b\x1bc\ud800d",
    "x" * 5_000,
    "]]> & \" '",
    "",
)


def plan(result: ResultTable) -> PlannedChart:
    found = plan_chart(result)
    assert found is not None
    return found


def values(of: PlannedChart) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], cast(dict[str, Any], of.spec["data"])["values"])


def test_over_time_is_a_line_in_the_order_of_time() -> None:
    days = table(
        [("day", "date"), ("n", "integer")],
        [("2024-03-03", 3), ("2024-03-01", 1), ("2024-03-02", None), ("2024-03-04", 4)],
    )
    found = plan(days)
    assert (found.kind, [one["c1"] for one in values(found)]) == ("line", [1.0, 3.0, 4.0])
    assert "1 row without a number is left out" in found.description


def test_years_and_months_are_times_too() -> None:
    years = table([("year", "integer"), ("n", "integer")], [(2021, 1), (2022, 2), (2023, 3)])
    months = table([("month", "text"), ("n", "integer")], [("2021-01", 1), ("2021-02", 2), ("2021-03", 3)])
    assert [plan(one).kind for one in (years, months)] == ["line", "line"]


def test_groups_over_time_are_a_line_each() -> None:
    rows = [(f"2024-0{month}-01", region, month) for month in range(1, 5) for region in ("Nord", "Süd")]
    found = plan(table([("month", "date"), ("region", "text"), ("n", "integer")], rows))
    assert found.kind == "line"
    assert {one["c2"] for one in values(found)} == {"Nord", "Süd"}


def test_ten_thousand_groups_are_thirty_bars_and_one_for_the_rest() -> None:
    rows = [(f"g{number}", number) for number in range(10_000)]
    found = plan(table([("g", "text"), ("n", "integer")], rows))
    assert found.kind == "bar"
    bars = values(found)
    assert len(bars) == MOST_BARS + 1
    assert bars[0] == {"c0": "g9999", "c1": 9999.0}
    assert bars[-1]["c0"] == "other (9,970)"
    assert sum(one["c1"] for one in bars) == sum(number for _, number in rows)
    assert "The 30 largest of 10,000 groups; the other 9,970 are one bar" in found.description
    assert len(render_vega_chart(found.spec, found.title, found.description).svg) < 60_000


@pytest.mark.parametrize("cut", [{"sql": "SELECT g, AVG(n) FROM t GROUP BY g"}, {"truncated": True}])
def test_means_and_cut_results_are_not_added_up(cut: dict[str, Any]) -> None:
    found = plan(table([("g", "text"), ("n", "integer")], [(f"g{n}", n) for n in range(50)], **cut))
    assert len(values(found)) == MOST_BARS
    assert "the other 20 are not drawn" in found.description
    assert ("only what was read of the result" in found.description) == ("truncated" in cut)


def test_two_numbers_are_dots() -> None:
    rows = [(number, number * number) for number in range(5_000)]
    found = plan(table([("x", "integer"), ("y", "integer")], rows))
    assert found.kind == "scatter"
    assert len(values(found)) <= MOST_POINTS


@pytest.mark.parametrize(
    "result",
    [
        table([("n", "integer")], [(1,)]),
        table([("n", "integer")], []),
        table([("who", "text")], [("a",), ("b",)]),
        table([("a", "text"), ("n", "integer")], [("x", None), ("y", None)]),
        table([], []),
    ],
)
def test_where_nothing_fits_there_is_none(result: ResultTable) -> None:
    assert plan_chart(result) is None


def test_names_of_strangers_are_data_and_texts_alone() -> None:
    rows = [(label, number) for number, label in enumerate(HOSTILE)]
    for name in HOSTILE:
        found = plan(table([(name, "text"), (name + " ", "integer")], rows))
        fields = {cast(dict[str, Any], one)["field"] for one in cast(dict[str, Any], found.spec["encoding"]).values()}
        assert fields == {"c0", "c1"}
        svg = render_vega_chart(found.spec, found.title, found.description).svg
        tree = ElementTree.fromstring(svg)
        tags = {one.tag.rpartition("}")[2] for one in tree.iter()}
        assert tags <= {"svg", "title", "desc", *ALLOWED}
        assert not any(name.startswith("on") or "href" in name for one in tree.iter() for name in one.attrib)
        assert not any("http" in value for one in tree.iter() for value in one.attrib.values())


def test_the_same_name_twice_is_two_bars() -> None:
    found = plan(table([("g", "text"), ("n", "integer")], [("a", 1), ("a", 2), (None, 3)]))
    assert [one["c0"] for one in values(found)] == ["a", "a (2)", "NULL"]


@pytest.mark.parametrize("rows", [[("a", 1e308), ("b", -1e308)], [("a", "1e400"), ("b", "2")], [("a", 0), ("b", 0)]])
def test_extreme_values_are_drawn(rows: list[tuple[str, Any]]) -> None:
    found = plan(table([("g", "text"), ("n", "decimal")], rows))
    assert "<svg" in render_vega_chart(found.spec, found.title, found.description).svg


def test_a_drawing_passes_the_cleaning_of_the_page_as_it_is() -> None:
    found = plan(REVENUE)
    made = render_vega_chart(found.spec, found.title, found.description)
    report = Report(
        run_id=RUN,
        question="q",
        title="t",
        markdown=f"![Chart]({CHART_PATH})",
        answered=True,
        partial=None,
        model="",
        references=(),
        citations=(),
        unverified=(),
    )
    shown = render_report_page(report, {CHART_PATH: made.svg})
    start = shown.index("<svg")
    inside = ElementTree.fromstring(shown[start : shown.index("</svg>") + 6])
    own = ElementTree.fromstring(made.svg)
    assert [(bare(one), one.attrib, one.text) for one in inside.iter()] == [
        (bare(one), one.attrib, one.text) for one in own.iter()
    ]
    assert base64.b64decode(made.png).startswith(b"\x89PNG")


def bare(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def test_nothing_is_loaded_from_anywhere() -> None:
    spec: JsonObject = {**plan(REVENUE).spec, "data": {"url": "http://127.0.0.1:9/data.json"}}
    with pytest.raises(ChartNotDrawn, match="refused it"):
        render_vega_chart(spec, "t", "d")


async def test_the_tool_keeps_what_it_drew_and_says_which_result_it_is_of(store: Store) -> None:
    one_row = table([("n", "integer")], [(1,)])
    given = ChartInput(results=tuple(await digests(store, one_row, REVENUE)))
    work = work_of(store.of("default"), RUN)
    made = (await draw_result_chart(work, given)).chart
    assert made is not None
    assert made.result == 2
    artifacts = store.of("default").artifacts
    assert json.loads(await artifacts.get(made.spec) or "")["mark"] == {"type": "bar"}
    again = await draw_result_chart(work, ChartInput(results=given.results, spec=made.spec, title="Again"))
    assert again.chart is not None
    assert again.chart.title == "Again"
    assert (await draw_result_chart(work, ChartInput(results=given.results[:1]))).reason.startswith("There is no")


async def test_without_the_library_it_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    given = ChartInput(results=tuple(await digests(store, REVENUE)))
    work = work_of(store.of("default"), RUN)
    assert (await draw_result_chart(work, given)).reason == NO_LIBRARY
