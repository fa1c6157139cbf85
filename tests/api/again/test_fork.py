"""Runs that begin with steps of another one: shared steps cost nothing, and from there on they go their own way."""

from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.mode_choice import MODES
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Json, Provider, chosen_steps, ended, log_of, tokens, working
from tests.api.asking import start
from tests.api.sse import read_all
from tests.cases import long_case


async def forked(api: httpx.AsyncClient, run_id: str, **body: Any) -> Json:
    """The view of a new run, once it has ended."""
    answer = await api.post(f"/v1/runs/{run_id}/fork", json=body)
    assert answer.status_code == 201, answer.text
    view: Json = answer.json()
    assert answer.headers["location"] == f"/v1/runs/{view['run_id']}"
    return await ended(api, view["run_id"])


@pytest.mark.parametrize(
    ("mode", "use_graph"),
    [long_case("iterative", True), ("deep", True), long_case("deep", False), long_case("hierarchical", True)],
)
async def test_shared_steps_are_neither_done_nor_paid_for_again(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    mode: str,
    use_graph: bool,
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode=mode, use_graph=use_graph)
        first = await ended(api, run_id)
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        assert "Searched on " in report
        found = (await api.get(f"/v1/runs/{run_id}/evidence")).json()["evidence"]
        paid = 0
        for step in chosen_steps(first["steps"]):
            before = provider.calls()
            view = await forked(api, run_id, step=step, reason="try")
            own = view["run_id"]
            lines = await store.of("default").ledger.entries(own, branches=True)
            assert all(line.step >= step for line in lines if line.run_id == own and line.kind != "publish")
            assert view["budget"]["used"]["tokens"] == await tokens(store, own)
            assert view["budget"]["used"]["tokens"] >= paid
            paid = view["budget"]["used"]["tokens"]
            assert view["forked_from"] == {"run_id": run_id, "step": step}
            assert view["status"] == "completed"
            there = (await api.get(f"/v1/runs/{own}/evidence")).json()["evidence"]
            assert {one["id"] for one in there} == {one["id"] for one in found}
            again = (await api.get(f"/v1/runs/{own}/report")).text
            assert len(again) > len(report) / 2
            assert "Searched on " in again  # also where the other run alone searched
            assert sum((provider.calls() - before).values()) <= sum(before.values())
            (await log_of(store, own))
        assert paid == first["budget"]["used"]["tokens"]
        last = await read_all(f"{served}/v1/runs/{own}/events")
        assert [one.event for one in last[:2]] == ["started", "forked"]
        assert await ended(api, run_id) == first

        assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
        assert (await api.get(f"/v1/runs/{own}/report")).status_code == 200
        later = await forked(api, own, step=first["steps"])
        assert later["status"] == "completed"


@pytest.mark.long
async def test_a_fork_may_differ_in_what_it_asks_plans_and_may_spend(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await ended(api, run_id)
        plan = [{"title": "Only this", "question": "What of only this and retries?"}]
        budget = {"tokens": 77_000, "iterations": 2}
        view = await forked(api, run_id, step=4, question="And now?", plan=plan, budget=budget, model="offline")
        log = await log_of(store, view["run_id"])
    assert [branch["section"] for branch in view["branches"]] == ["Only this"]
    assert (view["question"], view["budget"]["limits"]["tokens"]) == ("And now?", 77_000)
    assert view["budget"]["limits"]["iterations"] == 2
    assert log.asked.models.default == "offline"
    assert log.run.state.question == "And now?"


async def test_a_fork_that_cannot_work_is_refused(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        view = await ended(api, run_id)
        other = MODES["iterative"].model_dump(mode="json")
        same = [{"title": "A", "question": "a"}, {"title": "a", "question": "b"}]
        bodies: list[tuple[Json, str]] = [
            ({"step": 99}, "step"),
            ({"step": 4, "graph": other}, "graph"),
            ({"step": 4, "plan": same}, "plan"),
            ({"step": 4, "model": "nobody"}, "model.default"),
            ({"step": 4, "sources": ["nowhere"]}, "sources"),
            ({"step": 4, "budget": {"tokens": 1}}, "budget.tokens"),
        ]
        for body, field in bodies:
            answer = await api.post(f"/v1/runs/{run_id}/fork", json=body)
            assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json"), body
            assert answer.json()["errors"][0]["field"] == field
        section = await api.post(f"/v1/runs/{view['branches'][0]['run_id']}/fork", json={"step": 1})
        assert section.status_code == 409
        assert len((await api.get("/v1/runs")).json()["runs"]) == 1
        key = {"Idempotency-Key": "fork"}
        answers = [await api.post(f"/v1/runs/{run_id}/fork", json={"step": 2}, headers=key) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 200]
        assert answers[0].json()["run_id"] == answers[1].json()["run_id"]
        await ended(api, answers[0].json()["run_id"])


async def test_a_fork_of_what_is_gone_fails_and_says_so(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        last = (await ended(api, run_id))["steps"]
    fork = (await api.post(f"/v1/runs/{run_id}/fork", json={"step": last})).json()["run_id"]
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
    async with working(temporal, store, api_settings, provider):
        view = await ended(api, fork)
    assert (view["status"], "was it deleted?" in view["failure"]["message"]) == ("failed", True)
