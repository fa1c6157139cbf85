"""How soon runs are listed, 100 that go on among 5,000 that ended, and what it costs to look at each that goes on.

Compared within one run: with a page of ended runs, for which Temporal is not asked, and with one query to Temporal's
own list for the same runs, which follows what happens instead of telling it. Pages are asked for again and again, so
that most are told what was seen a moment before; and anew, as if nobody had asked for any.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.server import served_here
from elcano.graphs.records import ArchivedRun
from elcano.service.temporal import executions
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store

SAMPLE = 30
READERS = 20
"""That ask at once."""
AT_ONCE = 8
QUEUE = "nobody's"


async def main(bench: Bench) -> None:
    """Tells how many times as long one page takes as another."""
    settings = Settings(_env_file=None, data_dir=bench.folder, package_readmes=True)
    async with (
        bench.temporal() as client,
        open_store(bench.folder) as store,
        served_here(settings, store, client, QUEUE) as api,
    ):
        await _fill(bench, client, store)
        await _measure(bench, api, client)


@contextmanager
def _looking_anew() -> Iterator[None]:
    """What was seen before is told to nobody."""
    before = executions.SHARED_SECONDS, executions.STALE_SECONDS
    executions.SHARED_SECONDS = executions.STALE_SECONDS = 0.0  # type: ignore[misc]
    try:
        yield
    finally:
        executions.SHARED_SECONDS, executions.STALE_SECONDS = before  # type: ignore[misc]


async def _fill(bench: Bench, client: Client, store: Store) -> None:
    for number in range(bench.choose(5_000, 250)):
        run = ArchivedRun(
            run_id=f"default-00{number:024d}", question="Why?", mode="simple", status="completed", started_at=number
        )
        await store.of("default").runs.archive(run, ())
    room = asyncio.Semaphore(AT_ONCE)

    async def end(number: int) -> None:
        async with room:
            handle = await client.start_workflow("ended", id=f"default-00{number:024d}", task_queue=QUEUE)
            await handle.terminate()

    # Ended workflows that Temporal still has; more take minutes to make, and none of them is looked at.
    await asyncio.gather(*map(end, range(bench.choose(1_000, 3))))


async def _measure(bench: Bench, api: httpx.AsyncClient, client: Client) -> None:
    open_runs, sample = bench.choose(100, 5), bench.choose(SAMPLE, 2)

    async def page(limit: int) -> list[str]:
        answer = await api.get(f"/v1/runs?limit={limit}")
        answer.raise_for_status()
        return [run["run_id"] for run in answer.json()["runs"] if run["status"] == "running"]

    async def taken(limit: int) -> float:
        return await bench.milliseconds(lambda _: page(limit), sample)

    ended = {limit: await taken(limit) for limit in (20, 200)}
    for _ in range(open_runs):
        (await api.post("/v1/runs", json={"question": "Why?", "mode": "simple"})).raise_for_status()
    going_on = await page(200)
    assert len(going_on) == open_runs
    try:
        pages = {limit: await taken(limit) for limit in (20, 200)}
        query = "ExecutionStatus = 'Running' AND WorkflowId IN ({})".format(", ".join(f"'{one}'" for one in going_on))

        async def ask(_: int) -> None:
            assert len([one async for one in client.list_workflows(query, page_size=open_runs)]) == open_runs

        listed = await bench.milliseconds(ask, sample)
        with _looking_anew():
            anew = await taken(200)
            crowd = await bench.milliseconds(lambda _: asyncio.gather(*(page(200) for _ in range(READERS))), sample)
    finally:
        for run_id in going_on:
            await client.get_workflow_handle(run_id).terminate()
    bench.say(f"200 that ended {ended[200]:.1f} ms; {open_runs} of them go on {pages[200]:.1f} ms, anew {anew:.1f} ms")
    bench.say(f"{READERS} readers at once, anew {crowd:.1f} ms; Temporal's own list {listed:.1f} ms")
    bench.tell("20 that go on / that ended", pages[20] / ended[20])
    bench.tell("200, half go on / that ended", pages[200] / ended[200])
    bench.tell("200, half go on, anew / that ended", anew / ended[200])
    bench.tell("200, half go on, anew / Temporal's list", anew / listed)
    bench.tell(f"{READERS} at once / one after the other", crowd / anew / READERS)
