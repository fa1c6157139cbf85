"""Reading one workflow when nobody can: a branch that outlives its run unread is given up, others are not."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from elcano.graphs.contracts import BranchOf
from elcano.graphs.errors import StoreUnavailable
from elcano.graphs.records import ArchivedRun, ProgressPage
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import RunUnreadable
from elcano.service.events import journal_reader
from elcano.service.events.journal_reader import JournalReader
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.executions import Execution
from elcano.service.temporal.history import WatchedHistory
from elcano.service.temporal.shared_reads import Places, Turns
from elcano.storage.health import OBJECTS_AWAY
from elcano.storage.store import Store

RUN = ArchivedRun(run_id="run-1", question="q", mode="deep", status="running", started_at=1.0)
BRANCH = RUN.model_copy(
    update={"run_id": "run-1.0004.y", "branch_of": BranchOf(run_id="run-1", path="0004.y", section="Costs")}
)


class Wedged(Temporal):
    """A server with one open workflow, which no worker can bring to life."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.asked = asyncio.Event()

    async def progress(self, run_id: str, since: int) -> ProgressPage:
        self.asked.set()
        raise RunUnreadable("the worker cannot read this run")

    async def describe(self, run_id: str) -> Execution:
        return Execution(id="1", status="running", closed_at=None, pending=())

    async def changes(self, run_id: str) -> AsyncIterator[WatchedHistory]:
        await asyncio.Event().wait()
        yield WatchedHistory()


async def read(store: Store, run: ArchivedRun, temporal: Wedged, told: list[AgentEvent], said: list[str]) -> None:
    def tell(events: Sequence[AgentEvent]) -> None:
        told.extend(events)

    await JournalReader(run, temporal, store.of(run.tenant), tell, said.append).run()


async def test_a_branch_that_nobody_can_read_is_given_up_when_its_run_has_ended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_reader, "POLL_FLOOR", 0.01)
    await store.of("default").runs.begin(RUN)
    told: list[AgentEvent] = []
    said: list[str] = []
    temporal = Wedged()
    reading = asyncio.create_task(read(store, BRANCH, temporal, told, said))
    for _ in range(3):
        temporal.asked.clear()
        await temporal.asked.wait()
    assert not reading.done()
    assert told == []
    await store.of("default").runs.archive(RUN.model_copy(update={"status": "terminated"}), [])
    await reading
    (last,) = told
    assert last.terminal
    assert last.data["incomplete"]
    assert set(said) == {"Costs: the worker cannot read this run"}
    assert await store.of("default").runs.get(BRANCH.run_id) is None


class Stumbling(Wedged):
    """A server of which the first answers cannot be read, for reasons that nobody foresaw."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)

    async def progress(self, run_id: str, since: int) -> ProgressPage:
        if self.errors:
            raise self.errors.pop(0)
        last = AgentEvent(seq=1, type="complete", message="Done", at=2.0, step=1, iteration=1)
        return ProgressPage(events=(last,), last=1, done=True)


async def test_a_reader_survives_what_nobody_foresaw_and_says_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(journal_reader, "POLL_FLOOR", 0.01)
    told: list[AgentEvent] = []
    said: list[str] = []
    broken = FileNotFoundError("payloads/run-1/0123"), StoreUnavailable("s3 is away"), KeyError("events")
    await read(store, RUN, Stumbling(*broken), told, said)
    assert [event.type for event in told] == ["complete"]
    assert set(said) == {
        journal_reader.CANNOT_READ,
        f"the store cannot be used: {OBJECTS_AWAY}",
    }
    logged = [(record.levelname, record.exc_info is not None) for record in caplog.records]
    assert logged == [("ERROR", True), ("WARNING", False), ("ERROR", True)]
    assert "s3 is away" in caplog.text


class InPages(Wedged):
    """A server whose one answer comes in pages, of an event each; nothing happens to the run after that."""

    async def progress(self, run_id: str, since: int) -> ProgressPage:
        last = since + 1
        event = AgentEvent(
            seq=last, type="complete" if last == 3 else "searching", message="", at=2.0, step=1, iteration=1
        )
        return ProgressPage(events=(event,), last=last, more=last < 3, done=last == 3)


async def test_one_look_reads_all_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_reader, "POLL_FLOOR", 0.01)
    looks = 0
    wait_for_turn = JournalReader._wait_for_turn

    async def count(self: JournalReader) -> Places:
        nonlocal looks
        looks += 1
        return await wait_for_turn(self)

    monkeypatch.setattr(JournalReader, "_wait_for_turn", count)
    told: list[AgentEvent] = []
    await read(store, RUN, InPages(), told, [])
    assert ([event.seq for event in told], looks) == ([1, 2, 3], 1)
