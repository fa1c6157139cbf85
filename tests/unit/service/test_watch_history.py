"""Histories are watched in turns when there are more than places, and nothing that happens in between is missed."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from typing import Any, cast

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowHandle

from elcano.graphs.contracts import CARRIED_EVENTS
from elcano.graphs.records import ProgressPage
from elcano.graphs.state.events import AgentEvent
from elcano.service.temporal import history
from elcano.service.temporal.history import WatchedHistory, read_carried_events, watch_history
from elcano.service.temporal.shared_reads import Places

TASK = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
SCHEDULED = EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED
STARTED = EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED
OTHER = EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
DONE = EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED
PAUSED = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_PAUSED
CONTINUED = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW
CLOSED = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED


def make_event(kind: EventType.ValueType) -> HistoryEvent:
    return HistoryEvent(event_type=kind)


class Pages:
    """The pages of one execution's history, as the SDK fetches them: each once there is something for it."""

    def __init__(self) -> None:
        self.current_page: list[HistoryEvent] | None = None
        self.next_page_token: bytes | None = None
        self.asked = 0
        self._ids = count(1)
        self._recorded: asyncio.Queue[list[HistoryEvent]] = asyncio.Queue()

    def record(self, *events: EventType.ValueType | HistoryEvent) -> None:
        self._recorded.put_nowait([one if isinstance(one, HistoryEvent) else make_event(one) for one in events])

    async def fetch_next_page(self) -> None:
        self.asked += 1
        events = self.current_page = await self._recorded.get()
        for event in events:
            event.event_id = next(self._ids)
        self.next_page_token = None if events and events[-1].event_type in {CONTINUED, CLOSED} else b"next"


class Handle:
    """A workflow with one execution after another."""

    def __init__(self, *executions: Pages) -> None:
        self._executions = list(executions)

    def fetch_history_events(self, *, wait_new_event: bool) -> Pages:
        assert wait_new_event
        return self._executions.pop(0)


async def count_wakes(watches: Places, *executions: Pages) -> int:
    handle = cast("WorkflowHandle[Any, Any]", Handle(*executions))
    return len([None async for _ in watch_history(handle, watches)])


async def test_watching_ends_with_the_last_execution_and_wakes_only_for_what_workflows_did() -> None:
    first, second = Pages(), Pages()
    for page in ([TASK, OTHER], [], [OTHER], [OTHER, TASK, TASK], [TASK, CONTINUED]):
        first.record(*page)
    for page in ([TASK], [CLOSED]):
        second.record(*page)
    assert await count_wakes(Places(1), first, second) == 5  # one for each page with what the workflow did


async def test_a_task_is_told_of_when_it_begins_and_not_again_when_its_outcome_has_been_read() -> None:
    pages, told = Pages(), []
    pages.record(TASK)  # it carries nothing: later tasks are queried as soon as they begin
    for page in ([SCHEDULED], [STARTED], [TASK, OTHER], [OTHER, SCHEDULED, STARTED], [TASK, CLOSED]):
        pages.record(*page)
    async for watched in watch_history(cast("WorkflowHandle[Any, Any]", Handle(pages)), Places(1)):
        told.append(watched.is_open)
        if len(told) == 4:  # the looks before failed
            watched.read = watched.task
        assert not watched.is_still
    assert told == [False, True, True, False, True, False]


def carry(event: HistoryEvent, *numbers: int) -> HistoryEvent:
    found = [AgentEvent(seq=number, type="searching", message="?", at=1.0, step=1, iteration=1) for number in numbers]
    page = ProgressPage(events=tuple(found), last=numbers[-1] if numbers else 0)
    data = page.model_dump_json().encode()
    if event.event_type == CLOSED:
        result = event.workflow_execution_completed_event_attributes.result
        result.payloads.add(metadata={CARRIED_EVENTS: data})
    else:
        event.activity_task_scheduled_event_attributes.header.fields[CARRIED_EVENTS].data = data
    return event


async def test_a_history_that_carries_events_wakes_its_reader_with_them_and_not_before() -> None:
    pages, found = Pages(), []
    for page in (
        [SCHEDULED],
        [STARTED],
        [TASK, carry(make_event(OTHER), 1, 2)],
        [DONE, SCHEDULED, STARTED],
        [TASK, carry(make_event(OTHER)), DONE, SCHEDULED],
        [TASK, carry(make_event(CLOSED), 3)],
    ):
        pages.record(*page)
    last = 0
    async for watched in watch_history(cast("WorkflowHandle[Any, Any]", Handle(pages)), Places(1)):
        assert not watched.is_open
        taken = watched.take_carried(last)
        assert taken is not None
        found.append([event.seq for event in taken])
        last = max([last, *found[-1]])
    assert found == [[1, 2], [], [3]]


@pytest.mark.parametrize(
    ("carried", "last", "taken"),
    [
        ([[1, 2], [3]], 0, [1, 2, 3]),
        ([[1, 2], [2, 3]], 1, [2, 3]),  # the reader has had some of them
        ([[4]], 2, None),  # number 3 was too large
        ([[1], None], 0, None),  # the last task carried nothing: it may have brought others
        ([None, [1, 2]], 0, [1, 2]),
        ([], 0, None),
    ],
)
def test_carried_events_are_taken_if_none_is_missing(
    carried: list[list[int] | None], last: int, taken: list[int] | None
) -> None:
    watched = WatchedHistory()
    for numbers in carried:
        watched.carry(make_event(TASK))
        if numbers is not None:
            watched.carry(carry(make_event(OTHER), *numbers))
    found = watched.take_carried(last)
    assert (None if found is None else [event.seq for event in found]) == taken
    assert watched.take_carried(last) is None  # they are taken once


def carry_newer(event: HistoryEvent, number: int) -> HistoryEvent:
    """An event of a kind that this release does not know."""
    header = carry(event, number).activity_task_scheduled_event_attributes.header.fields[CARRIED_EVENTS]
    header.data = header.data.replace(b'"searching"', b'"pondering"')
    return event


def test_events_of_a_newer_release_are_left_to_queries() -> None:
    watched = WatchedHistory()
    for event in (make_event(TASK), carry(make_event(OTHER), 1), carry_newer(make_event(OTHER), 2)):
        watched.carry(event)
    assert watched.take_carried(0) is None


class Closed:
    """A client of a server that has one history."""

    def __init__(self, *events: HistoryEvent) -> None:
        self._events = events

    def get_workflow_handle(self, workflow_id: str, *, run_id: str) -> "Closed":
        return self

    async def fetch_history_events(self) -> AsyncIterator[HistoryEvent]:
        for event in self._events:
            yield event


async def test_a_history_is_read_up_to_the_events_of_a_newer_release() -> None:
    begun, newer, later = carry(make_event(OTHER), 1, 2), carry_newer(make_event(OTHER), 3), make_event(OTHER)
    closed = Closed(begun, newer, carry(later, 3, 4))
    found = await read_carried_events(cast("Client", closed), "run", "execution", 1)
    assert [event.seq for event in found] == [2]


async def test_a_run_waits_for_branches_alone_while_it_has_no_call_of_its_own() -> None:
    events = EventType
    begun, ended = events.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED, events.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED
    watched, told = WatchedHistory(is_still=True), []
    for event in (begun, OTHER, events.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT, PAUSED, TASK, ended):
        watched.note(event)
        told.append(watched.waits_for_branches)
    assert told == [True, False, True, False, True, False]


async def test_histories_in_which_nothing_happens_leave_their_places_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "WATCH_SECONDS", 0.0)
    watches, quiet, busy = Places(1), Pages(), Pages()
    watching = asyncio.create_task(count_wakes(watches, quiet))
    for _ in range(20):
        busy.record(TASK)
    busy.record(CLOSED)
    assert await count_wakes(watches, busy) == 21
    assert not watching.done()
    quiet.record(TASK, CLOSED)
    assert await watching == 1


async def test_a_history_is_watched_in_one_go_while_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "WATCH_SECONDS", 0.0)
    watches, quiet = Places(2), Pages()
    watching = asyncio.create_task(count_wakes(watches, quiet))
    await asyncio.sleep(0)
    assert not watches.taken
    await asyncio.sleep(0.05)
    assert quiet.asked == 1
    quiet.record(CLOSED)
    assert await watching == 1


async def test_a_task_that_outlasts_its_pause_is_left_alone_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, pauses, sleep = Pages(), [], asyncio.sleep

    async def record_pause(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr("elcano.service.temporal.history.asyncio.sleep", record_pause)
    for page in ([SCHEDULED], [STARTED], [TASK, carry(make_event(OTHER))], [DONE, SCHEDULED], [TASK, CLOSED]):
        pages.record(*page)
    assert await count_wakes(Places(1), pages) == 2
    assert pauses == [0.01, 0.02, 0.01]
