"""How many runs may be open at once: over it 429, until one ends."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.asking import QUESTION, start
from tests.api.serving import speaking


@pytest.fixture
async def small(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """An API with room for three open runs."""
    async with speaking(make_app(api_settings.model_copy(update={"open_runs": 3}))) as made:
        yield made


@pytest.mark.usefixtures("worker")
async def test_over_the_limit_a_run_is_refused_until_one_ends(small: httpx.AsyncClient, temporal: Client) -> None:
    run_ids = [await start(small) for _ in range(3)]
    headers = {"Idempotency-Key": "fourth"}
    refused = await small.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["retry-after"].isdigit()
    assert refused.json()["type"] == "urn:elcano:too-many-runs"
    assert "3 runs are open" in refused.json()["detail"]
    assert len((await small.get("/v1/runs")).json()["runs"]) == 3
    await temporal.get_workflow_handle(run_ids[0]).signal("order", "complete")
    await temporal.get_workflow_handle(run_ids[0]).result()
    accepted = await small.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert accepted.status_code == 201


async def test_requests_at_once_cannot_all_slip_through(small: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(small.post("/v1/runs", json={"question": QUESTION}) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [429] * 17


async def test_a_run_that_is_open_already_is_answered_in_a_full_house(small: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "mine"}
    first = await small.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    for _ in range(2):
        await start(small)
    again = await small.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert again.status_code == 200
    assert again.json()["run_id"] == first.json()["run_id"]


async def test_what_cannot_work_is_said_before_that_the_house_is_full(small: httpx.AsyncClient) -> None:
    for _ in range(3):
        await start(small)
    assert (await small.post("/v1/runs", json={"question": ""})).status_code == 422


async def test_the_limit_is_documented(api: httpx.AsyncClient, store: Store) -> None:
    document = (await api.get("/openapi.json")).json()
    assert "too-many-runs" in document["paths"]["/v1/runs"]["post"]["responses"]["429"]["description"]
