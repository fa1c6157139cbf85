"""Cancelled runs that Temporal keeps from ending: paused there, or with a workflow task that fails again and again.

A workflow ends its cancelled run itself, in its next task. One that was paused gets none, and one whose history cannot
be replayed fails each. The first is unpaused, the second is terminated. A run waits for its sections, so they come
first, at any depth.
"""

import time
from typing import Final
from uuid import uuid4

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import (
    DescribeWorkflowExecutionResponse,
    TerminateWorkflowExecutionRequest,
    UnpauseWorkflowExecutionRequest,
)
from temporalio.client import Client

from elcano.service.errors import RunForgotten, TemporalRefused
from elcano.service.temporal.blocked_runs import is_paused, read_task_failure
from elcano.service.temporal.connection import CALL_TIMEOUT, map_rpc_errors
from elcano.service.temporal.executions import ask_for_execution

STUCK_SECONDS: Final = 20.0
"""Seconds that the task of a cancelled run may fail before the run is terminated: a worker may fail tasks while it
cannot reach its store."""
CANCELLED: Final = "the run is cancelled"
CANNOT_CONTINUE: Final = "it was cancelled, and no worker can continue it"


async def free_cancelled_run(client: Client, run_id: str) -> None:
    """Unblock the end of a cancelled run; other runs are left alone."""
    try:
        described = await ask_for_execution(client, run_id)
    except RunForgotten:
        return
    if described.workflow_extended_info.cancel_requested:
        await _free_workflow(client, described)


async def _free_workflow(client: Client, described: DescribeWorkflowExecutionResponse) -> None:
    for child in described.pending_children:
        try:
            await _free_workflow(client, await ask_for_execution(client, child.workflow_id, child.run_id))
        except (RunForgotten, TemporalRefused):  # it ended meanwhile
            continue
    place = described.workflow_execution_info.execution
    with map_rpc_errors():
        if is_paused(described):
            await client.workflow_service.unpause_workflow_execution(
                UnpauseWorkflowExecutionRequest(
                    namespace=client.namespace,
                    workflow_id=place.workflow_id,
                    run_id=place.run_id,
                    identity=client.identity,
                    reason=CANCELLED,
                    request_id=str(uuid4()),
                ),
                timeout=CALL_TIMEOUT,
            )
        elif await _is_stuck(described, client):
            await client.workflow_service.terminate_workflow_execution(
                TerminateWorkflowExecutionRequest(
                    namespace=client.namespace,
                    workflow_execution=WorkflowExecution(workflow_id=place.workflow_id, run_id=place.run_id),
                    identity=client.identity,
                    reason=CANNOT_CONTINUE,
                ),
                timeout=CALL_TIMEOUT,
            )


async def _is_stuck(described: DescribeWorkflowExecutionResponse, client: Client) -> bool:
    since = described.pending_workflow_task.original_scheduled_time.ToMilliseconds() / 1_000
    return time.time() - since >= STUCK_SECONDS and await read_task_failure(described, client) is not None
