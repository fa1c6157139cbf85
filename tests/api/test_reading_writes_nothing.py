"""Looking at a run leaves nothing behind, however often it is done, whatever is asked and however large the run is.

Answers of queries travel by themselves: they are no objects, and need no place that can be written.
"""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from string import ascii_letters

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.errors import StoreUnavailable
from elcano.storage.objects import Objects
from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.api.again.test_steps import scripted, until
from tests.api.asking import start
from tests.api.every_route import routes

LOOKS = 5
LARGE = "".join(random.Random(1).choices(f"{ascii_letters}     ", k=45_000))
"""Text that no compression makes small."""


@pytest.fixture
async def large_run(api: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str) -> AsyncIterator[str]:
    """A run that waits for budget, with a graph, an input and a log that are each too large for a history."""
    script = Script(complete_in=3, tokens=10_000)
    script.overrides["thinking"] = lambda given: {"thought": LARGE[:4_000]}
    async with scripted(temporal, store, task_queue, script):
        run_id = await start(
            api, background=LARGE, instructions=LARGE[:4_000], budget={"tokens": 32_000, "when_exhausted": "pause"}
        )
        await until(api, f"/v1/runs/{run_id}", lambda run: (run.get("hold") or {}).get("reason") == "budget")
        yield run_id


def objects_below(*folders: Path) -> set[Path]:
    return {path for folder in folders for path in folder.rglob("*") if path.is_file() and "payloads" in path.parts}


async def look_at_everything(api: httpx.AsyncClient, served: str, run_id: str) -> dict[str, int]:
    """The status of every GET there is that is about a run; of the stream its first messages."""
    document = (await api.get("/openapi.json")).json()
    found: dict[str, int] = {}
    for route in routes(document):
        if route.method != "get" or not route.about_a_run or route.path.endswith("/events"):
            continue
        found[route.path] = (await route.ask(api, run_id)).status_code
    path = f"{served}/v1/runs/{run_id}/events"
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client, client.stream("GET", path) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: thinking"):
                break
    found["/v1/runs/{run_id}/events"] = stream.status_code
    return found


async def test_a_run_that_is_looked_at_leaves_no_object(
    api: httpx.AsyncClient, served: str, large_run: str, payload_dir: Path, tmp_path: Path
) -> None:
    before = objects_below(payload_dir, tmp_path)
    assert before, "the run itself has payloads that are objects"
    for _ in range(LOOKS):
        await look_at_everything(api, served, large_run)
        await api.get("/v1/runs")
    assert objects_below(payload_dir, tmp_path) == before


@pytest.mark.long
async def test_a_run_can_be_looked_at_while_no_object_can_be_written(
    api: httpx.AsyncClient, served: str, large_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = await look_at_everything(api, served, large_run)
    assert 200 in expected.values()

    async def full(self: Objects, key: str, data: bytes) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(Objects, "put", full)
    assert await look_at_everything(api, served, large_run) == expected
