"""Following a run with branches on the real server: live, resumed anywhere, killed branches, and any API process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError
from temporalio.worker import Worker

from api.app import create_app
from graphs.contracts import ArchivedRun
from graphs.events import AgentEvent
from settings import Settings
from storage.store import Store
from tests.api import scripted
from tests.api.serving import serving
from tests.api.sse import Message, following, read_all

Handle = WorkflowHandle[object, object]
ONE, TWO = "0004.loop-1", "0004.loop-2"


async def start(url: str) -> str:
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{url}/v1/runs", json={"question": "What is there to know?"})
    run_id: str = answer.json()["run_id"]
    return run_id


def told(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.data["path"], message.event) for message in messages]


async def signal(handle: Handle, name: str, argument: object) -> None:
    """Signals a workflow that may be about to start."""
    while True:
        try:
            await handle.signal(name, argument)
            return
        except RPCError:
            await asyncio.sleep(0.02)


class Told:
    """A run with branches, and who to signal."""

    def __init__(self, client: Client, run_id: str) -> None:
        self.run_id = run_id
        self._client = client

    def of(self, *branch: str) -> Handle:
        return self._client.get_workflow_handle(".".join((self.run_id, *branch)))

    async def emit(self, *branch: str, count: int = 1) -> None:
        """Has a workflow tell something, and waits until it has."""
        await signal(self.of(*branch), "emit", count)
        await self.events(*branch)

    async def events(self, *branch: str) -> list[AgentEvent]:
        events: list[AgentEvent] = await self.of(*branch).query("all_events", result_type=list[AgentEvent])
        return events

    async def begin(self, *branch: str) -> None:
        await signal(self.of(*branch[:-1]), "branch", branch[-1])

    async def finish(self, *branch: str) -> None:
        """Ends a workflow, and waits until its parent has told of it."""
        await signal(self.of(*branch), "order", "complete")
        await self.of(*branch).result()
        while branch and not await self._complete(*branch):  # noqa: ASYNC110 - the server tells the parent by itself
            await asyncio.sleep(0.02)

    async def _complete(self, *branch: str) -> bool:
        return any(
            event.type == "branch_complete" and event.section == branch[-1] for event in await self.events(*branch[:-1])
        )


@asynccontextmanager
async def followed(url: str, run_id: str, last_id: str | None = None) -> AsyncIterator[AsyncIterator[Message]]:
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    async with following(f"{url}/v1/runs/{run_id}/events", headers=headers) as messages:
        yield messages


@pytest.fixture
async def other(api_settings: Settings, store: Store, temporal: Client, task_queue: str) -> AsyncIterator[str]:
    """A second API process, as far as the first can tell."""

    async def client() -> Client:
        return temporal

    async with serving(create_app(api_settings, store=store, client=client, task_queue=task_queue)) as address:
        yield address


@pytest.mark.usefixtures("worker")
async def test_branches_are_told_live_between_their_beginning_and_their_end(served: str, temporal: Client) -> None:
    run = Told(temporal, await start(served))
    async with followed(served, run.run_id) as messages:

        async def next_told(count: int) -> list[tuple[str, str]]:
            return told([await anext(messages) for _ in range(count)])

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
        last = await anext(messages)
        assert (last.data["section"], last.id) == (TWO, "5+3:3")
        await run.finish(TWO)
        assert await next_told(1) == [(TWO, "branch_complete")]
        await run.finish()
        assert told([message async for message in messages]) == [("", "complete")]


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
    run = Told(temporal, await start(served))
    async with AsyncExitStack() as stack:
        messages = await stack.enter_async_context(followed(served, run.run_id))
        story = asyncio.create_task(a_story(run))
        live = [await anext(messages) for _ in range(EVENTS)]
        await story
        assert len({message.id for message in live}) == EVENTS
        for url in (served, other):
            for position, message in enumerate(live, 1):
                async with followed(url, run.run_id, message.id) as resumed:
                    rest = [await anext(resumed) for _ in range(EVENTS - position)]
                    assert sorted(keys(rest)) == sorted(keys(live[position:]))
        await run.finish(TWO)
        await run.finish()
        end = [message async for message in messages]
    assert told(end) == [(TWO, "branch_complete"), ("", "complete")]
    await run.of().result()
    whole = await read_all(f"{other}/v1/runs/{run.run_id}/events")
    assert sorted(keys(whole)) == sorted(keys(live + end))
    assert [(m.id, m.event) for m in await read_all(f"{served}/v1/runs/{run.run_id}/events")] == [
        (message.id, message.event) for message in whole
    ]
    for position, message in enumerate(live, 1):  # cursors of the live stream, after the run has ended
        rest = await read_all(f"{other}/v1/runs/{run.run_id}/events", headers={"Last-Event-ID": str(message.id)})
        assert sorted(keys(rest)) == sorted(keys([*live[position:], *end]))


@pytest.mark.usefixtures("worker")
async def test_an_ended_run_is_resumed_at_every_cursor(served: str, other: str, temporal: Client) -> None:
    run = Told(temporal, await start(served))
    await a_story(run)
    await run.finish(TWO)
    await run.finish()
    whole = await read_all(f"{served}/v1/runs/{run.run_id}/events")
    assert len(whole) == EVENTS + 2
    for position, message in enumerate(whole[:-1], 1):
        rest = await read_all(f"{other}/v1/runs/{run.run_id}/events", headers={"Last-Event-ID": str(message.id)})
        assert [(one.id, one.data) for one in rest] == [(one.id, one.data) for one in whole[position:]]
    assert whole[-1].id == "8"
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{served}/v1/runs/{run.run_id}/events", params={"since": whole[-1].id})
    assert answer.status_code == 204


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_is_killed_is_told_as_far_as_it_got(
    served: str, other: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start(served))
    async with followed(served, run.run_id) as messages:
        await run.begin(ONE)
        await run.emit(ONE, count=2)
        assert told([await anext(messages) for _ in range(4)])[2:] == [(ONE, "thinking")] * 2
        await run.of(ONE).terminate(reason="killed")
        assert told([await anext(messages)]) == [(ONE, "branch_complete")]
        await run.finish()
        assert told([message async for message in messages]) == [("", "complete")]
    kept = await store.runs.get(f"{run.run_id}.{ONE}")
    assert kept is not None
    assert kept.status == "terminated"
    assert kept.branch_of is not None
    assert kept.branch_of.run_id == run.run_id
    assert len(await read_all(f"{other}/v1/runs/{run.run_id}/events")) == 6


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_was_killed_when_nobody_watched_is_found_later(
    served: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start(served))
    await run.begin(ONE)
    await run.emit(ONE, count=2)
    await run.of(ONE).terminate()
    await run.finish()
    assert await store.runs.get(f"{run.run_id}.{ONE}") is None
    messages = await read_all(f"{served}/v1/runs/{run.run_id}/events")
    assert told(messages)[1:4] == [(ONE, "branch_started"), (ONE, "thinking"), (ONE, "thinking")]
    assert await store.runs.get(f"{run.run_id}.{ONE}") is not None


@pytest.mark.usefixtures("worker")
async def test_a_branch_that_nobody_knows_any_more_is_named_and_passed(
    served: str, temporal: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.endings.START_GRACE", -1.0)
    monkeypatch.setattr("api.journals.START_GRACE", -1.0)
    run = Told(temporal, await start(served))
    await run.finish()
    kept = await store.runs.get(run.run_id)
    assert kept is not None
    started, complete = await store.runs.events(run.run_id)
    branch = started.model_copy(
        update={"seq": 2, "type": "branch_started", "path": ONE, "section": "Costs", "data": {"run_id": "run-gone"}}
    )
    await store.runs.archive(kept, [started, branch, complete.model_copy(update={"seq": 3})])
    messages = await read_all(f"{served}/v1/runs/{run.run_id}/events")
    shown = [message for message in messages if message.event != "waiting"]
    assert [message.event for message in shown] == ["started", "branch_started", "unreadable", "complete"]
    assert "'Costs'" in shown[2].data["message"]
    assert shown[2].id is None


@pytest.mark.usefixtures("worker")
async def test_when_the_run_is_terminated_its_branches_are_told_to_their_end(
    served: str, temporal: Client, store: Store
) -> None:
    run = Told(temporal, await start(served))
    async with followed(served, run.run_id) as messages:
        await run.begin(ONE)
        await run.emit(ONE, count=3)
        before = [await anext(messages) for _ in range(5)]
        await run.of().terminate(reason="out")
        rest = [message async for message in messages]
    assert told(rest) == [("", "cancelled")]
    assert rest[0].id == "3"
    assert len(before) == 5
    kept = await store.runs.get(f"{run.run_id}.{ONE}")
    assert kept is not None
    assert kept.status == "cancelled"
    assert len(await read_all(f"{served}/v1/runs/{run.run_id}/events")) == 6


async def test_without_a_worker_one_notice_is_enough_and_nothing_is_lost(
    served: str, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run = Told(temporal, await start(served))
    async with make_worker():
        await run.begin(ONE)
        await run.begin(TWO)
        for branch in (ONE, TWO):
            await run.emit(branch)
        async with followed(served, run.run_id) as messages:
            first = [await anext(messages) for _ in range(5)]
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
    run = Told(temporal, await start(served))
    async with AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(followed(served, run.run_id)) for _ in range(20)]
        await run.begin(ONE)
        await run.emit(ONE, count=5)
        for reader in readers:
            assert len([await anext(reader) for _ in range(7)]) == 7
        names = [task.get_name() for task in asyncio.all_tasks()]
        assert names.count(f"watch {run.run_id}") == 1
        assert names.count(f"read {run.run_id}.{ONE}") == 1
        assert scripted.queries[f"{run.run_id}.{ONE}"] < 20
        await run.finish(ONE)
        assert told([await anext(readers[0])]) == [(ONE, "branch_complete")]
        while f"read {run.run_id}.{ONE}" in {task.get_name() for task in asyncio.all_tasks()}:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("worker")
async def test_a_run_shows_how_its_branches_stand(served: str, temporal: Client) -> None:
    run = Told(temporal, await start(served))
    await run.begin(ONE)
    await run.begin(TWO)
    await run.emit(TWO)
    await run.finish(TWO)
    async with httpx.AsyncClient(base_url=served) as client:
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


def an_event(seq: int, kind: str, at: float, branch: str = "", run_id: str = "") -> AgentEvent:
    fields = {"seq": seq, "type": kind, "message": kind, "at": at, "step": 1, "iteration": 1, "path": branch}
    return AgentEvent.model_validate({**fields, "section": branch, "data": {"run_id": run_id} if run_id else {}})


async def test_a_run_with_two_hundred_open_branches_is_read_and_resumed(served: str, other: str, store: Store) -> None:
    names = [f"0004.loop-{number}" for number in range(200)]
    run = ArchivedRun(run_id="run-1", question="q", mode="deep", status="completed", started_at=1.0)
    events = [an_event(1, "started", 0.0)]
    events += [an_event(2 + place, "branch_started", 0.0, name, f"run-1.{name}") for place, name in enumerate(names)]
    events += [an_event(202 + place, "branch_complete", 100.0, name) for place, name in enumerate(names)]
    await store.runs.archive(run, [*events, an_event(402, "complete", 100.0)])
    for name in names:
        told = [an_event(seq, "thinking", float(seq), name) for seq in range(2, 12)]
        ends = an_event(1, "started", 0.0, name), an_event(12, "complete", 50.0, name)
        branch = run.model_copy(update={"run_id": f"run-1.{name}"})
        await store.runs.archive(branch, [ends[0], *told, ends[1]])
    whole = await read_all(f"{served}/v1/runs/run-1/events")
    assert len(whole) == 402 + 200 * 10
    assert max(len(str(message.id)) for message in whole) < 2_000
    for position in (1, 150, 202, 1_000, 2_300):
        headers = {"Last-Event-ID": str(whole[position - 1].id)}
        rest = await read_all(f"{other}/v1/runs/run-1/events", headers=headers)
        assert [message.id for message in rest] == [message.id for message in whole[position:]]
