"""Results of queries are there as soon as a database has given them, whatever becomes of the run and its answer."""

import csv
import io
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.mode_choice import MODES
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Json, ended, until, working
from tests.api.again.selling import TOTAL, Analyst, with_sales
from tests.api.asking import start
from tests.api.handbook import handbook_settings

CITIES = "SELECT city, SUM(revenue) AS revenue FROM sales GROUP BY city ORDER BY city"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return with_sales(handbook_settings(tmp_path), tmp_path)


async def listed(api: httpx.AsyncClient, run_id: str) -> Json:
    found: Json = (await api.get(f"/v1/runs/{run_id}/results")).raise_for_status().json()
    return found


async def assert_found(api: httpx.AsyncClient, run_id: str) -> None:
    """One result is listed that no answer rests on, and can be read as CSV."""
    found = await listed(api, run_id)
    (one,) = found["results"]
    assert (found["answer"], one["number"], one["database"], one["rows"]) == (False, 1, "shop", 2)
    assert "SUM(revenue)" in one["sql"]
    read = await api.get(f"/v1/runs/{run_id}/results/1", headers={"Accept": "text/csv"})
    assert [*csv.reader(io.StringIO(read.text))] == [["city", "revenue"], ["Oslo", "500"], ["Turin", "300"]]
    assert (await api.get(f"/v1/runs/{run_id}/results/2")).status_code == 404


async def assert_reported(api: httpx.AsyncClient, run_id: str, reason: str) -> None:
    """The report shows the table and its query."""
    report = (await api.get(f"/v1/runs/{run_id}/report")).raise_for_status().text
    assert "There is no report" in report
    assert reason in report
    assert "| city | revenue |\n| --- | --- |\n| Oslo | 500 |\n| Turin | 300 |" in report
    assert "```sql\nSELECT" in report
    assert "No language model wrote any of this." in report


async def test_a_writer_that_is_refused_leaves_the_results(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    provider.off.add(("data_writer", ""))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, TOTAL, mode="data")
        run = await ended(api, run_id)
        assert (run["status"], run["report"]) == ("failed", None)
        assert "refused" in run["failure"]["message"]
        await assert_found(api, run_id)
        no_report = await api.get(f"/v1/runs/{run_id}/report")
        assert (no_report.status_code, no_report.json()["type"]) == (409, "urn:elcano:report-not-ready")
        assert f"/v1/runs/{run_id}/evidence" in no_report.json()["detail"]
        told = (await api.get(f"/v1/runs/{run_id}/events")).text
        assert "event: failed" in told
        assert "event: report_ready" not in told


@pytest.mark.long
async def test_a_budget_that_does_not_pay_for_the_answer_leaves_the_results(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    provider.wasted = 5_000
    graph: Any = {**MODES["data"].model_dump(mode="json"), "name": "thrifty"}
    for node in graph["nodes"]:
        if node["id"] == "synthesis":
            node["limits"] = {"tokens": 5_800}
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, TOTAL, graph=graph)
        assert (await ended(api, run_id))["status"] == "partial"
        await assert_found(api, run_id)
        await assert_reported(api, run_id, "**Partial:**")
        assert compare_certificate((await api.get(f"/v1/runs/{run_id}/certificate")).content).faults == ()


async def test_a_run_that_goes_on_shows_what_it_has_and_keeps_it_when_it_is_cancelled(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    provider.slow[("splitter", "")] = 3.0
    provider.slow[("data_writer", "")] = 60.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, TOTAL, mode="data")
        await provider.asked(("splitter", TOTAL))
        assert await listed(api, run_id) == {"run_id": run_id, "answer": False, "results": []}
        await provider.asked(("data_writer", TOTAL))
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "running"
        await assert_found(api, run_id)
        await api.post(f"/v1/runs/{run_id}/cancel", json={})
        assert (await ended(api, run_id))["status"] == "cancelled"
        await assert_found(api, run_id)


async def test_a_run_that_was_killed_leaves_the_results(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    provider.slow[("data_writer", "")] = 60.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, TOTAL, mode="data")
        await provider.asked(("data_writer", TOTAL))
        await temporal.get_workflow_handle(run_id).terminate("killed")

        async def over() -> bool:
            return bool((await api.get(f"/v1/runs/{run_id}")).json()["status"] != "running")

        await until(over)
        await assert_found(api, run_id)


async def test_a_run_that_is_stopped_among_its_paths_answers_from_what_they_found(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    paths = [{"name": name, "question": f"Revenue of {name}?"} for name in ("Oslo", "Turin")]
    provider.answers["splitter"] = {"paths": paths, "reason": "Two cities."}
    provider.slow[("sql_writer", "Revenue of Turin?")] = 10.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, TOTAL, mode="data")

        async def found() -> bool:
            return bool((await listed(api, run_id))["results"])

        await until(found)
        await assert_found(api, run_id)
        await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "enough"})
        assert (await ended(api, run_id))["status"] == "stopped"
        assert len((await listed(api, run_id))["results"]) == 1


async def test_what_a_run_took_over_is_no_result_of_its_own(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(CITIES)
    async with working(temporal, store, api_settings, provider):
        first = await start(api, TOTAL, mode="data")
        await ended(api, first)
        second = await start(api, "To whom do retries belong?", mode="simple", sources=["handbook"], previous_run=first)
        await ended(api, second)
        answer = await api.get(f"/v1/runs/{second}/results")
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:result-not-found")
