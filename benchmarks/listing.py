"""How soon runs are listed, 100 that go on among 5,000 that ended, and what it costs to look at each that goes on.

    python -m benchmarks listing

Compared within one run: with a page of ended runs, for which Temporal is not asked, and with one query to Temporal's
own list for the same runs, which follows what happens instead of telling it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import httpx
from temporalio.client import Client

from benchmarks.server import temporal_server
from elcano.api.app import create_app
from elcano.api.temporal import executions
from elcano.graphs.records import ArchivedRun
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store

ENDED, OPEN = 5_000, 100
IN_TEMPORAL = 1_000
"""Ended workflows that Temporal still has; more take minutes to make, and none of them is looked at."""
SAMPLE = 30
READERS = 20
"""That ask at once."""
AT_ONCE = 8


async def main() -> None:
    """Prints milliseconds."""
    with TemporaryDirectory() as folder:
        settings = Settings(_env_file=None, data_dir=Path(folder), package_readmes=True)
        async with temporal_server() as client, open_store(settings.data_dir) as store:

            async def connected() -> Client:
                return client

            app = create_app(settings, store=store, client=connected, task_queue="nobody's")
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=60) as api,
            ):
                await _filled(client, store)
                await _measure(api, client)


async def _filled(client: Client, store: Store) -> None:
    for number in range(ENDED):
        run = ArchivedRun(
            run_id=f"default-00{number:024d}", question="Why?", mode="simple", status="completed", started_at=number
        )
        await store.of("default").runs.archive(run, ())
    room = asyncio.Semaphore(AT_ONCE)

    async def end(number: int) -> None:
        async with room:
            handle = await client.start_workflow("ended", id=f"default-00{number:024d}", task_queue="nobody's")
            await handle.terminate()

    await asyncio.gather(*map(end, range(IN_TEMPORAL)))


async def _measure(api: httpx.AsyncClient, client: Client) -> None:
    unseen = 0

    async def page(query: str) -> list[str]:
        nonlocal unseen
        answer = await api.get(f"/v1/runs?{query}")
        answer.raise_for_status()
        runs = answer.json()["runs"]
        unseen += sum(run["stale"] for run in runs)
        return [run["run_id"] for run in runs if run["status"] == "running"]

    executions.SHARED_SECONDS = 0.0  # type: ignore[misc]  # what each look costs, if nobody shares it
    ended = {limit: await _time(f"{limit} that ended", partial(page, f"limit={limit}")) for limit in (20, 200)}
    for _ in range(OPEN):
        answer = await api.post("/v1/runs", json={"question": "Why?", "mode": "simple"})
        answer.raise_for_status()
    for limit in (20, 200):
        took = await _time(f"{limit}, {min(limit, OPEN)} of them go on", partial(page, f"limit={limit}"))
        print(f"    {took / ended[limit]:.1f} times as long as those that ended", flush=True)
    going_on = await page("limit=200")
    assert len(going_on) == OPEN
    query = "ExecutionStatus = 'Running' AND WorkflowId IN ({})".format(", ".join(f"'{one}'" for one in going_on))

    async def asked() -> None:
        assert len([one async for one in client.list_workflows(query, page_size=OPEN)]) == OPEN

    await _time(f"Temporal's list of these {OPEN}", asked)

    async def crowd() -> None:
        await asyncio.gather(*(page("limit=200") for _ in range(READERS)))

    many = await _time(f"{READERS} readers at once, who share what is seen", crowd)
    print(f"    {many / took:.1f} times as long as one", flush=True)
    print(f"  runs of which Temporal said nothing in time, all pages together: {unseen}", flush=True)


async def _time(what: str, ask: Callable[[], Awaitable[object]]) -> float:
    """The median of some tries in milliseconds."""
    await ask()
    took = []
    for _ in range(SAMPLE):
        before = time.perf_counter()
        await ask()
        took.append((time.perf_counter() - before) * 1_000)
    cut = quantiles(took, n=20)
    print(f"  {what}: p50 {cut[9]:.1f} ms, p95 {cut[18]:.1f} ms, at most {max(took):.1f} ms", flush=True)
    return cut[9]
