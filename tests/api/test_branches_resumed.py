"""A run with branches is resumed after any of its events, by any API process, while it works and after its end."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.storage.store import Store
from tests.api.asking import start_at
from tests.api.branching import ONE, TWO, Told, followed, told
from tests.api.sse import Message, next_event, read_events, remaining_events


async def a_story(run: Told) -> None:
    """Two branches, one of them with a branch, all with something to tell; the second one stays open."""
    await run.begin(ONE)
    await run.begin(TWO)
    await run.emit(ONE, count=4)
    await run.emit(TWO, count=5)
    await run.begin(ONE, "0003.y")
    await run.emit(ONE, "0003.y", count=2)
    await run.finish(ONE, "0003.y")
    await run.emit(ONE)
    await run.finish(ONE)
    await run.emit(count=2)


EVENTS = 1 + 2 + 4 + 5 + 1 + 2 + 1 + 1 + 1 + 2
"""What `a_story` tells, and the run's beginning."""


def keys(messages: Sequence[Message]) -> list[tuple[str, str, int]]:
    return [(message.data["path"], message.event, message.data["seq"]) for message in messages]


@pytest.mark.usefixtures("worker")
async def test_a_running_run_is_resumed_at_every_cursor_in_every_process(
    served: str, other: str, temporal: Client
) -> None:
    run = Told(temporal, await start_at(served))
    async with AsyncExitStack() as stack:
        messages = await stack.enter_async_context(followed(served, run.run_id))
        story = asyncio.create_task(a_story(run))
        live = [await next_event(messages) for _ in range(EVENTS)]
        await story
        assert len({message.id for message in live}) == EVENTS
        for url in (served, other):
            for position, message in enumerate(live, 1):
                async with followed(url, run.run_id, message.id) as resumed:
                    rest = [await next_event(resumed) for _ in range(EVENTS - position)]
                    assert sorted(keys(rest)) == sorted(keys(live[position:]))
        await run.finish(TWO)
        await run.finish()
        end = await remaining_events(messages)
    assert told(end) == [(TWO, "branch_complete"), ("", "complete")]
    await run.of().result()
    whole = await read_events(f"{other}/v1/runs/{run.run_id}/events")
    assert sorted(keys(whole)) == sorted(keys(live + end))
    assert [(m.id, m.event) for m in await read_events(f"{served}/v1/runs/{run.run_id}/events")] == [
        (message.id, message.event) for message in whole
    ]
    for position, message in enumerate(live, 1):  # cursors of the live stream, after the run has ended
        rest = await read_events(f"{other}/v1/runs/{run.run_id}/events", headers={"Last-Event-ID": str(message.id)})
        assert sorted(keys(rest)) == sorted(keys([*live[position:], *end]))


@pytest.mark.usefixtures("worker")
async def test_an_ended_run_is_resumed_at_every_cursor(served: str, other: str, temporal: Client) -> None:
    run = Told(temporal, await start_at(served))
    await a_story(run)
    await run.finish(TWO)
    await run.finish()
    whole = await read_events(f"{served}/v1/runs/{run.run_id}/events")
    assert len(whole) == EVENTS + 2
    for position, message in enumerate(whole[:-1], 1):
        rest = await read_events(f"{other}/v1/runs/{run.run_id}/events", headers={"Last-Event-ID": str(message.id)})
        assert [(one.id, one.data) for one in rest] == [(one.id, one.data) for one in whole[position:]]
    assert whole[-1].id == "8"
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(f"{served}/v1/runs/{run.run_id}/events", params={"since": whole[-1].id})
    assert answer.status_code == 204


def an_event(seq: int, kind: str, at: float, branch: str = "", run_id: str = "") -> AgentEvent:
    fields = {"seq": seq, "type": kind, "message": kind, "at": at, "step": 1, "iteration": 1, "path": branch}
    return AgentEvent.model_validate({**fields, "section": branch, "data": {"run_id": run_id} if run_id else {}})


@pytest.mark.long
async def test_a_run_with_two_hundred_open_branches_is_read_and_resumed(served: str, other: str, store: Store) -> None:
    names = [f"0004.loop-{number}" for number in range(200)]
    run = ArchivedRun(run_id="run-1", question="q", mode="deep", status="completed", started_at=1.0)
    events = [an_event(1, "started", 0.0)]
    events += [an_event(2 + place, "branch_started", 0.0, name, f"run-1.{name}") for place, name in enumerate(names)]
    events += [an_event(202 + place, "branch_complete", 100.0, name) for place, name in enumerate(names)]
    await store.of("default").runs.archive(run, [*events, an_event(402, "complete", 100.0)])
    for name in names:
        told = [an_event(seq, "thinking", float(seq), name) for seq in range(2, 12)]
        ends = an_event(1, "started", 0.0, name), an_event(12, "complete", 50.0, name)
        branch = run.model_copy(update={"run_id": f"run-1.{name}"})
        await store.of("default").runs.archive(branch, [ends[0], *told, ends[1]])
    whole = await read_events(f"{served}/v1/runs/run-1/events")
    assert len(whole) == 402 + 200 * 10
    assert max(len(str(message.id)) for message in whole) < 2_000
    for position in (1, 150, 202, 1_000, 2_300):
        headers = {"Last-Event-ID": str(whole[position - 1].id)}
        rest = await read_events(f"{other}/v1/runs/run-1/events", headers=headers)
        assert [message.id for message in rest] == [message.id for message in whole[position:]]
