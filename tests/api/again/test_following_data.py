"""Questions that follow one to a database: what they know of it, with a model and without one, in each mode."""

from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.state.state import HistoryEntry
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Json, ended, log_of, working
from tests.api.again.selling import TOTAL, Analyst, with_sales
from tests.api.asking import start
from tests.api.handbook import handbook_settings

SUM = "SELECT SUM(revenue) AS total FROM sales"
BY_CITY_SAVED = "SELECT city, SUM(revenue) AS total FROM sales GROUP BY city ORDER BY city"
BY_CITY = "SELECT city, SUM(revenue) AS total FROM sales GROUP BY city"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return with_sales(handbook_settings(tmp_path), tmp_path)


async def rows(api: httpx.AsyncClient, run_id: str, number: int = 1) -> list[list[object]]:
    found: Json = (await api.get(f"/v1/runs/{run_id}/results/{number}")).raise_for_status().json()
    kept: list[list[object]] = found["rows"]
    return kept


async def entry(store: Store, run_id: str) -> HistoryEntry:
    return (await log_of(store, run_id)).run.state.history[-1]


async def test_without_a_model_a_question_goes_on_from_the_one_before_it(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with working(temporal, store, api_settings):
        first = await start(api, TOTAL, mode="data", model="offline")
        assert (await ended(api, first))["status"] == "completed"
        assert await rows(api, first) == [[800]]
        by_city = await start(api, "And by city?", mode="data", model="offline", previous_run=first)
        assert (await ended(api, by_city))["status"] == "completed"
        assert await rows(api, by_city) == [["Oslo", 500], ["Turin", 300]]
        report = (await api.get(f"/v1/runs/{by_city}/report")).text
        assert "What is the total revenue of sales by city?" in report
        again = await start(api, TOTAL, mode="data", model="offline", previous_run=by_city)
        assert (await ended(api, again))["status"] == "completed"
        for question in ("And why so little?", "And in Oslo by city?"):
            other = await start(api, question, mode="data", model="offline", previous_run=first)
            assert (await ended(api, other))["status"] == "unanswered"
    state = (await log_of(store, again)).run.state
    assert [one.question for one in state.history] == [TOTAL, "And by city?"]
    assert all(len(one.sql) == 1 and "SUM" in one.sql[0] for one in state.history)
    assert (await entry(store, again)).sql == (BY_CITY_SAVED,)


async def test_a_saved_query_that_fails_is_told_and_not_mended_without_a_model(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with working(temporal, store, api_settings):
        lost = await start(api, "Which sales were lost?", mode="data", model="offline")
        assert (await ended(api, lost))["status"] == "unanswered"
        report = (await api.get(f"/v1/runs/{lost}/report")).text
    assert "lost_sales" in report
    assert "Mending a query needs a language model" in report


@pytest.mark.long
async def test_a_model_is_told_the_query_that_was_answered_and_not_the_broken_ones(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst("SELECT SUM(revenu) AS total FROM sales", BY_CITY, mended=[SUM])
    async with working(temporal, store, api_settings, provider):
        first = await start(api, TOTAL, mode="data")
        view = await ended(api, first)
        assert (view["status"], await rows(api, first)) == ("completed", [[800]])
        provider.model.tasks.clear()
        second = await start(api, "And by city?", mode="data", previous_run=first)
        await ended(api, second)
        (asked,) = [task for task in provider.model.tasks if task.kind == "sql_writer"]
        (told,) = asked.history
        assert (told.question, told.sql, told.status) == (TOTAL, (SUM,), "completed")
        assert told.answer
        kept = await entry(store, second)
        assert (kept.report, bool(kept.evidence)) == (view["report"]["artifact"], True)
        own = (await api.get(f"/v1/runs/{second}/evidence")).json()["evidence"]
        assert set(kept.evidence) < {one["id"] for one in own}
        listed = (await api.get(f"/v1/runs/{second}/results")).json()
        assert (len(listed["results"]), listed["answer"]) == (1, True)


@pytest.mark.long
async def test_the_queries_of_paths_are_told_and_a_query_that_failed_for_good_is_not(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst(
        "SELECT SUM(revenue) AS total FROM sales WHERE sold_date < '2024-01-01'",
        "SELECT SUM(revenue) AS total FROM sales WHERE sold_date >= '2024-01-01'",
    )
    paths = [{"name": year, "question": f"Total revenue in {year}?"} for year in ("2023", "2024")]
    provider.answers["splitter"] = {"paths": paths, "reason": "Two years."}
    async with working(temporal, store, api_settings, provider):
        first = await start(api, "Compare the total revenue of sales in 2023 and 2024", mode="data")
        assert (await ended(api, first))["status"] == "completed"
        del provider.answers["splitter"]
        broken = Analyst("SELECT nothing FROM nowhere", mended=["SELECT nothing FROM nowhere"])
        provider._queries, provider._mended = broken._queries, broken._mended
        second = await start(api, "And by city?", mode="data", previous_run=first)
        await ended(api, second)
        told = await entry(store, second)
        assert len(told.sql) == 2
        assert {"< '2024-01-01'" in sql for sql in told.sql} == {True, False}
        third = await start(api, "And by month?", mode="data", previous_run=second)
        await ended(api, third)
        assert (await entry(store, third)).sql == ()


@pytest.mark.parametrize("mode", ["simple", "auto"])
async def test_another_mode_can_cite_the_results_of_the_run_before(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, mode: str
) -> None:
    provider = Analyst(SUM)
    provider.answers["input_parser"] = {"original_query": "q", "improved_query": "q", "research_mode": "simple"}
    async with working(temporal, store, api_settings, provider):
        first = await start(api, TOTAL, mode="data")
        await ended(api, first)
        second = await start(
            api,
            "What does the handbook say of retries and revenue?",
            mode=mode,
            sources=["handbook"],
            previous_run=first,
        )
        view = await ended(api, second)
        report = (await api.get(f"/v1/runs/{second}/report", headers={"Accept": "application/json"})).json()
    assert view["status"] == "completed"
    cited = {one["evidence"]: one["verdict"] for one in report["citations"]}
    results = [id for id in cited if id.startswith("result:")]
    assert [cited[id] for id in results] == ["verified"]
    assert any("Result of a query to the database shop" in one["title"] for one in report["references"])
