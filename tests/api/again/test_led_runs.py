"""A led team over HTTP: asked for by either name, its limits, its ledger while it runs and after, and going on."""

from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import make_progress_ledger
from tests.api.again.going_on import QUESTION, Provider, asked, ended, working
from tests.api.asking import start

BUDGET = {"iterations": 12, "stalls": 2, "resets": 1}


async def test_a_team_under_its_other_name_ends_by_its_limits_and_shows_its_ledger(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.answers["progress_ledger"] = dict(make_progress_ledger("searcher", "the same again"))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="advanced", budget=BUDGET)
        view = await ended(api, run_id)
    assert (view["mode"], view["status"], view["ending"]["kind"]) == ("magentic", "partial", "stalled")
    ledger = view["ledger"]
    assert (ledger["stalls"], ledger["resets"]) == (2, 1)
    assert (view["budget"]["limits"]["stalls"], view["budget"]["limits"]["resets"]) == (2, 1)
    assert view["budget"]["limits"]["iterations"] == 12
    assert {turn["stall"] for turn in ledger["turns"]} == {"", "repeated"}
    assert ledger["plan"]
    (listed,) = (await api.get("/v1/runs")).json()["runs"]
    assert listed["ledger"] is None


@pytest.mark.long
async def test_a_team_that_failed_in_a_turn_is_resumed_with_its_ledger(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.off.add(("hypothesizer", ""))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="magentic")
        failed = await ended(api, run_id)
        assert (failed["status"], failed["failure"]["node"]) == ("failed", "hypothesizer")
        before = provider.calls()
        provider.off.clear()
        await asked(api, run_id, "resume", reason="a new key")
        view = await ended(api, run_id)
        again = {kind for kind, _, _ in provider.calls() - before}
        forked = await asked(api, run_id, "fork", 201, step=8)
        other = await ended(api, forked["run_id"])
    assert not {"task_ledger", "tool_selector"} & again, "what was done is not done again"
    assert view["status"] == other["status"] == "completed", view
    assert [turn["speaker"] for turn in view["ledger"]["turns"]] == ["searcher", "hypothesizer", "judge", "reporter"]
    assert [turn["speaker"] for turn in other["ledger"]["turns"]] == ["searcher", "hypothesizer", "judge", "reporter"]


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        ({"stalls": 0}, "budget.stalls"),
        ({"stalls": 21}, "budget.stalls"),
        ({"resets": -1}, "budget.resets"),
        ({"resets": "2"}, "body.budget.resets"),
        ({"resets": 1.5}, "body.budget.resets"),
    ],
)
async def test_limits_that_there_cannot_be_are_named(
    api: httpx.AsyncClient, budget: dict[str, Any], field: str
) -> None:
    answer = await api.post("/v1/runs", json={"question": QUESTION, "mode": "magentic", "budget": budget})
    assert answer.status_code == 422
    assert [fault["field"].removeprefix("body.") for fault in answer.json()["errors"]] == [field.removeprefix("body.")]


async def test_the_other_name_of_a_mode_cannot_be_that_of_a_graph_of_ones_own(api: httpx.AsyncClient) -> None:
    graph = (await api.get("/v1/graphs/advanced")).json()
    assert graph["name"] == "magentic"
    answer = await api.post("/v1/graphs", json={**graph, "name": "advanced"})
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["errors"]] == ["graph.name"]
