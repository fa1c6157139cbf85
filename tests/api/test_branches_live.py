"""Following a run with branches while it works: what is told, what is asked of the workflows, how they stand."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

import httpx
import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from tests.api import scripted
from tests.api.asking import start_at
from tests.api.branching import ONE, TWO, Told, followed, told
from tests.api.sse import next_event, remaining_events


@pytest.mark.usefixtures("worker")
async def test_branches_are_told_live_between_their_beginning_and_their_end(served: str, temporal: Client) -> None:
    run = Told(temporal, await start_at(served))
    async with followed(served, run.run_id) as messages:

        async def next_told(count: int) -> list[tuple[str, str]]:
            return told([await next_event(messages) for _ in range(count)])

        assert await next_told(1) == [("", "started")]
        await run.begin(ONE)
        assert await next_told(1) == [(ONE, "branch_started")]
        await run.emit(ONE)
        assert await next_told(1) == [(ONE, "thinking")]
        await run.begin(TWO)
        await run.emit(TWO)
        assert await next_told(2) == [(TWO, "branch_started"), (TWO, "thinking")]
        await run.emit()
        assert await next_told(1) == [("", "thinking")]
        await run.begin(ONE, "0003.y")
        await run.emit(ONE, "0003.y")
        nested = f"{ONE}/0003.y"
        assert await next_told(2) == [(nested, "branch_started"), (nested, "thinking")]
        await run.finish(ONE, "0003.y")
        assert await next_told(1) == [(nested, "branch_complete")]
        await run.finish(ONE)
        assert await next_told(1) == [(ONE, "branch_complete")]
        await run.emit(TWO)
        last = await next_event(messages)
        assert (last.data["section"], last.id) == (TWO, "5+3:3")
        await run.finish(TWO)
        assert await next_told(1) == [(TWO, "branch_complete")]
        await run.finish()
        assert told(await remaining_events(messages)) == [("", "complete")]


async def test_without_a_worker_one_notice_is_enough_and_nothing_is_lost(
    served: str, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run = Told(temporal, await start_at(served))
    async with make_worker():
        await run.begin(ONE)
        await run.begin(TWO)
        for branch in (ONE, TWO):
            await run.emit(branch)
        async with followed(served, run.run_id) as messages:
            first = [await next_event(messages) for _ in range(5)]
    async with followed(served, run.run_id, first[-1].id) as messages:
        waiting = await anext(messages)
        assert waiting.event == "waiting"
        async with make_worker():
            await run.emit(TWO)
            rest = [await anext(messages)]
            while rest[-1].event == "waiting":
                rest.append(await anext(messages))
    assert told(rest[-1:]) == [(TWO, "thinking")]
    assert len(rest) < 3


@pytest.mark.usefixtures("worker")
async def test_readers_share_one_watcher_and_each_open_branch_is_asked_by_it_alone(
    served: str, temporal: Client
) -> None:
    run = Told(temporal, await start_at(served))
    async with AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(followed(served, run.run_id)) for _ in range(20)]
        await run.begin(ONE)
        await run.emit(ONE, count=5)
        for reader in readers:
            assert len([await next_event(reader) for _ in range(7)]) == 7
        names = [task.get_name() for task in asyncio.all_tasks()]
        assert names.count(f"watch {run.run_id}") == 1
        assert names.count(f"read {run.run_id}.{ONE}") == 1
        assert scripted.queries[f"{run.run_id}.{ONE}"] < 20
        await run.finish(ONE)
        assert told([await next_event(readers[0])]) == [(ONE, "branch_complete")]
        while f"read {run.run_id}.{ONE}" in {task.get_name() for task in asyncio.all_tasks()}:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("worker")
async def test_a_run_shows_how_its_branches_stand(served: str, temporal: Client) -> None:
    run = Told(temporal, await start_at(served))
    await run.begin(ONE)
    await run.begin(TWO)
    await run.emit(TWO)
    await run.finish(TWO)
    async with httpx.AsyncClient(base_url=served, timeout=60) as client:
        running = (await client.get(f"/v1/runs/{run.run_id}")).json()["branches"]
        assert [(branch["run_id"], branch["section"], branch["status"]) for branch in running] == [
            (f"{run.run_id}.{ONE}", ONE, "running"),
            (f"{run.run_id}.{TWO}", TWO, "drafted"),
        ]
        await run.finish(ONE)
        await run.finish()
        ended = (await client.get(f"/v1/runs/{run.run_id}")).json()["branches"]
        assert [branch["status"] for branch in ended] == ["drafted", "drafted"]
        (listed,) = (await client.get("/v1/runs")).json()["runs"]
        assert (listed["run_id"], listed["branches"]) == (run.run_id, [])
