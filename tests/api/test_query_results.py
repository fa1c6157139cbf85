"""The tables and the chart that an answer rests on: over HTTP in each of their forms, and on the page of the report."""

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from elcano.storage.store import Store
from elcano.subjects.data.data_answer import ChartInput
from elcano.subjects.data.tables import ResultTable
from elcano.subjects.data.tools import draw_result_chart
from tests.api.reporting import keep_reported
from tests.tool_work import work_of
from tests.unit.subjects.data.answering.answering import RUN, digests, published, written
from tests.unit.subjects.data.answering.tables import table

HOSTILE = (
    "=cmd|'/C calc'!A0",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\uff1d1",
    " =1",
    "a,b",
    'say "x"',
    "日本",
    "",
)
SALES = table(
    [("=region", "text"), ("n", "integer"), ("net", "decimal"), ("ok", "boolean")],
    [(text, number, f"-{number}.50", number % 2 == 0) for number, text in enumerate(HOSTILE)]
    + [(None, None, None, None)],
)


@pytest.fixture
async def answered(store: Store) -> str:
    """A run whose answer rests on a result, with a chart."""
    question = "How much did each region sell?"
    made = await draw_result_chart(
        work_of(store.of("default"), RUN), ChartInput(results=tuple(await digests(store, SALES)))
    )
    assert made.chart is not None
    draft = await written(store, question, [SALES], chart=made.chart.model_dump(mode="json"))
    return await keep_reported(store, await published(store, question, draft), "data")


async def test_results_are_listed_and_read_whole(api: httpx.AsyncClient, answered: str) -> None:
    listed = (await api.get(f"/v1/runs/{answered}/results")).raise_for_status().json()
    (one,) = listed["results"]
    assert (one["number"], one["database"], one["rows"], one["truncated"]) == (1, "sales", 13, False)
    assert len(one["query_hash"]) == 64
    found = await api.get(f"/v1/runs/{answered}/results/1")
    assert ResultTable.model_validate_json(found.text) == SALES


async def test_csv_keeps_numbers_and_guards_texts(api: httpx.AsyncClient, answered: str) -> None:
    answer = await api.get(f"/v1/runs/{answered}/results/1", headers={"Accept": "text/csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    head, *rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert head == ["'=region", "n", "net", "ok"]
    assert [row[2] for row in rows[:2]] == ["-0.50", "-1.50"]
    assert rows[-1] == ["", "", "", ""]
    for row, said in zip(rows, HOSTILE, strict=False):
        assert row[0] in (said, f"'{said}")
        assert not row[0].lstrip().startswith(("=", "+", "-", "@", "\uff1d"))


async def test_the_chart_is_served_and_stands_in_the_page(api: httpx.AsyncClient, answered: str) -> None:
    svg = await api.get(f"/v1/runs/{answered}/chart.svg")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in svg.headers["content-security-policy"]
    assert ElementTree.fromstring(svg.text).tag.endswith("svg")
    png = await api.get(f"/v1/runs/{answered}/chart.png")
    assert (png.headers["content-type"], png.content[:4]) == ("image/png", b"\x89PNG")
    spec: dict[str, Any] = json.loads((await api.get(f"/v1/runs/{answered}/chart.json")).text)
    assert spec["mark"] == {"type": "bar"}
    page = (await api.get(f"/v1/runs/{answered}/report", headers={"Accept": "text/html"})).text
    assert page.count("<svg ") == 1
    assert "<table>" in page
    assert "SELECT region" in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("results/2", 404, "it has: [1]"),
        ("results/0", 422, ""),
        ("results/x", 422, ""),
    ],
)
async def test_what_is_not_there_says_what_is(
    api: httpx.AsyncClient, answered: str, path: str, status: int, said: str
) -> None:
    answer = await api.get(f"/v1/runs/{answered}/{path}")
    assert (answer.status_code, said in answer.text) == (status, True)
    other = await api.get(f"/v1/runs/{answered}/results/1", headers={"Accept": "image/png"})
    assert other.status_code == 406


async def test_a_run_without_results_says_so(api: httpx.AsyncClient, store: Store) -> None:
    draft = (await written(store, "What?", [])).model_copy(update={"attachments": {}})
    await keep_reported(store, await published(store, "What?", draft), "simple")
    for path in ("results", "results/1", "chart.svg", "chart.png", "chart.json"):
        answer = await api.get(f"/v1/runs/{RUN}/{path}")
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:result-not-found")
