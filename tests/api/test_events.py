"""Following a run: replay, resume, many clients, no worker, an end from outside, clients that go away."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.api.events import sse
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.service.events import journal_reader
from elcano.storage.store import Store
from tests.api import scripted
from tests.api.asking import start_at
from tests.api.sse import Message, following, next_event, read_all, remaining_events


def numbers(messages: list[Message]) -> list[int]:
    return [int(message.id) for message in messages if message.id is not None]


def watchers() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("watch ")]


async def no_watchers() -> None:
    while watchers():  # noqa: ASYNC110 - the point is that they go by themselves
        await asyncio.sleep(0.01)


@pytest.fixture
async def ended_run(store: Store) -> str:
    kinds = ("started", "thinking", "searching", "complete")
    events = [
        AgentEvent.model_validate(
            {"seq": number, "type": kind, "message": kind, "at": 1.0, "step": number, "iteration": 1}
        )
        for number, kind in enumerate(kinds, 1)
    ]
    run = ArchivedRun(run_id="run-1", question="q", mode="iterative", status="completed", started_at=1.0)
    await store.of("default").runs.archive(run, events)
    return run.run_id


@pytest.mark.usefixtures("worker")
async def test_events_arrive_while_the_run_works_and_end_with_it(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        first = await next_event(messages)
        assert (first.event, first.id, first.data["message"]) == ("started", "1", "event 1")
        await handle.signal("emit", 8)
        live = [await next_event(messages) for _ in range(8)]
        assert numbers(live) == list(range(2, 10))
        await handle.signal("order", "complete")
        rest = await remaining_events(messages)
    assert [message.event for message in rest] == ["complete"]
    await no_watchers()


async def test_an_ended_run_is_replayed_from_the_store(served: str, ended_run: str) -> None:
    messages = await read_all(f"{served}/v1/runs/{ended_run}/events")
    assert [message.event for message in messages] == ["started", "thinking", "searching", "complete"]
    assert numbers(messages) == [1, 2, 3, 4]


async def test_a_client_goes_on_where_it_was(served: str, ended_run: str, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, str], list[int]]] = [
        ("?since=2", {}, [3, 4]),
        ("", {"Last-Event-ID": "3"}, [4]),
        ("?since=1", {"Last-Event-ID": "3"}, [4]),
        ("?since=0", {}, [1, 2, 3, 4]),
    ]
    for query, headers, expected in cases:
        with subtests.test(query=query, headers=headers, expected=expected):
            assert numbers(await read_all(f"{served}/v1/runs/{ended_run}/events{query}", headers=headers)) == expected


async def test_a_client_that_has_everything_is_told_not_to_come_again(
    api: httpx.AsyncClient, ended_run: str, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["4", "99"]
    for since in cases:
        with subtests.test(since=since):
            answer = await api.get(f"/v1/runs/{ended_run}/events", headers={"Last-Event-ID": since})
            assert answer.status_code == 204
            assert answer.content == b""


async def test_a_number_that_is_none_is_refused(
    api: httpx.AsyncClient, ended_run: str, subtests: pytest.Subtests
) -> None:
    cases: list[str] = [
        "abc",
        "-1",
        "1.5",
        "",
        " ",
        "1e3",
        "²",
        "9" * 16,
        "1+",
        "1+2",
        "1+2:",
        "1+:2",
        "1 2:3",
        "1+2:3+",
        "1+2.3.4.5:6",
    ]
    for bad in cases:
        with subtests.test(bad=bad):
            by_query = await api.get(f"/v1/runs/{ended_run}/events", params={"since": bad})
            by_header = await api.get(f"/v1/runs/{ended_run}/events", headers={b"Last-Event-ID": bad.encode()})
            for answer in (by_query, by_header):
                assert answer.status_code == 400
                assert answer.json()["type"] == "urn:elcano:last-event-id-invalid"


@pytest.mark.usefixtures("worker")
async def test_a_late_client_reads_everything_from_the_same_watcher(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("emit", 5)
    async with following(f"{served}/v1/runs/{run_id}/events") as early:
        assert numbers([await next_event(early) for _ in range(6)]) == [1, 2, 3, 4, 5, 6]
        async with following(f"{served}/v1/runs/{run_id}/events") as late:
            assert numbers([await next_event(late) for _ in range(6)]) == [1, 2, 3, 4, 5, 6]
            assert [task.get_name() for task in watchers()].count(f"watch {run_id}") == 1
            await handle.signal("emit", 1)
            assert (await next_event(early)).id == (await next_event(late)).id == "7"


@pytest.mark.usefixtures("worker")
async def test_a_hundred_clients_share_few_queries(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        reading = [
            asyncio.create_task(read_all(f"{served}/v1/runs/{run_id}/events", client=client)) for _ in range(100)
        ]
        for _ in range(10):
            await handle.signal("emit", 2)
        await handle.signal("order", "complete")
        streams = await asyncio.gather(*reading)
    assert [numbers(messages) for messages in streams] == [list(range(1, 23))] * 100
    assert scripted.queries[run_id] < 100


@pytest.mark.usefixtures("worker")
async def test_a_slow_client_delays_nobody(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as slow:
        reading = asyncio.create_task(read_all(f"{served}/v1/runs/{run_id}/events"))
        for _ in range(5):
            await handle.signal("emit", 100)
        await handle.signal("order", "complete")
        assert numbers(await reading) == list(range(1, 503))
        assert numbers([message async for message in slow]) == list(range(1, 503))


async def test_without_a_worker_the_stream_says_so_and_goes_on(
    served: str, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start_at(served)
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        waiting = await anext(messages)
        assert (waiting.event, waiting.id) == ("waiting", None)
        assert waiting.data["message"].startswith("no worker polls the task queue")
        async with make_worker():
            while (message := await anext(messages)).event == "waiting":  # a slow one is told of again
                pass
            assert message.event == "started"
            await temporal.get_workflow_handle(run_id).signal("order", "complete")
            assert [message.event for message in await remaining_events(messages)] == ["complete"]


@pytest.mark.usefixtures("worker")
async def test_a_run_that_continues_as_new_goes_on_in_the_same_stream(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        assert (await next_event(messages)).id == "1"
        await handle.signal("order", "continue")
        await handle.signal("emit", 3)
        assert numbers([await next_event(messages) for _ in range(3)]) == [2, 3, 4]
        await handle.signal("order", "complete")
        assert [message.event for message in await remaining_events(messages)] == ["complete"]


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("how", "last"), [("terminate", "cancelled"), ("break", "failed"), ("vanish", "complete")])
async def test_a_run_that_ends_without_saying_so_still_ends_the_stream(
    served: str, temporal: Client, store: Store, how: str, last: str
) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        assert (await next_event(messages)).id == "1"
        await handle.signal("emit", 2)
        assert numbers([await next_event(messages) for _ in range(2)]) == [2, 3]
        await (handle.terminate(reason="out") if how == "terminate" else handle.signal("order", how))
        rest = await remaining_events(messages)
    assert [(message.event, message.id) for message in rest] == [(last, "4")]
    assert rest[0].data["data"]["outside"]
    assert "incomplete" not in rest[0].data["data"]
    replayed = await read_all(f"{served}/v1/runs/{run_id}/events")
    assert numbers(replayed) == [1, 2, 3, 4]
    assert [event.type for event in await store.of("default").runs.events(run_id, 3)] == [last]


async def test_a_run_terminated_before_any_worker_took_it_up_ends_its_stream(
    served: str, temporal: Client, make_worker: Callable[[], Worker]
) -> None:
    run_id = await start_at(served)
    await temporal.get_workflow_handle(run_id).terminate()
    async with make_worker():
        messages = await read_all(f"{served}/v1/runs/{run_id}/events")
    assert [message.event for message in messages if message.event != "waiting"] == ["cancelled"]


@pytest.mark.usefixtures("worker")
async def test_clients_that_go_away_leave_nothing_behind(served: str, temporal: Client) -> None:
    run_id = await start_at(served)
    before = len(asyncio.all_tasks())
    for _ in range(3):
        async with following(f"{served}/v1/runs/{run_id}/events") as messages:
            await anext(messages)
            assert len(watchers()) == 1
        await no_watchers()
    while len(asyncio.all_tasks()) > before:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


@pytest.mark.usefixtures("worker")
async def test_a_watcher_that_breaks_off_ends_its_streams_and_is_replaced(
    served: str, temporal: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = await start_at(served)

    async def broken(self: journal_reader.JournalReader) -> None:
        raise ValueError("no bytes left")

    with monkeypatch.context() as patched:
        patched.setattr(journal_reader.JournalReader, "run", broken)
        assert await read_all(f"{served}/v1/runs/{run_id}/events") == []
    assert "broke off" in caplog.text
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        assert (await next_event(messages)).event == "started"


@pytest.mark.usefixtures("worker")
async def test_a_stream_ends_after_its_longest_life_and_its_client_misses_nothing(
    served: str, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "LONGEST_SECONDS", 0.0)
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    path = f"{served}/v1/runs/{run_id}/events"
    first = await read_all(path)
    assert numbers(first) == [1]
    await handle.signal("emit", 2)
    await handle.signal("order", "complete")
    heard = [*first]
    while heard[-1].event != "complete":
        heard += await read_all(path, headers={"Last-Event-ID": str(heard[-1].id)})
    assert numbers(heard) == [1, 2, 3, 4]
