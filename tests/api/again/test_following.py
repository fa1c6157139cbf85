"""Runs that follow other ones: they know what was asked and answered, may cite what was found, and say whom."""

from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.state.state import MOST_ENTRIES
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Json, Provider, ended, log_of, until, working
from tests.api.asking import start
from tests.api.serving import speaking
from tests.cases import long_case

FURTHER = "And for activities?"


def of_run(provider: Provider, question: str) -> list[TaskEnvelope]:
    return [task for task in provider.model.tasks if question in task.question]


async def refused(api: httpx.AsyncClient, run_id: str) -> str:
    """Why a run cannot be followed."""
    answer = await api.post("/v1/runs", json={"question": FURTHER, "mode": "iterative", "previous_run": run_id})
    assert answer.status_code == 422, answer.text
    (fault,) = answer.json()["errors"]
    assert fault["field"] == "previous_run"
    said: str = fault["message"]
    return said


@pytest.mark.parametrize(
    ("mode", "use_graph"), [("iterative", True), long_case("simple", False), long_case("deep", True)]
)
async def test_a_run_knows_what_was_asked_and_answered_before(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, mode: str, use_graph: bool
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        before = await start(api, QUESTION, mode=mode, use_graph=use_graph)
        first = await ended(api, before)
        found = (await api.get(f"/v1/runs/{before}/evidence")).json()["evidence"]
        assert not any(task.history for task in provider.model.tasks)
        provider.model.tasks.clear()
        run_id = await start(api, FURTHER, mode=mode, use_graph=use_graph, previous_run=before)
        view = await ended(api, run_id)
        assert (view["status"], view["previous_run"], view["question"]) == (first["status"], before, FURTHER)
        assert provider.model.tasks
        for task in provider.model.tasks:
            if task.kind == "reviewer":
                continue
            (entry,) = task.history
            assert (entry.run_id, entry.question, entry.status) == (before, QUESTION, first["status"])
            assert entry.answer
        log = await log_of(store, run_id)
        assert log.run.state.question == f"{FURTHER} (retries belong)"
        assert log.asked.question == FURTHER
        assert log.run.state.history[0].report == first["report"]["artifact"]
        own = (await api.get(f"/v1/runs/{run_id}/evidence")).json()["evidence"]
        assert {one["id"] for one in found} <= {one["id"] for one in own}
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        assert f"Follows the run {before}: {QUESTION}" in report.replace("\\", "")
        assert compare_certificate((await api.get(f"/v1/runs/{run_id}/certificate")).content).faults == ()

        assert (await api.delete(f"/v1/runs/{before}")).status_code == 204
        still = (await api.get(f"/v1/runs/{run_id}/evidence")).json()["evidence"]
        assert still == own
        assert "it was deleted" in await refused(api, before)


@pytest.mark.long
async def test_what_was_found_before_is_cited_though_nothing_is_found_now(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        before = await start(api, QUESTION, mode="simple")
        await ended(api, before)
        run_id = await start(api, "Xylophones of zanzibar?", mode="simple", previous_run=before)
        assert (await ended(api, run_id))["report"]["references"] > 0
        fork = await api.post(f"/v1/runs/{run_id}/fork", json={"step": 2, "question": "Another one?"})
        forked = await ended(api, fork.json()["run_id"])
        assert forked["previous_run"] == before
        assert (await log_of(store, forked["run_id"])).run.state.question == "Another one?"


@pytest.mark.long
async def test_a_long_conversation_is_cut_and_keeps_its_subject(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="simple")
        await ended(api, run_id)
        for turn in range(MOST_ENTRIES + 1):
            run_id = await start(api, f"And in {2000 + turn}?", mode="simple", previous_run=run_id)
            view: Json = await ended(api, run_id)
            assert view["status"] == "completed"
        state = (await log_of(store, run_id)).run.state
    assert len(state.history) == MOST_ENTRIES
    assert [entry.question for entry in state.history] == [f"And in {2000 + turn}?" for turn in range(MOST_ENTRIES)]
    assert state.question == f"And in {2000 + MOST_ENTRIES}? (retries belong)"
    assert len(state.evidence) <= 40


async def test_a_run_that_failed_is_followed_as_far_as_it_got(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.off.add(("writer", ""))
    async with working(temporal, store, api_settings, provider):
        before = await start(api, QUESTION, mode="simple")
        first = await ended(api, before)
        assert first["status"] == "failed"
        provider.off.clear()
        run_id = await start(api, FURTHER, mode="simple", previous_run=before)
        assert (await ended(api, run_id))["status"] == "completed"
        (entry,) = (await log_of(store, run_id)).run.state.history
    assert (entry.status, entry.answer) == ("failed", "It was not answered.")
    assert "refused" in entry.ending


async def test_what_cannot_be_followed_is_named(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    provider.slow[("synthesizer", "")] = 30.0
    provider.slow[("long_writer_section", "")] = 30.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")

        async def sections() -> bool:
            return len((await api.get(f"/v1/runs/{run_id}")).json()["branches"]) == 2

        await until(sections)
        assert "has not ended" in await refused(api, run_id)
        branch = (await api.get(f"/v1/runs/{run_id}")).json()["branches"][0]["run_id"]
        answer = await api.post("/v1/runs", json={"question": FURTHER, "previous_run": branch})
        assert answer.status_code == 422
        await api.post(f"/v1/runs/{run_id}/cancel", json={})
        await ended(api, run_id)
        assert "deleted, or never was" in await refused(api, "default-01kb1q3yw5v7c8m2n4p6r8t0vx")
        two = {"question": FURTHER, "previous_run": "default-01kb1q3yw5v7c8m2n4p6r8t0vx", "sources": ["nowhere"]}
        both = (await api.post("/v1/runs", json=two)).json()["errors"]
        assert {fault["field"] for fault in both} == {"previous_run", "sources"}
        assert (await api.post("/v1/runs", json={"question": FURTHER, "previous_run": "../x"})).status_code == 422


async def test_another_tenant_has_no_such_run(
    make_app: Callable[[Settings], FastAPI],
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
) -> None:
    app = make_app(api_settings.model_copy(update={"tenant_header": "X-Tenant"}))
    async with working(temporal, store, api_settings, Provider()), speaking(app) as theirs:
        before = await start(api, QUESTION, mode="simple")
        await ended(api, before)
        theirs.headers["X-Tenant"] = "another"
        assert "deleted, or never was" in await refused(theirs, before)
        theirs.headers["X-Tenant"] = "default"
        assert (await ended(theirs, await start(theirs, FURTHER, mode="simple", previous_run=before)))["report"]


async def test_without_a_key_a_question_without_a_subject_is_answered(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider):
        before = await start(api, QUESTION, mode="simple", model="offline")
        await ended(api, before)
        run_id = await start(api, "Why?", mode="simple", model="offline", previous_run=before)
        await ended(api, run_id)
        turns = (await log_of(store, run_id)).run.state.conversation
    assert "Why? (retries belong)" in {call.query for turn in turns for call in turn.tool_calls}
