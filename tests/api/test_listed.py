"""A run that goes on is listed with where it is; if Temporal says nothing at once, as it was accepted."""

import asyncio
from typing import Any

import httpx
from temporalio.client import Client

from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.api.asking import start
from tests.api.test_steps import ended, scripted


async def listed(api: httpx.AsyncClient) -> Any:
    (run,) = (await api.get("/v1/runs")).json()["runs"]
    return run["status"], run["stage"], run["choice"]


async def test_a_run_that_goes_on_is_listed_with_its_mode_and_stage(
    api: httpx.AsyncClient, away: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str
) -> None:
    async with scripted(temporal, store, task_queue, Script()):
        run_id = await start(api, "a deep one?", mode="auto", approve_plan=True)
        async with asyncio.timeout(150):
            while await listed(api) != ("running", "approval", {"mode": "deep", "reason": ""}):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert await listed(away) == ("running", None, None)
        assert (await api.post(f"/v1/runs/{run_id}/approve")).status_code == 202
        await ended(api, run_id)
    status, stage, choice = await listed(api)
    assert (status, stage, choice["mode"]) == ("completed", None, "deep")
