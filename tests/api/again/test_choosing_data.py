"""Runs that choose their mode over a database beside a handbook: to which of them a question goes, and what is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice
from elcano.service.runs.model_checks import explain_mode_obstacle
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Json, ended, until, working
from tests.api.again.selling import TOTAL, Analyst, with_sales
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.serving import speaking


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return with_sales(handbook_settings(tmp_path), tmp_path)


async def chosen(api: httpx.AsyncClient, question: str, sources: list[str], **asked: Any) -> tuple[str, Json]:
    """A run that chose, once it has ended."""
    run_id = await start(api, question, mode="auto", sources=sources, **asked)
    return run_id, await ended(api, run_id)


async def choose_mode(api: httpx.AsyncClient, question: str, sources: list[str]) -> str:
    """The mode that a run chooses, which is cancelled as soon as it has, unless it is quicker."""
    run_id = await start(api, question, mode="auto", sources=sources)
    mode = ""

    async def has_chosen() -> bool:
        nonlocal mode
        view: Json = (await api.get(f"/v1/runs/{run_id}")).json()
        mode = (view["choice"] or {}).get("mode", "")
        return bool(mode)

    await until(has_chosen)
    answer = await api.post(f"/v1/runs/{run_id}/cancel")
    assert answer.is_success or answer.json()["type"] == "urn:elcano:run-ended", answer.text
    return mode


async def test_without_a_model_saved_questions_alone_go_to_the_database(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    both = ["handbook", "shop"]
    async with working(temporal, store, api_settings):
        run_id, view = await chosen(api, TOTAL, both)
        assert (view["status"], view["choice"]["mode"]) == ("completed", "data")
        assert "'shop'" in view["choice"]["reason"]
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        assert "which chose data" in report
        assert "800" in report
        story = (await api.get(f"/v1/runs/{run_id}/events", headers={"Accept": "text/event-stream"})).text
        assert "Chose data research." in story
        _, follows = await chosen(api, "And by city?", both, previous_run=run_id)
        assert (follows["status"], follows["choice"]["mode"]) == ("completed", "data")
        compared = "Compare the total revenue of sales in 2023 and 2024"
        for question in ("To whom do retries belong?", "What is the total revenue of sales in Oslo?", compared):
            assert await choose_mode(api, question, both) != "data"
        _, alone = await chosen(api, "To whom do retries belong?", ["shop"])
        assert (alone["status"], alone["choice"]["mode"]) == ("unanswered", "data")
        report = (await api.get(f"/v1/runs/{alone['run_id']}/report")).text
        assert "Free questions to a database need a language model" in report
        assert "What is the total revenue of sales by city?" in report
        assert await choose_mode(api, TOTAL, ["handbook"]) != "data"


async def test_a_model_is_told_of_tables_and_cannot_choose_what_is_not_there(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Analyst("SELECT COUNT(*) AS sales FROM sales")
    said = {"original_query": "q", "improved_query": TOTAL, "research_mode": "data", "mode_reason": "Tables say it."}
    provider.answers["input_parser"] = said
    async with working(temporal, store, api_settings, provider):
        _, view = await chosen(api, TOTAL, ["handbook", "shop"])
        assert (view["status"], view["choice"]) == ("completed", {"mode": "data", "reason": "Tables say it."})
        (task,) = [task for task in provider.model.tasks if task.kind == "input_parser"]
        told: Any = task.given["databases"]
        (table,) = told["shop"]["tables"]
        assert (table["name"], [column["name"] for column in table["columns"]][-1]) == ("sales", "revenue")
        provider.model.tasks.clear()
        _, view = await chosen(api, TOTAL, ["handbook"])
        assert view["choice"]["mode"] == "iterative"
        assert "none of the sources that are searched is a database" in view["choice"]["reason"]
        (task,) = [task for task in provider.model.tasks if task.kind == "input_parser"]
        assert "databases" not in task.given
        ways: Any = task.given["ways"]
        assert "data" not in ways


async def test_without_a_model_and_saved_questions_a_database_is_refused(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    bare = api_settings.model_copy(update={"database_examples": {}})
    async with speaking(make_app(bare)) as api:
        refused = await api.post("/v1/runs", json={"question": TOTAL, "mode": "data"})
        assert refused.status_code == 422
        (fault,) = refused.json()["errors"]
        assert fault["field"] == "model"
        assert "needs a language model, or saved questions for 'shop'" in fault["message"]
        named = await api.post("/v1/runs", json={"question": TOTAL, "mode": "data", "model": "offline"})
        assert named.json()["errors"][0]["field"] == "model.default"
        alone = await api.post("/v1/runs", json={"question": TOTAL, "sources": ["shop"]})
        assert alone.status_code == 422
        assert "data: it needs a language model" in alone.text
        beside = await api.post("/v1/runs", json={"question": TOTAL, "sources": ["shop", "handbook"]})
        assert beside.status_code == 201


def test_only_a_model_that_is_known_to_lack_is_told(api_settings: Settings) -> None:
    graph, bare = MODES["data"], api_settings.model_copy(update={"database_examples": {}})
    assert explain_mode_obstacle(graph, ("shop",), ModelChoice(), bare)
    assert not explain_mode_obstacle(graph, ("shop",), ModelChoice(), api_settings)
    assert not explain_mode_obstacle(graph, ("shop",), ModelChoice(by_agent={"sql_writer": "openai:gpt-5.1"}), bare)
    assert explain_mode_obstacle(
        graph, ("shop",), ModelChoice(default="openai:a", by_agent={"sql_writer": "offline"}), bare
    )
    elsewhere = bare.model_copy(update={"shared_environment": False})
    assert not explain_mode_obstacle(graph, ("shop",), ModelChoice(), elsewhere)
    assert explain_mode_obstacle(graph, ("shop",), ModelChoice(default="offline"), elsewhere)
    assert not explain_mode_obstacle(MODES["deep"], ("shop",), ModelChoice(), bare)
