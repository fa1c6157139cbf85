"""Histories: watched and read without a worker, and deleted with every execution of a run and of its branches.

Deletion goes by workflow id, because a run that was continued as new or reset has several executions, and a branch of a
branch is named by no record of ours. What one call leaves, because it was cut off, the next call finds.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflow.v1 import WorkflowExecutionInfo
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest, ListWorkflowExecutionsRequest
from temporalio.client import Client, WorkflowHandle, WorkflowHistoryEventAsyncIterator

from elcano.graphs.contracts import CARRIED_EVENTS, CHAIN_WORKFLOW, Engine
from elcano.graphs.records import ProgressPage
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import DeleteRefused, RunForgotten, RunUnreadable
from elcano.service.temporal.connection import CALL_TIMEOUT, map_rpc_errors
from elcano.service.temporal.executions import describe_execution
from elcano.service.temporal.shared_reads import Places

PAGE: Final = 500
"""Workflows that are listed at a time."""
_WAKING = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
    }
)


_TASK_BEGINS: Final = (EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED)
_TASK_OPEN: Final = (
    EventType.EVENT_TYPE_UNSPECIFIED,
    *_TASK_BEGINS,
    EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
    EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
)
"""The last events of a history whose run has yet to hear of something; the first one is that of an unknown history."""


_CALL_ENDS: Final = (
    EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
    EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
    EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
    EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED,
)
_BRANCH_ENDS: Final = (
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED,
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED,
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED,
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TIMED_OUT,
    EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED,
)


@dataclass
class WatchedHistory:
    """A history that is being watched."""

    is_still: bool = False
    """Whether the next event is waited for, and no workflow task is open: the run can have done nothing new."""
    task: int = 0
    """The number of the event by which the last workflow task was scheduled."""
    read: int = -1
    """The number of the last task whose outcome the reader has: it sets this."""
    is_open: bool = False
    """Whether that task has not ended: a query now is answered with it, which spares the run a task and its reader two
    events."""
    open_calls: int = 0
    open_branches: int = 0
    is_paused: bool = False
    """Whether the last event is that it was paused in Temporal."""
    carries: bool | None = None
    """Whether it carries events of the run; None until its first task has ended."""
    is_complete: bool = False
    """Whether it carries all events up to the last task that ended."""
    pages: list[ProgressPage] = field(default_factory=list)
    """Carried events that its reader has not taken: the reader takes them out."""

    @property
    def waits_for_branches(self) -> bool:
        """Whether it waits for branches alone: what keeps them waiting is for their own histories to say."""
        return self.is_still and self.open_branches > 0 and not self.open_calls and not self.is_paused

    def take_carried(self, last: int) -> tuple[AgentEvent, ...] | None:
        """Take the carried events after number `last`; None if there are or may be others."""
        pages, self.pages = self.pages, []
        if not pages or not self.is_complete:
            return None
        found: list[AgentEvent] = []
        for event in (one for page in pages for one in page.events):
            if event.seq == last + len(found) + 1:
                found.append(event)
            elif event.seq > last + len(found):
                return None
        return tuple(found)

    def carry(self, event: HistoryEvent) -> None:
        """Keep the data of an event."""
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            self.is_complete = False
        elif (carried := _read_carried(event)) is not None:
            page = _understand(carried)
            self.is_complete = page is not None  # else a query tells: that is answered by the release of the worker
            if page is not None:
                self.carries = True
                self.pages.append(page)

    def note(self, event: EventType.ValueType) -> None:
        """Take an event into account."""
        self.open_calls += (event == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED) - (event in _CALL_ENDS)
        self.open_branches += (event == EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED) - (event in _BRANCH_ENDS)
        self.is_paused = event == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_PAUSED


def _read_carried(event: HistoryEvent) -> bytes | None:
    """The page of events that an event of a history carries."""
    result = event.workflow_execution_completed_event_attributes.result.payloads
    if result:
        return result[0].metadata.get(CARRIED_EVENTS)
    scheduled = event.activity_task_scheduled_event_attributes.header.fields
    begun = event.start_child_workflow_execution_initiated_event_attributes.header.fields
    header = scheduled.get(CARRIED_EVENTS) or begun.get(CARRIED_EVENTS)
    return None if header is None else header.data


def _understand(carried: bytes) -> ProgressPage | None:
    """The page that was carried; None for one of a newer release, of which this one may not know all events."""
    with suppress(ValidationError):
        return ProgressPage.model_validate_json(carried)
    return None


async def read_carried_events(client: Client, run_id: str, execution: str, since: int) -> list[AgentEvent]:
    """The events after number `since` that the history of an execution carries, up to the first one that it does not.

    Or up to the first page that is of a newer release and not understood.

    Raises:
        RunForgotten: the server does not have it.
    """
    found: list[AgentEvent] = []
    async for event in read_history(client, run_id, execution):
        if (carried := _read_carried(event)) is not None:
            if (page := _understand(carried)) is None:
                break
            for one in page.events:
                if one.seq == since + len(found) + 1:
                    found.append(one)
    return found


TASK_SECONDS: Final = (0.01, 0.1)
"""Seconds for which a workflow task that has begun is left alone: a poll meanwhile would return with its start alone,
and a busy worker is waited for twice as long the next time."""
WATCH_SECONDS: Final = 5.0
"""Seconds to watch a history without news while others wait for their turn; the next watch continues where this one
ended."""


async def watch_history(handle: WorkflowHandle[Any, Any], watches: Places) -> AsyncIterator[WatchedHistory]:
    """Yields whenever the workflow may have done something, or is about to; ends when it is closed (or reset)."""
    continued, last, watched = True, EventType.EVENT_TYPE_UNSPECIFIED, WatchedHistory()
    least, most = TASK_SECONDS
    pause = least
    try:
        while continued:
            pages, watched.read = handle.fetch_history_events(wait_new_event=True), -1
            watched.open_calls = watched.open_branches = 0
            watched.carries = None
            while pages.current_page is None or pages.next_page_token is not None:
                async with watches.take():
                    watched.is_still = last not in _TASK_OPEN
                    if not await _fetch_next_page(pages, WATCH_SECONDS if watches.taken else None):
                        continue
                began, watched.is_still = last in _TASK_BEGINS, False
                watched.is_open = woken = False
                for event in pages.current_page or ():
                    last = event.event_type
                    watched.note(last)
                    watched.carry(event)
                    continued = last == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW
                    if last == EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
                        watched.task = event.event_id
                    elif last in _WAKING and watched.read != watched.task:
                        woken = True
                if woken:
                    watched.carries, pause = bool(watched.carries), max(pause / 2, least)
                    yield watched
                elif began:
                    pause = min(2 * pause, most)
                if last in _TASK_BEGINS and watched.carries is not False:
                    await asyncio.sleep(pause)
                elif last in _TASK_BEGINS and watched.read != watched.task:
                    watched.is_open = True
                    yield watched
    finally:
        watched.is_still = False


async def _fetch_next_page(pages: WorkflowHistoryEventAsyncIterator, seconds: float | None) -> bool:
    """Whether it came in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await pages.fetch_next_page()
            return True
    return False


async def was_worked_on(handle: WorkflowHandle[Any, Any]) -> bool:
    """Whether a worker ever took up the workflow."""
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
            return True
    return False


async def delete_workflows(client: Client, run_id: str, branches: Sequence[str], archived: str = "") -> None:
    """Deletes every execution of a run and of its branches, of which `branches` are known, if all are closed.

    The execution `archived` is as good as closed: it has stored its ending, and a worker that was stopped just then
    left its last task undone. The server answers at once, ends that one, and deletes them all within a minute.

    Raises:
        DeleteRefused: one of the workflows is open; nothing was deleted.
    """
    found = set(await _list_executions(client, run_id))
    for workflow_id in sorted({run_id, *branches, *(listed for listed, _ in found)}):
        try:
            last = await describe_execution(client, workflow_id)
        except RunForgotten:
            continue
        if last.status == "running" and last.id != archived:
            raise DeleteRefused(f"the workflow {workflow_id!r} has not ended: ask again when it has, or terminate it")
        found.add((workflow_id, last.id))  # the list is seconds behind
    for workflow_id, execution in sorted(found):
        await delete_execution(client, workflow_id, execution)


async def _list_executions(client: Client, run_id: str) -> list[tuple[str, str]]:
    """Workflow and execution of everything that the server's list has of the run and its branches."""
    name = run_id.replace("'", "''")
    query = f"WorkflowId = '{name}' OR WorkflowId STARTS_WITH '{name}.'"
    return [(one.execution.workflow_id, one.execution.run_id) async for one in list_workflows(client, query)]


async def list_workflows(client: Client, query: str) -> AsyncIterator[WorkflowExecutionInfo]:
    """The workflows that a query of Temporal's finds. The SDK's own list ends at the first one that is paused."""
    request = ListWorkflowExecutionsRequest(namespace=client.namespace, query=query, page_size=PAGE)
    while True:
        with map_rpc_errors():
            page = await client.workflow_service.list_workflow_executions(request, retry=True, timeout=CALL_TIMEOUT)
        for one in page.executions:
            yield one
        if not page.next_page_token:
            return
        request.next_page_token = page.next_page_token


async def read_history(client: Client, run_id: str, execution: str) -> AsyncIterator[HistoryEvent]:
    """The events of one execution, first to last; payloads that are objects are not read.

    Raises:
        RunForgotten: the server does not have it.
    """
    handle = client.get_workflow_handle(run_id, run_id=execution)
    with map_rpc_errors():
        async for event in handle.fetch_history_events():
            yield event


async def read_input(client: Client, run_id: str, execution: str) -> tuple[ResearchInput, Engine]:
    """Return the input of an execution of a run.

    Raises:
        RunForgotten: the server does not have it.
        RunUnreadable: its input cannot be read: an object or a key is missing.
    """
    async for event in read_history(client, run_id, execution):
        if event.event_type != EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
            break
        began = event.workflow_execution_started_event_attributes
        with map_rpc_errors():
            decoded: list[Any] = await client.data_converter.decode(began.input.payloads, [ResearchInput])
        if not decoded:
            break
        return decoded[0], "chain" if began.workflow_type.name == CHAIN_WORKFLOW else "graph"
    raise RunUnreadable(f"the history of {run_id!r} does not say what it began with")


async def delete_execution(client: Client, workflow_id: str, execution: str) -> None:
    """Has the server delete one execution with its history, within a minute; one that is gone is no error.

    Raises:
        TemporalUnavailable: it does not answer.
    """
    request = DeleteWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=workflow_id, run_id=execution),
    )
    try:
        with map_rpc_errors():
            await client.workflow_service.delete_workflow_execution(request, retry=True, timeout=CALL_TIMEOUT)
    except RunForgotten:  # someone was quicker
        return
