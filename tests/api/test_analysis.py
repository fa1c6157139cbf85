"""The figures of a run that analyzed numbers: offline from trials to verdict, then over HTTP in each of their forms."""

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest

from elcano.graphs.report.report import Report
from elcano.storage.store import Store
from elcano.subjects.analysis.analysis import Analysis, plot_path
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.source import ScriptedSource
from tests.api.reporting import keep_reported
from tests.unit.subjects.analysis.trials import COUNTS

QUESTION = "Does corvalin reduce mortality?"


def told(a: int, n: int, b: int, m: int) -> str:
    return (
        f"Adults with sepsis were randomly assigned to corvalin or placebo. Mortality was {a} of {n} in the corvalin "
        f"group and {b} of {m} in the placebo group. Corvalin was tolerated by most of those who received it."
    )


async def analyzed(folder: Path) -> ResearchOutcome:
    trials = {f"Trial {number}": told(*trial) for number, trial in enumerate(COUNTS)}
    trials["Opinion"] = "Corvalin is said to reduce mortality in everybody who takes it for long enough."
    source = ScriptedSource("trials", trials)
    return await run_research(QUESTION, folder=folder, sources=[source], mode="analysis")


def analysis_of(report: Report) -> Analysis:
    return Analysis.model_validate(report.attachments["analysis"])


@pytest.fixture
async def reported(tmp_path: Path, store: Store) -> str:
    """A run whose report has an analysis, kept with its plot."""
    from elcano.subjects.analysis.statistics.forest import render_forest_plot  # takes a second

    found = (await analyzed(tmp_path / "elsewhere")).report
    analysis = analysis_of(found)
    kept = store.of("default").artifacts
    (pool,) = analysis.pools
    pool = pool.model_copy(update={"plot": await kept.put("run-1", render_forest_plot(pool), "image/svg+xml")})
    analysis = analysis.model_copy(update={"pools": (pool,)})
    added = {"attachments": {"analysis": analysis.model_dump(mode="json")}, "pictures": {plot_path(1): pool.plot}}
    return await keep_reported(store, found.model_copy(update={"run_id": "run-1", **added}), "analysis")


async def test_a_run_without_a_key_reads_pools_and_decides(tmp_path: Path) -> None:
    found = await analyzed(tmp_path)
    report, analysis = found.report, analysis_of(found.report)
    (pool,) = analysis.pools
    assert (pool.count, pool.measure, analysis.tested[0].verdict) == (8, "risk_ratio", "supported")
    assert report.answered
    numbers = {row.number for row in pool.studies}
    assert len(numbers) == 8
    assert numbers == {one.number for one in report.citations if "Mortality was" in one.quote}
    assert not report.unverified
    assert "analysis/plots/1.svg" in report.markdown
    assert all(f"[{number}]" in report.markdown for number in numbers)
    kinds = [event.type for event in found.journal.events]
    assert {"analyzing", "analysis_complete"} <= set(kinds)
    ended = next(event for event in found.journal.events if event.type == "analysis_complete")
    assert ended.message == "Supported: 8 studies in 1 pool"
    assert Report.model_validate_json(report.model_dump_json()) == report


async def test_a_run_that_finds_no_numbers_reports_all_the_same(tmp_path: Path) -> None:
    source = ScriptedSource("notes", {"Note": "Corvalin is said to reduce mortality in everybody who takes it."})
    found = await run_research(QUESTION, folder=tmp_path, sources=[source], mode="analysis")
    assert analysis_of(found.report).pools == ()
    assert analysis_of(found.report).tested[0].verdict == "inconclusive"
    assert "no usable number was found" in found.report.markdown


async def test_figures_come_as_json_and_as_rows(api: httpx.AsyncClient, reported: str) -> None:
    figures = (await api.get(f"/v1/runs/{reported}/analysis")).raise_for_status().json()
    assert figures["tested"][0]["verdict"] == "supported"
    answer = await api.get(f"/v1/runs/{reported}/analysis", headers={"Accept": "text/csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["row"] for row in rows] == ["study"] * 8 + ["fixed", "random", "adjusted"]
    (pool,) = figures["pools"]
    assert float(rows[9]["estimate"]) == pool["random"]["estimate"]
    assert (await api.get(f"/v1/runs/{reported}/analysis", headers={"Accept": "image/png"})).status_code == 406


async def test_a_plot_is_served_and_stands_in_the_page(api: httpx.AsyncClient, reported: str) -> None:
    plot = await api.get(f"/v1/runs/{reported}/analysis/plots/1.svg")
    assert plot.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in plot.headers["content-security-policy"]
    assert ElementTree.fromstring(plot.text).tag.endswith("svg")
    page = (await api.get(f"/v1/runs/{reported}/report", headers={"Accept": "text/html"})).text
    assert page.count("<svg ") == 1
    assert "Forest plot: Mortality, corvalin versus placebo" in page
    assert "<img" not in page
    missing = await api.get(f"/v1/runs/{reported}/analysis/plots/2.svg")
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:elcano:analysis-not-found")
    assert "it has: analysis/plots/1.svg" in missing.json()["detail"]


async def test_a_run_that_analyzed_nothing_says_so(api: httpx.AsyncClient, store: Store, reported: str) -> None:
    kept = await store.of("default").artifacts.keys(reported, "application/json")
    report = Report.model_validate_json(await store.of("default").artifacts.get(kept[0]) or "")
    plain = report.model_copy(update={"run_id": "run-2", "attachments": {}, "pictures": {}})
    assert '"analysis"' not in plain.model_dump_json()
    await keep_reported(store, plain, "simple")
    answer = await api.get("/v1/runs/run-2/analysis")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:analysis-not-found")
