"""Runs that are taken back to before one of their steps: they are again what they were there, and go on."""

import asyncio

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.lifecycle.start_and_fold import before_step, fold
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, asked, chosen_steps, ended, log_of, tokens, until, working
from tests.api.asking import start
from tests.api.sse import read_events
from tests.cases import long_case


@pytest.mark.parametrize(
    ("mode", "use_graph"),
    [long_case("iterative", True), ("deep", True), long_case("deep", False), long_case("hierarchical", True)],
)
async def test_a_run_can_go_back_to_before_its_steps(
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
        found = (await api.get(f"/v1/runs/{run_id}/evidence")).json()
        original = await log_of(store, run_id)
        steps = chosen_steps(first["steps"], each=mode == "iterative")
        for step in steps:
            answer = await asked(api, run_id, "rollback", step=step, reason=f"to {step}")
            assert answer["step"] == step
            view = await ended(api, run_id)
            log = await log_of(store, run_id)
            place = max(i for i, entry in enumerate(log.entries) if isinstance(entry, RunResumed))
            back = fold(log.asked, log.entries[:place])
            was = before_step(original, step).run
            assert back.state == was.state
            assert back.budget == was.budget
            assert back.node == was.node == answer["node"]
            assert view["status"] == "completed"
            assert view["budget"]["used"]["tokens"] == first["budget"]["used"]["tokens"] == await tokens(store, run_id)
            assert view["steps"] == first["steps"]
            again = (await api.get(f"/v1/runs/{run_id}/evidence")).json()
            assert {one["id"] for one in again["evidence"]} == {one["id"] for one in found["evidence"]}
            assert again["total"] == found["total"]
            assert len(view["branches"]) == len(first["branches"])
        assert (await api.get(f"/v1/runs/{run_id}/report")).text == report
    messages = await read_events(f"{served}/v1/runs/{run_id}/events")
    own = [one.data["seq"] for one in messages if not one.data["path"] or one.event.startswith("branch_")]
    assert own == list(range(1, len(own) + 1))
    assert [one.data["data"]["step"] for one in messages if one.event == "rolled_back"] == steps
    assert [one.event for one in messages].count("complete") == 1
    assert messages[-1].event == "complete"


@pytest.mark.parametrize("mode", [long_case("iterative"), "deep"])
async def test_a_run_that_works_gives_up_what_it_does_and_goes_back(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings, mode: str
) -> None:
    provider = Provider(sections=2)
    question = QUESTION if mode == "iterative" else "What of Section 2 and retries?"
    provider.slow["judge", question] = 20.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode=mode)
        await provider.asked(("judge", question))
        future = await api.post(f"/v1/runs/{run_id}/rollback", json={"step": 99})
        assert (future.status_code, future.json()["errors"][0]["field"]) == (422, "step")
        provider.slow.clear()
        key = {"Idempotency-Key": "back"}
        body = {"step": 2, "reason": "again"}
        two = await asyncio.gather(
            *(api.post(f"/v1/runs/{run_id}/rollback", json=body, headers=key) for _ in range(2)),
        )
        assert {one.status_code for one in two} == {202}
        assert len({one.text for one in two}) == 1
        view = await ended(api, run_id)
    assert view["status"] == "completed"
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    messages = await read_events(f"{served}/v1/runs/{run_id}/events")
    assert [one.event for one in messages].count("rolled_back") == 1
    assert [one.event for one in messages].count("complete") == 1
    own = [one.data["seq"] for one in messages if not one.data["path"] or one.event.startswith("branch_")]
    assert own == list(range(1, len(own) + 1))
    await log_of(store, run_id)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["iterative", "deep"])
async def test_a_run_that_was_paused_goes_back_and_goes_on(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, mode: str
) -> None:
    provider = Provider(sections=2)
    question = QUESTION if mode == "iterative" else "What of Section 2 and retries?"
    provider.slow["judge", question] = 1.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode=mode)
        await provider.asked(("judge", question))
        await asked(api, run_id, "pause")

        async def paused() -> bool:
            return bool((await api.get(f"/v1/runs/{run_id}")).json()["stage"] == "paused")

        await until(paused)
        provider.slow.clear()
        await asked(api, run_id, "rollback", step=2)
        view = await ended(api, run_id)
    assert view["status"] == "completed"
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


async def test_what_cannot_be_taken_back_is_refused_and_changes_nothing(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        view = await ended(api, run_id)
        section = view["branches"][0]["run_id"]
        refused = [
            await api.post(f"/v1/runs/{one}/rollback", json={"step": step})
            for one, step in ((run_id, 0), (run_id, view["steps"] + 1), (section, 1), ("default-nothing", 1))
        ]
        assert [one.status_code for one in refused] == [422, 422, 409, 404]
        assert all(one.headers["content-type"] == "application/problem+json" for one in refused)
        assert await ended(api, run_id) == view

        at_once = await asyncio.gather(
            *(api.post(f"/v1/runs/{run_id}/rollback", json={"step": step}) for step in (2, 3))
        )
        assert sorted(one.status_code for one in at_once) in ([202, 202], [202, 409])

        async def over() -> bool:
            return bool((await api.get(f"/v1/runs/{run_id}")).json()["status"] != "running")

        await until(over)
    await log_of(store, run_id)
