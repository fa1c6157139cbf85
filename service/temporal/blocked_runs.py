"""Why a workflow does not continue until someone acts: it or its call was paused in Temporal, or its task fails."""

from typing import Any, Final

from temporalio.api.enums.v1 import EventType
from temporalio.api.enums.v1 import PendingActivityState as CallState
from temporalio.api.enums.v1 import WorkflowExecutionStatus as RawStatus
from temporalio.api.workflowservice.v1 import (
    DescribeWorkflowExecutionResponse,
    GetWorkflowExecutionHistoryReverseRequest,
)
from temporalio.client import Client

from elcano.graphs.text import shorten_text
from elcano.service.temporal.connection import (
    CALL_TIMEOUT,
    PAUSED,
    STUCK,
    STUCK_SHORT,
    describe_missing_attributes,
    find_missing_attributes,
    map_rpc_errors,
)
from elcano.storage.payloads import read_failure_message


def is_paused(answer: DescribeWorkflowExecutionResponse) -> bool:
    """Whether a workflow was paused in Temporal. The SDK does not know this status."""
    return answer.workflow_execution_info.status == RawStatus.WORKFLOW_EXECUTION_STATUS_PAUSED


async def explain_halt(answer: DescribeWorkflowExecutionResponse, client: Client) -> str:
    """Say why a workflow neither continues nor takes requests until someone acts; empty if it does, or has ended."""
    if is_paused(answer):
        by = describe_pause(answer.workflow_extended_info.pause_info)
        return f"{PAUSED} (by {by})" if by else PAUSED
    failure = await read_task_failure(answer, client)
    if failure is None:
        return ""
    if _LACKS_ATTRIBUTE in failure:
        with map_rpc_errors():
            missing = await find_missing_attributes(client)
        why = describe_missing_attributes(client, missing) if missing else ATTRIBUTES_BACK
        return f"{STUCK_SHORT}: {why}"
    return f"{STUCK} ({shorten_text(failure, 300)}). Workers try again; cancel the run, or reset it in Temporal"


_LACKS_ATTRIBUTE: Final = "BadSearchAttributes"
"""How the server refuses a task that sets a search attribute which was removed."""


ATTRIBUTES_BACK: Final = (
    "the search attributes that it lacked are there again, and the next try continues it: workers try again after "
    "some minutes. Resetting it to its last workflow task in Temporal continues it now, and repeats what was done since"
)


def explain_paused_call(answer: DescribeWorkflowExecutionResponse) -> str:
    """Name the paused call that a workflow waits for; empty if there is none. It blocks once its attempt has ended."""
    calls = (one for one in answer.pending_activities if one.state == CallState.PENDING_ACTIVITY_STATE_PAUSED)
    held = next(calls, None)
    return describe_paused_call(held.activity_type.name, describe_pause(held.pause_info.manual)) if held else ""


_TASK_ENDS: Final = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
        EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
        EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
    }
)


async def read_task_failure(answer: DescribeWorkflowExecutionResponse, client: Client) -> str | None:
    """Return how a worker failed the workflow task that is retried now; None if none did.

    The history has the first failure alone. A task that timed out did not fail: its worker died.
    """
    if answer.pending_workflow_task.attempt < 2:
        return None
    place = answer.workflow_execution_info.execution
    request = GetWorkflowExecutionHistoryReverseRequest(
        namespace=client.namespace, execution=place, maximum_page_size=LATEST_EVENTS
    )
    with map_rpc_errors():
        page = await client.workflow_service.get_workflow_execution_history_reverse(
            request, retry=True, timeout=CALL_TIMEOUT
        )
    for event in page.history.events:
        if event.event_type in _TASK_ENDS:
            failed = event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
            failure = event.workflow_task_failed_event_attributes.failure
            return await read_failure_message(client.data_converter, failure) if failed else None
    return None


LATEST_EVENTS: Final = 50
"""Events that are searched for the end of the last workflow task: those since then are what came meanwhile."""


def describe_paused_call(activity: str, by: str) -> str:
    """Say that a call is paused in Temporal."""
    who = f" (by {by})" if by else ""
    return f"{activity} is paused in Temporal{who}: no other attempt begins until it is unpaused there"


def describe_pause(info: Any) -> str:
    """By whom something was paused, and why: both are texts of any length that a client of Temporal chose."""
    return ", ".join(shorten_text(text, 200) for text in (info.identity, info.reason) if text)
