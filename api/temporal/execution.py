"""What the Temporal server knows of a run by itself, when no worker can be asked."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.common.v1 import SearchAttributes, WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest, DescribeWorkflowExecutionResponse
from temporalio.client import Client, WorkflowExecutionStatus

from elcano.api.http.schemas import PendingActivity
from elcano.api.http.times import datetime_from_seconds
from elcano.api.temporal.rpc import CALL_TIMEOUT, map_rpc_errors
from elcano.graphs.contracts import RunStatus
from elcano.graphs.labels import MODE_ATTRIBUTE, STAGE_ATTRIBUTE

_STATUSES: Mapping[int, RunStatus] = {
    WorkflowExecutionStatus.COMPLETED: "completed",
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.CANCELED: "cancelled",
    WorkflowExecutionStatus.TERMINATED: "terminated",
    WorkflowExecutionStatus.TIMED_OUT: "terminated",
}
"""Any other status (continued, paused) is a workflow that goes on."""


def _seconds_from_timestamp(moment: Timestamp) -> float | None:
    return moment.ToMilliseconds() / 1_000 if moment.ToMilliseconds() else None


def _find_waiting_queue(pending: PendingActivityInfo) -> str:
    """Where it waits for a worker; empty if it does not."""
    later = (_seconds_from_timestamp(pending.next_attempt_schedule_time) or 0.0) > time.time()
    waits = pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED and not later
    return pending.activity_options.task_queue.name if waits else ""


def _read_keyword(attributes: SearchAttributes, name: str) -> str:
    """A search attribute that is one text, which the server keeps as JSON; empty if the run has none."""
    kept = json.loads(attributes.indexed_fields[name].data) if name in attributes.indexed_fields else ""
    return kept if isinstance(kept, str) else ""


@dataclass(frozen=True)
class Execution:
    """What the server knows of a workflow without asking a worker."""

    id: str
    """Temporal's id of the last execution; empty if the server has none."""
    status: RunStatus
    closed_at: float | None
    """Seconds since the epoch."""
    pending: tuple[PendingActivity, ...]
    mode: str = ""
    """As the run shows it, with the one that it chose if that was left to it: `auto/deep`."""
    stage: str = ""
    """As the run showed it last."""

    @classmethod
    def of(cls, answer: DescribeWorkflowExecutionResponse) -> "Execution":
        """The server's answer in our words."""
        info = answer.workflow_execution_info
        return cls(
            id=info.execution.run_id,
            status=_STATUSES.get(info.status, "running"),
            closed_at=info.close_time.ToMilliseconds() / 1_000 if info.HasField("close_time") else None,
            pending=tuple(
                PendingActivity(
                    activity_id=pending.activity_id,
                    activity=pending.activity_type.name,
                    attempt=pending.attempt,
                    last_failure=pending.last_failure.message,
                    next_try=datetime_from_seconds(_seconds_from_timestamp(pending.next_attempt_schedule_time)),
                    queue=_find_waiting_queue(pending),
                )
                for pending in answer.pending_activities
            ),
            mode=_read_keyword(info.search_attributes, MODE_ATTRIBUTE),
            stage=_read_keyword(info.search_attributes, STAGE_ATTRIBUTE),
        )


async def describe_execution(client: Client, run_id: str, *, again: bool = True) -> Execution:
    """What the server knows of the last execution of the run's workflow; unless `again`, it is asked once.

    Raises:
        RunForgotten: there is no such workflow.
    """
    # The SDK's `describe()` cannot read the status of a workflow that was paused.
    request = DescribeWorkflowExecutionRequest(
        namespace=client.namespace, execution=WorkflowExecution(workflow_id=run_id)
    )
    with map_rpc_errors():
        answer = await client.workflow_service.describe_workflow_execution(request, retry=again, timeout=CALL_TIMEOUT)
    return Execution.of(answer)
