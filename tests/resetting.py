"""Resetting a run as an operator does in the Temporal UI."""

import uuid

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client


async def reset_before(client: Client, run_id: str, activity_id: str) -> str:
    """Resets a run to before it called an activity; gives the new execution's id."""
    handle = client.get_workflow_handle(run_id)
    execution = (await handle.describe()).run_id
    async for event in handle.fetch_history_events():
        scheduled = event.activity_task_scheduled_event_attributes
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED and scheduled.activity_id == activity_id:
            break
    else:
        raise AssertionError(f"no activity {activity_id!r}")
    answer = await client.workflow_service.reset_workflow_execution(
        ResetWorkflowExecutionRequest(
            namespace=client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
            reason="mended",
            request_id=str(uuid.uuid4()),
            workflow_task_finish_event_id=scheduled.workflow_task_completed_event_id,
        )
    )
    return answer.run_id
