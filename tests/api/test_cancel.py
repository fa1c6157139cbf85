"""Cancelling over HTTP: accepted whoever works, refused with a reason once the run has ended, and what is left."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.worker import Worker

from elcano.graphs.state.failures import Cancellation
from elcano.service.control import requests
from elcano.service.runs.run_status import current_run
from tests.api.again import going_on
from tests.api.asking import start


async def ended(temporal: Client, run_id: str) -> None:
    with pytest.raises(WorkflowFailureError):
        await temporal.get_workflow_handle(run_id).result()


async def reason_of(temporal: Client, run_id: str) -> Cancellation:
    """What Temporal was told."""
    history = await temporal.get_workflow_handle(run_id).fetch_history()
    (asked,) = [
        event.workflow_execution_cancel_requested_event_attributes
        for event in history.events
        if event.HasField("workflow_execution_cancel_requested_event_attributes")
    ]
    return Cancellation.read(asked.cause)


@pytest.mark.usefixtures("worker")
async def test_a_run_is_cancelled_once_however_often_it_is_asked_for(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    first = await api.post(f"/v1/runs/{run_id}/cancel", json={"reason": "wrong question"})
    assert first.status_code == 202
    assert first.json() == {"run_id": run_id, "reason": "wrong question", "worker": "polling"}
    again = await api.post(f"/v1/runs/{run_id}/cancel")
    assert again.status_code == 202
    await ended(temporal, run_id)
    assert (await temporal.get_workflow_handle(run_id).describe()).status == WorkflowExecutionStatus.CANCELED
    assert await reason_of(temporal, run_id) == Cancellation(reason="wrong question")
    assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "cancelled"
    assert (await api.get(f"/v1/runs/{run_id}/evidence")).status_code == 200
    late = await api.post(f"/v1/runs/{run_id}/cancel")
    assert late.status_code == 202  # whose first answer was lost is told the same


@pytest.mark.usefixtures("worker")
async def test_a_run_that_is_cancelled_while_it_is_asked_for_again_is_as_it_was_wanted(
    api: httpx.AsyncClient, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await start(api)
    await api.post(f"/v1/runs/{run_id}/cancel")
    await ended(temporal, run_id)

    async def as_before(*asked: Any) -> Any:
        return (await current_run(*asked)).model_copy(update={"status": "running"})

    monkeypatch.setattr(requests, "current_run", as_before)
    again = await api.post(f"/v1/runs/{run_id}/cancel")
    assert again.status_code == 202, again.text


@pytest.mark.usefixtures("worker")
async def test_a_run_that_ended_otherwise_cannot_be_cancelled(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    await temporal.get_workflow_handle(run_id).terminate()
    view = await going_on.ended(api, run_id)
    late = await api.post(f"/v1/runs/{run_id}/cancel")
    assert (late.status_code, late.json()["type"]) == (409, "urn:elcano:run-ended")
    assert f"has ended: {view['status']}; there is nothing to cancel" in late.json()["detail"]


async def test_without_a_worker_it_is_accepted_and_says_so(
    api: httpx.AsyncClient, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    for _ in range(2):
        answer = await api.post(f"/v1/runs/{run_id}/cancel")
        assert (answer.status_code, answer.json()["worker"]) == (202, "not polling"), answer.text
    async with make_worker():
        await ended(temporal, run_id)
    assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "cancelled"


async def test_a_run_that_never_was_cannot_be_cancelled(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/runs/run-nobody/cancel")
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:run-not-found")


@pytest.mark.parametrize(
    ("body", "field"), [({"reason": "x" * 501}, "reason"), ({"reason": "\x07"}, "reason"), ({"why": "x"}, "why")]
)
async def test_a_reason_that_cannot_be_shown_is_refused(api: httpx.AsyncClient, body: object, field: str) -> None:
    answer = await api.post("/v1/runs/run-1/cancel", json=body)
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["errors"]] == [field]


async def test_without_temporal_nothing_is_known(away: httpx.AsyncClient) -> None:
    assert (await away.post("/v1/runs/run-1/cancel")).status_code == 404
