"""Runs that the store believes open are compared with Temporal, and settled by what it says."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client, WorkflowFailureError
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.records import ArchivedRun
from elcano.service.errors import TemporalRefused, TemporalUnavailable
from elcano.service.runs import endings
from elcano.service.runs.endings import Reconciler
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings.settings import Settings
from elcano.storage.objects import payloads_of
from elcano.storage.store import Store
from tests.api.asking import QUESTION, start
from tests.api.serving import connecting, speaking

Look: TypeAlias = Callable[[], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs count as old at once."""
    monkeypatch.setattr("elcano.service.runs.endings.START_GRACE", 0.0)


@pytest.fixture
async def look(temporal: Client, store: Store, task_queue: str) -> Look:
    """One look of a reconciler."""
    return Reconciler(Temporal(Connection(connecting(temporal)), task_queue), store).look


async def listed(api: httpx.AsyncClient) -> dict[str, str]:
    return {run["run_id"]: run["status"] for run in (await api.get("/v1/runs")).json()["runs"]}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception, *, sent: bool) -> None:
    """Has starts end in `error`; the workflow is started nevertheless if it was `sent`."""
    real = Temporal.start

    async def fails(self: Temporal, *given: object) -> bool:
        if sent:
            await real(self, *given)  # type: ignore[arg-type]
        raise error

    monkeypatch.setattr(Temporal, "start", fails)


async def test_a_start_that_was_refused_leaves_nothing(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Idempotency-Key": "refused"}
    with monkeypatch.context() as broken:
        failing(broken, TemporalRefused("no such namespace"), sent=False)
        answer = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert answer.status_code == 502
    assert await listed(api) == {}
    assert await store.open_runs(limit=9) == []
    again = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert again.status_code == 201
    assert await listed(api) == {again.json()["run_id"]: "running"}


async def test_a_start_that_is_not_known_stays_though_the_next_one_is_refused(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Idempotency-Key": "lost and refused"}
    for error in (TemporalUnavailable("the connection broke off"), TemporalRefused("no such namespace")):
        with monkeypatch.context() as broken:
            failing(broken, error, sent=False)
            await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    (kept,) = await store.open_runs(limit=9)
    again = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert (again.status_code, again.json()["run_id"]) == (201, kept.run.run_id)


@pytest.mark.parametrize("sent", [False, True])
async def test_a_start_that_is_not_known_is_not_listed_before_it_is(
    api: httpx.AsyncClient,
    store: Store,
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
    sent: bool,
) -> None:
    headers = {"Idempotency-Key": f"lost-{sent}"}
    with monkeypatch.context() as broken:
        failing(broken, TemporalUnavailable("the connection broke off"), sent=sent)
        answer = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert answer.status_code == 503
    assert await listed(api) == {}
    (kept,) = await store.open_runs(limit=9)
    await look()
    assert await listed(api) == ({kept.run.run_id: "running"} if sent else {})
    assert len(await store.open_runs(limit=9)) == sent
    again = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert again.status_code == (200 if sent else 201)
    assert await listed(api) == {kept.run.run_id: "running"}


@pytest.mark.usefixtures("worker")
async def test_runs_that_ended_without_a_word_are_settled_in_the_list(
    api: httpx.AsyncClient, temporal: Client, store: Store, look: Look
) -> None:
    going, killed, done = [await start(api) for _ in range(3)]
    await temporal.get_workflow_handle(killed).terminate(reason="enough")
    await temporal.get_workflow_handle(done).signal("order", "complete")
    await temporal.get_workflow_handle(done).result()
    assert await listed(api) == {going: "running", killed: "running", done: "completed"}
    await asyncio.gather(look(), look())
    await look()
    assert await listed(api) == {going: "running", killed: "terminated", done: "completed"}
    assert [event.type for event in await store.of("default").runs.events(killed)] == ["started", "cancelled"]


async def test_every_open_run_is_looked_at_in_turn(
    api: httpx.AsyncClient,
    temporal: Client,
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endings, "BATCH", 2)
    runs = [await start(api) for _ in range(5)]
    for run_id in runs:
        await temporal.get_workflow_handle(run_id).terminate()
    for settled in (2, 4, 5):
        await look()
        assert list((await listed(api)).values()).count("terminated") == settled


async def test_a_young_run_is_left_alone(store: Store, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.service.runs.endings.START_GRACE", 60.0)
    run = ArchivedRun(run_id="run-1", question="q", mode="iterative", status="running", started_at=time.time())
    await store.of(run.tenant).admission.admit(run, 9)
    await look()
    assert [kept.run for kept in await store.open_runs(limit=9)] == [run]


async def test_a_run_that_cannot_be_settled_does_not_keep_the_others(
    api: httpx.AsyncClient,
    temporal: Client,
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    odd, killed = [await start(api) for _ in range(2)]
    await temporal.get_workflow_handle(killed).terminate()
    real = Temporal.describe

    async def describe(self: Temporal, run_id: str) -> object:
        if run_id == odd:
            raise TemporalRefused("not yours")
        return await real(self, run_id)

    monkeypatch.setattr(Temporal, "describe", describe)
    await look()
    assert await listed(api) == {odd: "running", killed: "terminated"}
    assert odd in caplog.text


async def test_while_temporal_is_away_nothing_is_settled(
    api: httpx.AsyncClient,
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    for _ in range(3):
        await start(api)

    async def describe(self: Temporal, run_id: str) -> object:
        asked.append(run_id)
        raise TemporalUnavailable("away")

    monkeypatch.setattr(Temporal, "describe", describe)
    with pytest.raises(TemporalUnavailable, match="away"):
        await look()
    assert len(asked) == 1
    assert set((await listed(api)).values()) == {"running"}


async def test_an_api_process_reconciles_by_itself(
    store: Store,
    make_app: Callable[[Settings], FastAPI],
    api_settings: Settings,
    temporal: Client,
) -> None:
    ghost = ArchivedRun(run_id="run-ghost", question="q", mode="iterative", status="running", started_at=1.0)
    await store.of(ghost.tenant).admission.admit(ghost, 9)
    often = make_app(api_settings.model_copy(update={"reconcile_seconds": 0.05}))
    async with speaking(often) as api:
        killed = await start(api)
        await temporal.get_workflow_handle(killed).terminate()
        async with asyncio.timeout(30):
            while await store.open_runs(limit=9):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)
        assert await listed(api) == {killed: "terminated"}
        assert (await api.get("/v1/runs/run-ghost")).status_code == 404


async def test_a_namespace_that_is_not_there_is_a_refusal(
    api: httpx.AsyncClient, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuses(*_: object, **__: object) -> None:
        raise RPCError("Namespace nowhere is not found.", RPCStatusCode.NOT_FOUND, b"")

    monkeypatch.setattr(temporal, "start_workflow", refuses)
    answer = await api.post("/v1/runs", json={"question": QUESTION})
    assert answer.status_code == 502
    assert answer.json()["type"] == "urn:elcano:temporal-refused"
    assert await listed(api) == {}


@pytest.mark.usefixtures("worker")
async def test_a_run_of_which_a_payload_is_lost_is_settled_and_so_are_those_behind_it(
    api: httpx.AsyncClient, temporal: Client, store: Store, look: Look, payload_dir: Path
) -> None:
    broken, killed = [await start(api) for _ in range(2)]
    handle = temporal.get_workflow_handle(broken)
    await handle.signal("order", "break at length")
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    await temporal.get_workflow_handle(killed).terminate()
    lost = [path for path in (payload_dir / payloads_of(broken)).rglob("*") if path.is_file()]
    assert lost
    for path in lost:
        path.unlink()
    await look()
    assert await listed(api) == {broken: "failed", killed: "terminated"}
    assert await store.open_runs(limit=9) == []
    failure = (await api.get(f"/v1/runs/{broken}")).json()["failure"]
    assert "cannot be read" in failure["message"]


async def test_whatever_is_wrong_with_one_run_is_nothing_to_the_others(
    api: httpx.AsyncClient, temporal: Client, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, killed = [await start(api) for _ in range(2)]
    await temporal.get_workflow_handle(killed).terminate()
    real = Temporal.describe

    async def describe(self: Temporal, run_id: str) -> object:
        if run_id == odd:
            raise FileNotFoundError("payloads/run/0123")
        return await real(self, run_id)

    monkeypatch.setattr(Temporal, "describe", describe)
    await look()
    assert await listed(api) == {odd: "running", killed: "terminated"}


async def test_a_run_of_which_temporal_never_answers_does_not_keep_the_others(
    api: httpx.AsyncClient, temporal: Client, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, killed = [await start(api) for _ in range(2)]
    await temporal.get_workflow_handle(killed).terminate()
    real = Temporal.describe

    async def describe(self: Temporal, run_id: str) -> object:
        if run_id == slow:
            raise TemporalUnavailable("it takes too long")
        return await real(self, run_id)

    monkeypatch.setattr(Temporal, "describe", describe)
    with pytest.raises(TemporalUnavailable):
        await look()
    await look()
    assert await listed(api) == {slow: "running", killed: "terminated"}
