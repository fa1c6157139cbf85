"""Reads a workflow's history without a worker: whether something happened, and whether a worker was there."""

from collections.abc import AsyncIterator
from typing import Any

from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHandle

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


async def watch_history(handle: WorkflowHandle[Any, Any]) -> AsyncIterator[None]:
    """Yields whenever the workflow may have done something; ends when it is closed (or reset)."""
    continued = True
    while continued:
        async for event in handle.fetch_history_events(wait_new_event=True):
            continued = event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW
            if event.event_type in _WAKING:
                yield


async def was_worked_on(handle: WorkflowHandle[Any, Any]) -> bool:
    """Whether a worker ever took up the workflow."""
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
            return True
    return False
