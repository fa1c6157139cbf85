"""Words that are being written: they come without a number, the newest at once, and go when they are void."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from elcano.service.events import live_text_reader as reading
from elcano.service.temporal.client import Temporal
from elcano.storage.store import Store
from tests.api import scripted
from tests.api.asking import start_at
from tests.api.branching import signal
from tests.api.sse import Message, following, read_all
from tests.api.writing import Desk

LINE = "It froze in the winter of 1519. "


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def worker(temporal: Client, store: Store, task_queue: str, desk: Desk) -> AsyncIterator[Worker]:
    async with scripted.worker(temporal, store, task_queue, desk.activity) as working:  # type: ignore[arg-type]
        yield working


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the server was asked what each workflow writes."""
    counted: Counter[str] = Counter()
    writing = Temporal.writing

    async def counting(self: Temporal, run_id: str) -> object:
        counted[run_id] += 1
        return await writing(self, run_id)

    monkeypatch.setattr(Temporal, "writing", counting)
    return counted


@asynccontextmanager
async def written(served: str, run_id: str) -> AsyncIterator[AsyncIterator[Message]]:
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        yield (one async for one in messages if one.event == "streaming")


@pytest.mark.usefixtures("worker")
async def test_words_come_without_a_number_and_go_with_the_step(served: str, temporal: Client, desk: Desk) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    messages: list[Message] = []
    async with following(f"{served}/v1/runs/{run_id}/events") as stream:
        await handle.signal("write", 1)
        desk.say(LINE)
        async for message in stream:
            messages.append(message)
            if message.event == "streaming" and message.data["text"] == LINE:
                desk.say(LINE * 200)
            elif message.event == "streaming" and message.data["text"]:
                desk.say(None)
            elif message.event == "streaming":
                await handle.signal("order", "complete")
    words = [message for message in messages if message.event == "streaming"]
    assert [message.id for message in words] == [None, None, None]
    assert [message.data["characters"] for message in words] == [len(LINE), 200 * len(LINE), 0]
    assert words[1].data["text"] == (LINE * 200)[-2_000:]
    assert {name: words[0].data[name] for name in ("step", "node", "attempt", "path", "section")} == {
        "step": 2,
        "node": "writer",
        "attempt": 1,
        "path": "",
        "section": "",
    }
    assert [message.id for message in messages if message.id] == ["1", "2", "3", "4"]
    again = await read_all(f"{served}/v1/runs/{run_id}/events")
    assert [message.event for message in again] == ["started", "synthesizing", "synthesizing", "complete"]


@pytest.mark.usefixtures("worker")
async def test_a_client_that_comes_late_gets_the_newest_at_once(served: str, temporal: Client, desk: Desk) -> None:
    run_id = await start_at(served)
    await temporal.get_workflow_handle(run_id).signal("write", 1)
    async with written(served, run_id) as first:
        desk.say("one")
        assert (await anext(first)).data["text"] == "one"
        desk.say("one and two")
        assert (await anext(first)).data["text"] == "one and two"
        async with following(f"{served}/v1/runs/{run_id}/events", headers={"Last-Event-ID": "2"}) as late:
            newest = await anext(late)
        assert (newest.event, newest.id, newest.data["text"]) == ("streaming", None, "one and two")
    async with written(served, run_id) as anew:  # another watcher: nobody had been there any more
        assert (await anext(anew)).data["text"] == "one and two"
    desk.say(None)


@pytest.mark.usefixtures("worker")
async def test_what_a_failed_attempt_wrote_is_void(served: str, temporal: Client, desk: Desk) -> None:
    run_id = await start_at(served)
    await temporal.get_workflow_handle(run_id).signal("write", 2)
    desk.say("a first try")
    async with written(served, run_id) as words:
        first = await anext(words)
        desk.say(ApplicationError("broken"))
        void = await anext(words)
        desk.say("a second try")
        second = await anext(words)
        desk.say(None)
        over = await anext(words)
    shown = [(one.data["attempt"], one.data["text"]) for one in (first, void, second, over)]
    assert shown == [(1, "a first try"), (1, ""), (2, "a second try"), (2, "")]


@pytest.mark.usefixtures("worker")
async def test_sections_write_side_by_side(served: str, temporal: Client, desk: Desk) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    await handle.signal("branch", "one")
    await handle.signal("branch", "two")
    async with written(served, run_id) as words:
        seen: dict[str, str] = {}
        for name in ("one", "two"):
            await signal(temporal.get_workflow_handle(f"{run_id}.{name}"), "write", 1)
            desk.say(f"of {name}", branch=name)
            while name not in seen:
                message = await anext(words)
                seen[message.data["path"]] = message.data["text"]
                assert message.data["section"] == message.data["path"]
    assert seen == {"one": "of one", "two": "of two"}
    desk.say(None, branch="one")
    desk.say(None, branch="two")


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    "details",
    [
        ({"sections": []},),
        (None, "text"),
        (None, {"text": "of a newer worker", "unknown": 1}),
        (None, {"step": 2, "node": "writer", "attempt": 1, "text": "x" * 2_001, "characters": 2_001}),
        (None, {"step": 1, "node": "writer", "attempt": 1, "text": "of another step", "characters": 1}),
        (None, {"step": 2, "node": "writer", "attempt": 7, "text": "of another attempt", "characters": 1}),
        (None, {"step": 2, "node": "writer", "attempt": 1, "text": "", "characters": 0}),
        (None, None),
        (None, 5, "more"),
    ],
)
async def test_details_that_are_no_words_show_nothing(
    served: str, temporal: Client, desk: Desk, looks: Counter[str], details: tuple[object, ...]
) -> None:
    run_id = await start_at(served)
    await temporal.get_workflow_handle(run_id).signal("write", 1)
    desk.say(details)
    async with written(served, run_id) as words:
        while looks[run_id] < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        desk.say("words")
        assert (await anext(words)).data["text"] == "words"
    desk.say(None)


@pytest.mark.usefixtures("worker")
async def test_the_server_is_asked_only_while_somebody_watches_and_an_agent_writes(
    served: str, temporal: Client, desk: Desk, looks: Counter[str]
) -> None:
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as stream:
        await handle.signal("emit", 3)
        for _ in range(4):
            await anext(stream)
        assert looks[run_id] == 0
    await handle.signal("write", 1)
    desk.say("unseen")
    await desk.begun.wait()
    assert looks[run_id] == 0
    async with written(served, run_id) as words:
        await anext(words)
        desk.say(None)
        assert (await anext(words)).data["text"] == ""
        before = looks[run_id]
        await asyncio.sleep(1.5 * reading.SLOW_SECONDS)
        assert looks[run_id] <= before + 1  # one that was on its way


@pytest.mark.usefixtures("worker")
async def test_words_that_cannot_be_read_break_nothing(
    served: str, temporal: Client, desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = threading.Event()

    async def broken(self: Temporal, run_id: str) -> object:
        asked.set()
        raise ValueError("a wheel came off")

    monkeypatch.setattr(Temporal, "writing", broken)
    run_id = await start_at(served)
    handle = temporal.get_workflow_handle(run_id)
    async with following(f"{served}/v1/runs/{run_id}/events") as stream:
        await handle.signal("write", 1)
        desk.say("unseen")
        assert await asyncio.to_thread(asked.wait, 30)
        desk.say(None)
        for _ in range(3):
            await anext(stream)
        await handle.signal("order", "complete")
        assert [message.event async for message in stream] == ["complete"]
    assert "cannot be shown any more" in caplog.text


@pytest.mark.usefixtures("worker")
async def test_many_clients_share_one_look(served: str, temporal: Client, desk: Desk, looks: Counter[str]) -> None:
    run_id = await start_at(served)
    await temporal.get_workflow_handle(run_id).signal("write", 1)
    desk.say("for all")
    async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None)) as client:

        async def one() -> str:
            async with following(f"{served}/v1/runs/{run_id}/events", client=client) as messages:
                return str(await anext(message.data["text"] async for message in messages if message.id is None))

        assert await asyncio.gather(*(one() for _ in range(30))) == ["for all"] * 30
    assert looks[run_id] < 30
    desk.say(None)
