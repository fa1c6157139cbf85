"""More budget for a run under way: taken, refused, too late; and what a paused run looks like."""

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from tests.api.asking import start

PAUSING = {"when_exhausted": "pause"}


@pytest.mark.usefixtures("worker")
async def test_a_paused_run_says_so_until_it_is_topped_up(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api, budget=PAUSING)
    before = (await api.get(f"/v1/runs/{run_id}")).json()
    assert before["hold"] is None
    await temporal.get_workflow_handle(run_id).signal("pause", "no tokens left")
    paused = (await api.get(f"/v1/runs/{run_id}")).json()["hold"]
    assert (paused["reason"], paused["detail"]) == ("budget", "no tokens left")
    answer = await api.post(f"/v1/runs/{run_id}/top-up", json={"tokens": 50_000, "seconds": 60})
    assert answer.status_code == 202
    limits = answer.json()["limits"]
    had = default_limits(MODES["iterative"])
    assert (limits["tokens"], limits["seconds"]) == (had.tokens + 50_000, had.seconds + 60)
    assert limits["cost_usd"] is None
    assert limits["when_exhausted"] == "pause"
    assert (await api.get(f"/v1/runs/{run_id}")).json()["hold"] is None


@pytest.mark.usefixtures("worker")
async def test_dollars_are_added_to_a_cost_that_is_limited(api: httpx.AsyncClient) -> None:
    asked = {"question": "Why?", "budget": {"cost_usd": 0.25}}
    run_id = (await api.post("/v1/runs", json=asked)).json()["run_id"]
    answer = await api.post(f"/v1/runs/{run_id}/top-up", json={"cost_usd": 0.5})
    assert answer.json()["limits"]["cost_usd"] == 0.75


@pytest.mark.usefixtures("worker")
async def test_what_the_run_refuses_is_a_conflict_with_its_reason(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api, budget=PAUSING)
    refused = await api.post(f"/v1/runs/{run_id}/top-up", json={"steps": 1})
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:elcano:control-refused"
    assert "is writing its report" in refused.json()["detail"]
    await temporal.get_workflow_handle(run_id).signal("order", "complete")
    await temporal.get_workflow_handle(run_id).result()
    ended = await api.post(f"/v1/runs/{run_id}/top-up", json={"tokens": 1})
    assert ended.status_code == 409
    assert ended.json()["type"] == "urn:elcano:run-ended"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"tokens": 0, "seconds": 0}, "body"),
        ({"tokens": -1}, "tokens"),
        ({"cost_usd": -0.5}, "cost_usd"),
        ({"seconds": "60"}, "seconds"),
        ({"dollars": 1}, "dollars"),
    ],
)
async def test_a_top_up_that_cannot_work_is_refused(api: httpx.AsyncClient, body: object, field: str) -> None:
    answer = await api.post("/v1/runs/run-1/top-up", json=body)
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["errors"]] == [field]


async def test_an_unknown_run_cannot_be_topped_up(api: httpx.AsyncClient) -> None:
    assert (await api.post("/v1/runs/run-nobody/top-up", json={"tokens": 1})).status_code == 404
