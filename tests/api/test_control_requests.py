"""A control request has an id: sent again it gets its first answer, and is done once however often it is sent."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from tests.api.asking import start

KEY = {"Idempotency-Key": "more-1"}
MORE = {"tokens": 50_000}
GIVEN = default_limits(MODES["iterative"]).tokens


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.service.temporal.client.UPDATE_TIMEOUT", timedelta(seconds=1))


@pytest.mark.usefixtures("impatient")
async def test_a_top_up_that_nobody_took_yet_counts_once_when_it_is_sent_again(
    api: httpx.AsyncClient, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    unknown = [await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY) for _ in range(2)]
    for answer in unknown:
        assert answer.status_code == 503
        assert answer.json()["type"] == "urn:elcano:outcome-unknown"
        assert answer.headers["idempotency-key"] == "more-1"
        assert answer.headers["retry-after"].isdigit()
        assert "may still be applied" in answer.json()["detail"]
    async with make_worker():
        for _ in range(2):
            answer = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY)
            assert answer.status_code == 202
            assert answer.json()["limits"]["tokens"] == GIVEN + 50_000
        other = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers={"Idempotency-Key": "more-2"})
        assert other.json()["limits"]["tokens"] == GIVEN + 100_000


@pytest.mark.usefixtures("impatient")
async def test_a_request_without_a_key_is_given_one_to_ask_again_with(
    api: httpx.AsyncClient, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    unknown = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE)
    key = unknown.headers["idempotency-key"]
    assert key in unknown.json()["detail"]
    async with make_worker():
        answer = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers={"Idempotency-Key": key})
        assert answer.json()["limits"]["tokens"] == GIVEN + 50_000
        assert answer.headers["idempotency-key"] == key
        fresh = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE)
        assert fresh.json()["limits"]["tokens"] == GIVEN + 100_000
        assert fresh.headers["idempotency-key"] != key


@pytest.mark.usefixtures("worker")
async def test_a_key_belongs_to_what_it_was_sent_with_first(api: httpx.AsyncClient) -> None:
    run_id, other = await start(api), await start(api)
    first = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY)
    for path, body in (("top-up", {"tokens": 1}), ("stop", {}), ("stop", None)):
        refused = await api.post(f"/v1/runs/{run_id}/{path}", json=body, headers=KEY)
        assert refused.status_code == 422
        assert refused.json()["type"] == "urn:elcano:key-reused"
    same = await api.post(
        f"/v1/runs/{run_id}/top-up",
        content='{ "steps": 0, "tokens":50000}',
        headers={**KEY, "Content-Type": "application/json"},
    )
    assert same.json() == first.json()
    elsewhere = await api.post(f"/v1/runs/{other}/top-up", json={"tokens": 1}, headers=KEY)
    assert elsewhere.json()["limits"]["tokens"] == GIVEN + 1


@pytest.mark.usefixtures("worker")
async def test_a_refusal_stays_a_refusal(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("refuse", "the moment is bad")
    first = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY)
    await handle.signal("refuse", "")
    again = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY)
    for refused in (first, again):
        assert refused.status_code == 409
        assert refused.json()["type"] == "urn:elcano:control-refused"
        assert "the moment is bad" in refused.json()["detail"]
    other = await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers={"Idempotency-Key": "later"})
    assert other.status_code == 202


@pytest.mark.usefixtures("worker")
async def test_the_first_answer_is_given_after_the_end_too(api: httpx.AsyncClient, temporal: Client) -> None:
    run_id = await start(api)
    stopped = await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "Enough."}, headers=KEY)
    await temporal.get_workflow_handle(run_id).result()
    again = await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "Enough."}, headers=KEY)
    assert (again.status_code, again.json()) == (202, stopped.json())
    late = await api.post(f"/v1/runs/{run_id}/stop", json={"reason": "Enough."})
    assert late.json()["type"] == "urn:elcano:run-ended"


@pytest.mark.usefixtures("impatient")
async def test_what_became_of_a_request_can_be_learnt_after_the_end(
    api: httpx.AsyncClient, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start(api)
    assert (await api.post(f"/v1/runs/{run_id}/stop", headers=KEY)).status_code == 503
    async with make_worker():
        await temporal.get_workflow_handle(run_id).result()
        learnt = await api.post(f"/v1/runs/{run_id}/stop", headers=KEY)
        assert learnt.status_code == 202
    gone = await start(api)
    assert (await api.post(f"/v1/runs/{gone}/stop", headers=KEY)).status_code == 503
    await temporal.get_workflow_handle(gone).terminate()
    refused = await api.post(f"/v1/runs/{gone}/stop", headers=KEY)
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:elcano:run-ended"


@pytest.mark.usefixtures("worker")
async def test_two_api_processes_know_the_same_keys(served: str, other: str) -> None:
    async with (
        httpx.AsyncClient(base_url=served, timeout=60) as one,
        httpx.AsyncClient(base_url=other, timeout=60) as two,
    ):
        run_id = await start(one)
        answers = [await api.post(f"/v1/runs/{run_id}/top-up", json=MORE, headers=KEY) for api in (one, two, one)]
    assert [answer.json()["limits"]["tokens"] for answer in answers] == [GIVEN + 50_000] * 3


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_a_key_that_cannot_work_is_refused(api: httpx.AsyncClient, key: str) -> None:
    answer = await api.post("/v1/runs/run-1/stop", headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "idempotency-key"


async def test_without_temporal_a_request_was_certainly_not_applied(
    api: httpx.AsyncClient, away: httpx.AsyncClient
) -> None:
    run_id = await start(api)
    answer = await away.post(f"/v1/runs/{run_id}/stop", headers=KEY)
    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:elcano:temporal-unavailable"
