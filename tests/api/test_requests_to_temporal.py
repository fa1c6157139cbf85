"""What a look at a run costs Temporal: one request where that is enough, and never one a look and a section."""

import asyncio
from collections import Counter

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.frozen import JsonObject
from elcano.service.temporal.connection import Connection
from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.api.again.going_on import ended
from tests.api.again.test_steps import scripted, until
from tests.api.asking import start

SECTIONS = 3


async def test_who_watches_a_run_asks_temporal_once_a_look(
    api: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    real = Connection.client

    async def client(self: Connection) -> Client:
        """Each request begins with the client."""
        asked["requests"] += 1
        return await real(self)

    script, go_on = Script(), asyncio.Event()

    async def watching(given: JsonObject) -> None:
        if str(given["question"]).startswith("What of "):
            await go_on.wait()

    script.watching = watching
    async with scripted(temporal, store, task_queue, script):
        run_id = await start(api, mode="deep")
        path = f"/v1/runs/{run_id}"

        def all_wait(run: JsonObject) -> bool:
            pending = run["pending"]
            return isinstance(pending, list) and len(pending) == SECTIONS

        await until(api, path, all_wait)
        monkeypatch.setattr(Connection, "client", client)
        quick = (await api.get(path, params={"pending": "false"})).json()
        assert asked["requests"] == 1
        assert (quick["status"], quick["pending"], quick["stale"]) == ("running", [], False)
        assert quick["budget"]["used"]["tokens"] > 0
        asked.clear()
        await asyncio.gather(*(api.get(path) for _ in range(5)))
        assert asked["requests"] <= 5 * 2 + SECTIONS
        monkeypatch.undo()
        go_on.set()
        await ended(api, run_id)
