"""What the Temporal server knows of a run and its sections: which activities were reported, which are on their way."""

from collections.abc import AsyncIterator
from typing import Any, TypeAlias

from temporalio.api.enums.v1 import EventType
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowHandle

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.tools import TOOLS

Call: TypeAlias = tuple[str, str]
"""Run id and activity id."""


async def completed_activities(client: Client, run_id: str) -> dict[Call, str]:
    """The activities of the run and its sections whose results the server has, and their types."""
    found: dict[Call, str] = {}
    async for handle in _run_and_sections(client, run_id):
        scheduled: dict[int, tuple[str, str]] = {}
        async for event in handle.fetch_history_events():
            match event.event_type:
                case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                    attributes = event.activity_task_scheduled_event_attributes
                    scheduled[event.event_id] = (attributes.activity_id, attributes.activity_type.name)
                case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
                    done = event.activity_task_completed_event_attributes.scheduled_event_id
                    activity_id, kind = scheduled[done]
                    found[handle.id, activity_id] = kind
    return found


async def completed_calls(client: Client, run_id: str) -> int:
    """How many calls of agents and tools the run and its sections have results of."""
    kinds = (await completed_activities(client, run_id)).values()
    return sum(kind in AGENTS or kind in TOOLS for kind in kinds)


async def pending_activities(client: Client, run_id: str) -> dict[Call, PendingActivityInfo]:
    """The activities of the run and its sections that are scheduled or on their way."""
    return {
        (handle.id, pending.activity_id): pending
        async for handle in _run_and_sections(client, run_id)
        for pending in (await handle.describe()).raw_description.pending_activities
    }


async def _run_and_sections(client: Client, run_id: str) -> AsyncIterator[WorkflowHandle[Any, Any]]:
    run_ids = [run_id]
    while run_ids:
        handle = client.get_workflow_handle(run_ids.pop())
        yield handle
        async for event in handle.fetch_history_events():
            if event.event_type == EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED:
                child = event.child_workflow_execution_started_event_attributes.workflow_execution
                run_ids.append(child.workflow_id)
