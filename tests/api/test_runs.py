"""How a run stands: running, without a worker, ended by itself, ended from outside, unknown."""

from collections.abc import Callable

import httpx
import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.worker import Worker

from elcano.graphs.records import ArchivedRun
from elcano.service.runs import endings
from elcano.storage.store import Store
from tests.api.asking import start

ODD_IDS = ["run-nobody", "x" * 5_000, "%00", "%ED%A0%80", "..%2F..%2Fetc", "' OR 1=1 --", "run%0Ax", "🦆"]


def ended(run_id: str, **changes: object) -> ArchivedRun:
    run = ArchivedRun(
        run_id=run_id, question="q", mode="iterative", status="completed", started_at=1.0, finished_at=2.0
    )
    return run.model_copy(update=changes)


@pytest.mark.usefixtures("worker")
async def test_a_running_run_is_asked(api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    run = (await api.get(f"/v1/runs/{run_id}")).json()
    assert run["status"] == "running"
    assert run["worker"] == "answering"
    assert not run["stale"]
    assert (run["node"], run["stage"], run["steps"], run["evidence"]) == ("thinking", "researching", 6, 1)


async def test_without_a_worker_what_is_stored_is_shown_as_stale(api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    answer = await api.get(f"/v1/runs/{run_id}")
    assert answer.status_code == 200
    assert answer.json()["worker"] == "not answering"
    assert answer.json()["stale"]


async def test_without_temporal_what_is_stored_is_shown_as_stale(
    api: httpx.AsyncClient, away: httpx.AsyncClient
) -> None:
    run_id = await start(api)
    answer = await away.get(f"/v1/runs/{run_id}")
    assert answer.status_code == 200
    assert answer.json()["stale"]


async def test_an_ended_run_needs_nothing_but_the_store(away: httpx.AsyncClient, store: Store) -> None:
    await store.of("default").runs.archive(ended("run-1", evidence=("e-1", "e-2"), iterations=3, steps=9), [])
    run = (await away.get("/v1/runs/run-1")).json()
    assert (run["status"], run["evidence"], run["iterations"], run["steps"]) == ("completed", 2, 3, 9)
    assert run["worker"] is None


@pytest.mark.usefixtures("worker")
async def test_a_run_terminated_from_outside_is_archived(
    api: httpx.AsyncClient, temporal: Client, store: Store
) -> None:
    run_id = await start(api)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("emit", 4)
    assert (await api.get(f"/v1/runs/{run_id}")).json()["last_event"] == 5
    await handle.terminate(reason="enough\x1b\nof this")
    run = (await api.get(f"/v1/runs/{run_id}")).json()
    assert (run["status"], run["failure"]["message"]) == ("terminated", "enough of this")
    assert run["finished_at"] > run["started_at"]
    assert run["steps"] == 6
    events = await store.of("default").runs.events(run_id)
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert events[-1].type == "cancelled"
    assert events[-1].message == "The run was ended from outside: enough of this"
    assert "enough of this" in events[-1].message
    kept = await store.of("default").runs.get(run_id)
    assert kept is not None
    assert kept.status == "terminated"


async def test_a_run_terminated_without_a_worker_keeps_its_events_for_later(
    api: httpx.AsyncClient, temporal: Client, store: Store, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    handle = temporal.get_workflow_handle(run_id)
    async with make_worker():
        await handle.signal("emit", 2)
        assert (await api.get(f"/v1/runs/{run_id}")).json()["last_event"] == 3
    await handle.terminate()
    assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "terminated"
    assert await store.of("default").runs.events(run_id) == []
    async with make_worker():
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "terminated"
    assert [event.seq for event in await store.of("default").runs.events(run_id)] == [1, 2, 3, 4]


@pytest.mark.usefixtures("worker")
async def test_a_workflow_that_failed_without_archiving_is_shown_as_failed(
    api: httpx.AsyncClient, temporal: Client, store: Store
) -> None:
    run_id = await start(api)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("order", "break")
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    run = (await api.get(f"/v1/runs/{run_id}")).json()
    assert run["status"] == "failed"
    assert run["failure"]["type"] == "Broken"
    assert run["failure"]["message"].endswith("a wheel came off")
    assert [event.type for event in await store.of("default").runs.events(run_id)] == ["started", "failed"]


async def test_a_run_that_temporal_never_knew_is_terminated_after_a_grace(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ended("run-lost", status="running", started_at=4_000_000_000.0, finished_at=None)
    await store.of("default").runs.begin(run)
    assert (await api.get("/v1/runs/run-lost")).json()["status"] == "running"
    monkeypatch.setattr(endings, "START_GRACE", -4_000_000_000.0)
    assert (await api.get("/v1/runs/run-lost")).json()["status"] == "terminated"
    assert [event.type for event in await store.of("default").runs.events("run-lost")] == ["cancelled"]


async def test_an_unknown_run_is_not_found(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    whats: list[str] = ["", "/events", "/report", "/evidence"]
    for run_id in ODD_IDS:
        for what in whats:
            with subtests.test(run_id=run_id, what=what):
                answer = await api.get(f"/v1/runs/{run_id}{what}")
                assert answer.status_code == 404
                assert answer.headers["content-type"] == "application/problem+json"


async def test_runs_are_listed_newest_first_in_pages(api: httpx.AsyncClient, store: Store) -> None:
    for number in range(5):
        await store.of("default").runs.archive(
            ended(f"run-{number}", status="failed" if number == 3 else "completed"), []
        )
    first = (await api.get("/v1/runs", params={"limit": 3})).json()
    assert [run["run_id"] for run in first["runs"]] == ["run-4", "run-3", "run-2"]
    second = (await api.get("/v1/runs", params={"limit": 3, "cursor": first["next"]})).json()
    assert [run["run_id"] for run in second["runs"]] == ["run-1", "run-0"]
    assert second["next"] is None
    failed = (await api.get("/v1/runs", params={"status": "failed"})).json()
    assert [run["run_id"] for run in failed["runs"]] == ["run-3"]


async def test_a_list_that_cannot_be_made_is_refused(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["limit=0", "limit=201", "limit=many", "status=lost"]
    for query in cases:
        with subtests.test(query=query):
            answer = await api.get(f"/v1/runs?{query}")
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"] == query.partition("=")[0]


@pytest.mark.usefixtures("worker")
async def test_a_run_is_stopped(api: httpx.AsyncClient, temporal: Client, store: Store) -> None:
    run_id = await start(api)
    answer = await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "We know enough."})
    assert answer.status_code == 202
    assert answer.json() == {"run_id": run_id, "reason": "We know enough."}
    await temporal.get_workflow_handle(run_id).result()
    events = await store.of("default").runs.events(run_id)
    assert [(event.type, event.message) for event in events][1] == ("ending_early", "We know enough.")
    again = await api.post(f"/v1/runs/{run_id}/stop")
    assert again.status_code == 409
    assert again.json()["type"] == "urn:elcano:run-ended"


@pytest.mark.usefixtures("worker")
async def test_a_stop_that_comes_too_late_is_refused(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    refused = await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "refuse me"})
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:elcano:control-refused"
    await temporal.get_workflow_handle(run_id).terminate()
    closed = await api.post(f"/v1/runs/{run_id}/stop")
    assert closed.status_code == 409
    assert closed.json()["type"] == "urn:elcano:run-ended"


async def test_a_stop_that_cannot_work_is_refused(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str]] = [
        ({"reason": "x" * 501}, "reason"),
        ({"reason": "\u0000"}, "reason"),
        ({"why": "x"}, "why"),
        ([], "body"),
    ]
    for body, field in cases:
        with subtests.test(body=body, field=field):
            answer = await api.post("/v1/runs/run-1/stop", json=body)
            assert answer.status_code == 422
            assert [fault["field"] for fault in answer.json()["errors"]] == [field]


async def test_an_unknown_run_cannot_be_stopped(api: httpx.AsyncClient) -> None:
    assert (await api.post("/v1/runs/run-nobody/stop")).status_code == 404


async def test_a_run_terminated_before_any_worker_took_it_up_is_archived(
    api: httpx.AsyncClient, temporal: Client, store: Store, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    await temporal.get_workflow_handle(run_id).terminate(reason="too late")
    async with make_worker():
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "terminated"
    (event,) = await store.of("default").runs.events(run_id)
    assert (event.seq, event.type) == (1, "cancelled")
