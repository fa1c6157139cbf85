"""A run that was deleted is gone: from answers, lists, streams and Temporal, with its sections. It stays so."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.graphs.contracts import BranchOf
from elcano.service.errors import RunNotFound
from elcano.service.events.journal_merge import Cursor
from elcano.service.runs import endings
from elcano.service.runs.endings import archive_if_ended
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.storage.store import Store, TenantStore
from tests.api.asking import start
from tests.api.branching import ONE, Told
from tests.api.serving import connecting
from tests.api.test_runs import ended


async def finish(temporal: Client, run_id: str) -> None:
    await temporal.get_workflow_handle(run_id).signal("order", "complete")
    await temporal.get_workflow_handle(run_id).result()


async def forgotten(temporal: Client, run_id: str) -> None:
    """Returns once Temporal has no execution of the run or of its branches."""
    query = f"WorkflowId = '{run_id}' OR WorkflowId STARTS_WITH '{run_id}.'"
    async with asyncio.timeout(30):
        while [found async for found in temporal.list_workflows(query)]:  # noqa: ASYNC110 - the server says nothing
            await asyncio.sleep(0.05)


@pytest.mark.usefixtures("worker")
async def test_a_run_that_goes_on_is_refused(api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    refused = await api.delete(f"/v1/runs/{run_id}")
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:elcano:delete-refused"
    assert f"POST /v1/runs/{run_id}/stop" in refused.json()["detail"]
    assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "running"


@pytest.mark.usefixtures("worker")
async def test_a_run_that_ended_is_gone_everywhere(api: httpx.AsyncClient, temporal: Client) -> None:
    headers = {"Idempotency-Key": "mine"}
    asked = await api.post("/v1/runs", json={"question": "Why?"}, headers=headers)
    run_id, kept = asked.json()["run_id"], await start(api)
    for one in (run_id, kept):
        await finish(temporal, one)
    assert (await api.get(f"/v1/runs/{run_id}/events")).text.count("event: complete") == 1
    deleted = await api.delete(f"/v1/runs/{run_id}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    for path in ("", "/events", "/report", "/evidence"):
        assert (await api.get(f"/v1/runs/{run_id}{path}")).status_code == 404
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 404
    assert [run["run_id"] for run in (await api.get("/v1/runs")).json()["runs"]] == [kept]
    await forgotten(temporal, run_id)
    again = await api.post("/v1/runs", json={"question": "Why?"}, headers=headers)
    assert again.status_code == 201
    assert again.json()["run_id"] != run_id


@pytest.mark.usefixtures("worker")
async def test_sections_and_earlier_histories_go_with_their_run(
    api: httpx.AsyncClient, temporal: Client, store: Store
) -> None:
    run_id = await start(api)
    run = Told(temporal, run_id)
    await run.begin(ONE)
    await run.begin(ONE, "0002.inner")
    await run.finish(ONE, "0002.inner")
    await run.finish(ONE)
    await run.of().signal("order", "continue")
    await finish(temporal, run_id)
    refused = await api.delete(f"/v1/runs/{run_id}.{ONE}")
    assert refused.status_code == 409
    assert f"with its run '{run_id}'" in refused.json()["detail"]
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
    await forgotten(temporal, run_id)
    for one in (run_id, f"{run_id}.{ONE}", f"{run_id}.{ONE}.0002.inner"):
        assert await store.of("default").runs.get(one) is None


async def test_a_run_waits_for_its_sections_to_end(
    api: httpx.AsyncClient, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    run = Told(temporal, run_id)
    async with make_worker():
        await run.begin(ONE)
        await run.emit(ONE)
    await run.of().terminate(reason="enough")  # its section is asked to end, and nobody is there to hear it
    async with asyncio.timeout(30):
        while "0004" not in (refused := await api.delete(f"/v1/runs/{run_id}")).json().get("detail", ""):
            assert refused.status_code == 409
    assert f"{run_id}.{ONE}' has not ended" in refused.json()["detail"]
    async with make_worker(), asyncio.timeout(30):
        while (await api.delete(f"/v1/runs/{run_id}")).status_code != 204:  # noqa: ASYNC110 - sections end by themselves
            await asyncio.sleep(0.05)
    await forgotten(temporal, run_id)


@pytest.mark.usefixtures("worker")
async def test_a_run_that_was_ended_from_outside_can_be_deleted(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    await temporal.get_workflow_handle(run_id).terminate(reason="enough")
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
    await forgotten(temporal, run_id)


async def test_a_run_that_temporal_forgot_can_be_deleted(api: httpx.AsyncClient, store: Store) -> None:
    await store.of("default").runs.archive(ended("run-1"), [])
    assert (await api.delete("/v1/runs/run-1")).status_code == 204
    assert (await api.get("/v1/runs/run-1")).status_code == 404


async def test_a_run_that_stored_its_ending_is_not_held_back_by_its_last_task(
    api: httpx.AsyncClient, temporal: Client, store: Store
) -> None:
    """The worker was stopped between the two; nobody would ever do that task."""
    run_id = await start(api)
    execution = (await temporal.get_workflow_handle(run_id).describe()).run_id
    runs = store.of("default").runs
    await runs.archive(ended(run_id).model_copy(update={"execution": "an earlier one"}), [])
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 409, "it was reset, and goes on"
    await runs.archive(ended(run_id).model_copy(update={"execution": execution}), [])
    assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
    await forgotten(temporal, run_id)


async def test_nothing_is_deleted_while_temporal_is_away(away: httpx.AsyncClient, store: Store) -> None:
    await store.of("default").runs.archive(ended("run-1"), [])
    assert (await away.delete("/v1/runs/run-1")).status_code == 503
    assert (await away.get("/v1/runs/run-1")).json()["status"] == "completed"


@pytest.mark.usefixtures("worker")
async def test_who_reads_an_ended_run_reads_it_to_its_end(
    app: FastAPI, api: httpx.AsyncClient, temporal: Client
) -> None:
    run_id = await start(api)
    await temporal.get_workflow_handle(run_id).signal("emit", 150)
    await finish(temporal, run_id)
    feeds = app.state.feeds
    async with feeds.open("default", run_id) as feed:
        reading = feed.follow(Cursor())
        first = await anext(reading)
        assert (await api.delete(f"/v1/runs/{run_id}")).status_code == 204
        rest = [item async for batch in reading for item in batch]
    assert len(first) + len(rest) == 152
    with pytest.raises(RunNotFound):
        async with feeds.open("default", run_id):
            pass


async def test_a_deleted_run_does_not_come_back(
    temporal: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody follows a run or a section of it, and finds only later that its workflow is not there."""
    monkeypatch.setattr(endings, "START_GRACE", 0.0)
    own: TenantStore = store.of("default")
    run = ended("run-1", status="running", finished_at=None)
    section = ended("run-1.0004.a", status="running", branch_of=BranchOf(run_id="run-1", path="0004.a", section="A"))
    for one in (run, section):
        with pytest.raises(RunNotFound):
            await archive_if_ended(one, Temporal(Connection(connecting(temporal)), "nobody's"), own)
        assert await own.runs.get(one.run_id) is None
