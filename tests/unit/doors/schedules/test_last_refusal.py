"""What the last time of a schedule came to is told where it can be read, and keeps no schedule from being shown."""

from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.client import Client, ScheduleActionExecutionStartWorkflow, ScheduleDescription
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from elcano.doors.schedules.contracts import CHECK, START
from elcano.doors.schedules.temporal_schedules import TRIED_AGAIN, UNREADABLE_FAILURE, read_last_refusal


class Sealed(DataConverter):
    """Of an operator whose key is gone."""

    async def decode_failure(self, failure: Failure) -> BaseException:
        raise ValueError("no such key")


class Handle:
    def __init__(self, events: Sequence[HistoryEvent], error: RPCError | None) -> None:
        self._events = events
        self._error = error

    async def fetch_history_events(self, **_: object) -> AsyncIterator[HistoryEvent]:
        if self._error is not None:
            raise self._error
        for event in self._events:
            yield event


class Service:
    """Of a server whose open workflow waits with these calls."""

    def __init__(self, calls: Sequence[PendingActivityInfo]) -> None:
        self._calls = calls

    async def describe_workflow_execution(self, *_: object, **__: object) -> DescribeWorkflowExecutionResponse:
        return DescribeWorkflowExecutionResponse(pending_activities=self._calls)


def read(
    events: Sequence[HistoryEvent],
    converter: DataConverter,
    error: RPCError | None = None,
    calls: Sequence[PendingActivityInfo] = (),
) -> Any:
    last = ScheduleActionExecutionStartWorkflow(workflow_id="schedule.default.one", first_execution_run_id="1")
    info = SimpleNamespace(recent_actions=[SimpleNamespace(action=last)], running_actions=[])
    client = SimpleNamespace(
        get_workflow_handle=lambda workflow_id, run_id: Handle(events, error),
        data_converter=converter,
        namespace="default",
        workflow_service=Service(calls),
    )
    return read_last_refusal(cast("ScheduleDescription", SimpleNamespace(info=info)), cast("Client", client))


def fail(message: str) -> HistoryEvent:
    event = HistoryEvent()
    event.workflow_execution_failed_event_attributes.failure.message = message
    return event


async def test_a_time_that_is_open_beside_others_has_refused_nothing() -> None:
    assert await read([], DataConverter.default) == ""


async def test_a_time_that_could_not_start_yet_says_why_and_that_it_is_tried_again() -> None:
    call = PendingActivityInfo()
    call.activity_type.name = START
    assert await read([], DataConverter.default, calls=[call]) == "", "its first attempt is under way"
    call.last_failure.message = "no place for it"
    assert await read([], DataConverter.default, calls=[call]) == f"no place for it; {TRIED_AGAIN}"
    call.last_failure.encoded_attributes.data = b"sealed"
    assert await read([], Sealed(), calls=[call]) == f"{UNREADABLE_FAILURE}; {TRIED_AGAIN}"
    call.activity_type.name = CHECK
    assert await read([], DataConverter.default, calls=[call]) == "", "its run was started"


async def test_a_failure_is_told_and_one_that_cannot_be_decrypted_is_one_all_the_same() -> None:
    assert await read([fail("no place for it")], DataConverter.default) == "no place for it"
    assert await read([fail("sealed")], Sealed()) == UNREADABLE_FAILURE


@pytest.mark.parametrize("status", [RPCStatusCode.NOT_FOUND, RPCStatusCode.UNAVAILABLE])
async def test_what_cannot_be_read_is_left_out(status: RPCStatusCode) -> None:
    assert await read([], DataConverter.default, RPCError("no", status, b"")) == ""
