"""What the agents of a workflow write now, as their heartbeats have it: the server says it, no worker is asked.

It costs the workflow nothing, and its history does not grow.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from temporalio.api.common.v1 import Payloads, WorkflowExecution
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest
from temporalio.client import Client

from elcano.api.temporal.rpc import CALL_TIMEOUT, map_rpc_errors
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.contracts import Words


def list_writers() -> frozenset[str]:
    """The agents whose heartbeats can have words."""
    return frozenset(name for name, agent in AGENTS.items() if agent.writes)


@dataclass(frozen=True)
class Writing:
    """An agent of a workflow at work."""

    words: Words | None
    """None: this attempt has none yet, or cannot be watched."""
    beaten: float | None
    """Seconds since the last heartbeat came, by this machine's clock and the server's; None: none came."""


async def read_current_writing(client: Client, run_id: str) -> Writing | None:
    """Return who writes in a workflow's last execution; None if there is no writer. Asks once, without retry.

    Raises:
        RunForgotten: there is no such workflow.
        TemporalUnavailable: the server does not answer.
    """
    request = DescribeWorkflowExecutionRequest(
        namespace=client.namespace, execution=WorkflowExecution(workflow_id=run_id)
    )
    with map_rpc_errors():
        answer = await client.workflow_service.describe_workflow_execution(request, retry=False, timeout=CALL_TIMEOUT)
    for pending in answer.pending_activities:
        if pending.activity_type.name not in list_writers():
            continue
        came = pending.last_heartbeat_time
        words = await _decode_words(client, pending.heartbeat_details)
        return Writing(
            words=words if words is not None and words.attempt == pending.attempt else None,
            beaten=time.time() - came.ToMilliseconds() / 1_000 if came.ToMilliseconds() else None,
        )
    return None


async def _decode_words(client: Client, details: Payloads) -> Words | None:
    """Those in the details of a heartbeat; None if it has none, or those of a worker of another version."""
    if len(details.payloads) < 2:
        return None
    decoded: Sequence[object] = await client.data_converter.decode(details.payloads)
    try:
        return Words.model_validate(decoded[1])
    except ValidationError:
        return None
