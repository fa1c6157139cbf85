"""Streams of runs that have ended: read once for all readers, beside the event loop, and left without a trace."""

import asyncio
import gc
import logging
import threading

import httpx
import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent, EventType
from elcano.service.events import feed
from elcano.service.events import watcher as archive
from elcano.service.events.feed import Feed
from elcano.service.events.watcher import Archive, archived_feed
from elcano.storage.runs import RunStore
from elcano.storage.store import Store
from tests.api.asking import start_at
from tests.api.sse import following, read_all
from tests.cases import long_case


def told(kind: EventType, number: int) -> AgentEvent:
    return AgentEvent(seq=number, type=kind, message="x" * 500, at=float(number), step=number, iteration=1)


async def keep(store: Store, run_id: str = "run-1", events: int = 5, finished_at: float = 9.0) -> ArchivedRun:
    run = ArchivedRun(
        run_id=run_id, question="q", mode="iterative", status="completed", started_at=1.0, finished_at=finished_at
    )
    story = [told("thinking", number) for number in range(1, events)]
    await store.of("default").runs.archive(run, [*story, told("complete", events)])
    return run


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which runs' journals are read, each time they are."""
    found: list[str] = []
    journals = RunStore.journals

    async def counted(self: RunStore, run_id: str) -> dict[str, list[AgentEvent]]:
        found.append(run_id)
        return await journals(self, run_id)

    monkeypatch.setattr(RunStore, "journals", counted)
    return found


async def test_readers_share_what_was_read_and_merged(served: str, store: Store, reads: list[str]) -> None:
    await keep(store, events=200)
    streams = await asyncio.gather(*(read_all(f"{served}/v1/runs/run-1/events") for _ in range(20)))
    assert [len(messages) for messages in streams] == [200] * 20
    assert reads == ["run-1"]


async def test_merging_is_done_beside_the_event_loop(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    run = await keep(store)

    def beside(run_id: str, stored: dict[str, list[AgentEvent]]) -> Feed | None:
        threads.append(threading.get_ident())
        return archived_feed(run_id, stored)

    monkeypatch.setattr(archive, "archived_feed", beside)
    assert await Archive(store).feed(run) is not None
    assert threads != [threading.get_ident()]


async def test_a_run_that_was_taken_up_again_and_ended_again_is_read_again(store: Store, reads: list[str]) -> None:
    kept = Archive(store)
    first = await kept.feed(await keep(store, events=3))
    again = await kept.feed(await keep(store, events=7, finished_at=10.0))
    assert [found.size for found in (first, again) if found is not None] == [3, 7]
    assert reads == ["run-1", "run-1"]


async def test_only_so_many_events_are_kept(store: Store, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "KEPT_EVENTS", 10)
    kept = Archive(store)
    runs = [await keep(store, f"run-{number}") for number in range(3)]
    for run in runs:
        await kept.feed(run)
    gc.collect()
    for run in reversed(runs):
        await kept.feed(run)
    assert reads == ["run-0", "run-1", "run-2", "run-0"]


async def test_a_run_with_more_events_is_shared_while_it_is_read(
    store: Store, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "KEPT_EVENTS", 4)
    kept = Archive(store)
    run = await keep(store)
    held = [await kept.feed(run), await kept.feed(run)]
    assert len({id(found) for found in held}) == 1
    held.clear()
    await asyncio.sleep(0)  # the step that was given the feed ends
    gc.collect()
    await kept.feed(run)
    assert reads == ["run-1", "run-1"]


async def test_a_reader_who_leaves_does_not_take_it_from_the_others(store: Store, reads: list[str]) -> None:
    kept = Archive(store)
    run = await keep(store)
    first, second = (asyncio.create_task(kept.feed(run)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    found = await second
    assert found is not None
    assert found.size == 5
    assert reads == ["run-1"]


async def test_what_cannot_be_read_is_said_to_all_who_wait_and_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Archive(store)
    run = await keep(store)

    async def broken(self: RunStore, run_id: str) -> dict[str, list[AgentEvent]]:
        raise OSError("no disk")

    with monkeypatch.context() as patched:
        patched.setattr(RunStore, "journals", broken)
        refused = await asyncio.gather(kept.feed(run), kept.feed(run), return_exceptions=True)
    assert [str(error) for error in refused] == ["no disk", "no disk"]
    assert await kept.feed(run) is not None


@pytest.mark.parametrize("seen", [1, long_case(50)])
async def test_leaving_a_stream_with_more_to_come_leaves_nothing_in_the_log(
    served: str, store: Store, caplog: pytest.LogCaptureFixture, seen: int
) -> None:
    await keep(store, events=1_000)
    caplog.set_level(logging.WARNING)

    async def leave_early() -> None:
        async with following(f"{served}/v1/runs/run-1/events") as messages:
            for _ in range(seen):
                await anext(messages)

    await asyncio.gather(*(leave_early() for _ in range(40)))
    assert (await read_all(f"{served}/v1/runs/run-1/events"))[-1].event == "complete"
    assert caplog.records == []


@pytest.mark.usefixtures("worker")
async def test_a_quiet_stream_is_kept_open(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "QUIET", 0.05)
    run_id = await start_at(served)
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("GET", f"{served}/v1/runs/{run_id}/events") as answer,
    ):
        seen = b""
        async for chunk in answer.aiter_bytes():  # ends with the stream, or by the test's time limit
            seen += chunk
            if b"event: started" in seen and seen.count(b": ping\n\n") >= 3:
                break


async def test_a_nodes_error_has_a_name_that_browsers_do_not_use(served: str, store: Store) -> None:
    run = await keep(store)
    await store.of("default").runs.archive(run, [told("error", 1), told("complete", 2)])
    messages = await read_all(f"{served}/v1/runs/run-1/events")
    assert [(message.event, message.data["type"]) for message in messages] == [
        ("node_error", "error"),
        ("complete", "complete"),
    ]
