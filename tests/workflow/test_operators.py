"""What somebody does to a run with Temporal's own tools: signals that no handler takes, calls paused and reset."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from temporalio import activity, workflow
from temporalio.api.activity.v1 import ActivityOptions
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import (
    PauseActivityRequest,
    ResetActivityRequest,
    UnpauseActivityRequest,
    UpdateActivityOptionsRequest,
)
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.calls.heartbeats import CountTries, send_heartbeats
from elcano.activities.calls.paused_activities import SHUTDOWN, given_up
from elcano.graphs.contracts import BRANCH_HELD_SIGNAL, CONTROL_SIGNAL, MOST_DEATHS
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Script
from elcano.worker import HEARTBEAT_THROTTLE
from tests.workflow.conftest import Start

ACTIVITY = "the-call"
TRIES = 2


@pytest.mark.parametrize("signal", [CONTROL_SIGNAL, BRANCH_HELD_SIGNAL, "unheard_of"])
@pytest.mark.parametrize(
    "inputs", [[], [1, "two"], [{"action": {"kind": "no such"}}], ["text"]], ids=["none", "two", "unknown", "text"]
)
async def test_a_signal_that_no_handler_takes_changes_nothing(
    signal: str, inputs: list[Any], start: Start, script: Script
) -> None:
    handle = await start()
    await handle.signal(signal, args=inputs)
    async with asyncio.timeout(60):
        await handle.result()
    assert script.published


@workflow.defn
class OneCall:
    """Ends with the number of the attempt that was answered."""

    @workflow.run
    async def run(self) -> int:
        attempt: int = await workflow.execute_activity(
            "call",
            activity_id=ACTIVITY,
            start_to_close_timeout=timedelta(minutes=1),
            heartbeat_timeout=timedelta(seconds=5),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            retry_policy=RetryPolicy(maximum_attempts=TRIES + MOST_DEATHS),
            result_type=int,
        )
        return attempt


class Model:
    """A call that is paid for when it begins, and answered when `answers` is set."""

    def __init__(self) -> None:
        self.begun = 0
        self.beat = timedelta(seconds=0.1)
        self.under_way = asyncio.Event()
        self.repeated = asyncio.Event()
        self.answers = asyncio.Event()
        self.given_up = False

    @activity.defn(name="call")
    async def call(self) -> int:
        self.begun += 1
        if self.begun > 1:
            self.repeated.set()
        self.under_way.set()
        async with send_heartbeats(self.beat):
            try:
                await self.answers.wait()
            except asyncio.CancelledError:
                self.given_up = given_up()
                raise
        return activity.info().attempt


@asynccontextmanager
async def calling(client: Client, beat: float = 0.1) -> AsyncIterator[tuple[Model, WorkflowHandle[OneCall, int]]]:
    """A call that is under way."""
    model, queue = Model(), f"operators-{uuid.uuid4()}"
    model.beat = timedelta(seconds=beat)
    async with Worker(
        client,
        task_queue=queue,
        workflows=[OneCall],
        activities=[model.call],
        interceptors=[CountTries(client)],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
    ):
        handle = await client.start_workflow(OneCall.run, id=queue, task_queue=queue)
        async with asyncio.timeout(90):
            await model.under_way.wait()
            yield model, handle


async def pause(client: Client, run_id: str) -> None:
    place = WorkflowExecution(workflow_id=run_id)
    await client.workflow_service.pause_activity(
        PauseActivityRequest(namespace=client.namespace, execution=place, id=ACTIVITY, identity="ops", reason="moving")
    )


async def unpause(client: Client, run_id: str) -> None:
    place = WorkflowExecution(workflow_id=run_id)
    await client.workflow_service.unpause_activity(
        UnpauseActivityRequest(namespace=client.namespace, execution=place, id=ACTIVITY)
    )


async def reset(client: Client, run_id: str) -> None:
    place = WorkflowExecution(workflow_id=run_id)
    await client.workflow_service.reset_activity(
        ResetActivityRequest(namespace=client.namespace, execution=place, id=ACTIVITY)
    )


@pytest.mark.parametrize("acts", [[pause], [reset], [pause, reset, unpause]], ids=["pause", "reset", "all"])
async def test_a_paid_call_is_answered_though_its_activity_is_paused_or_reset(
    temporal: Client, acts: list[Any]
) -> None:
    async with calling(temporal) as (model, handle):
        for act in acts:
            await act(temporal, handle.id)
            await asyncio.sleep(0.5)  # a few heartbeats, by whose answers a worker hears of it
        model.answers.set()
        assert await handle.result() == 1
    assert model.begun == 1


async def test_a_paused_call_is_given_up_when_its_run_is_cancelled(temporal: Client) -> None:
    """The SDK tells an activity of one cancellation alone, and the pause was one."""
    async with calling(temporal) as (model, handle):
        await pause(temporal, handle.id)
        await asyncio.sleep(0.5)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError) as raised:
            await handle.result()
    assert model.given_up
    cause = raised.value.cause
    assert isinstance(cause, CancelledError) or (
        isinstance(cause, ActivityError)
        and isinstance(cause.cause, ApplicationError)
        and cause.cause.type == FailureType.ABANDONED
    )


async def test_a_call_whose_heartbeat_timeout_was_shortened_is_made_once_more_at_most(temporal: Client) -> None:
    """The attempt under way does not know of it, and the server gives the next one the timeout that the first had."""
    async with calling(temporal, beat=0.5) as (model, handle):
        await temporal.workflow_service.update_activity_options(
            UpdateActivityOptionsRequest(
                namespace=temporal.namespace,
                execution=WorkflowExecution(workflow_id=handle.id),
                id=ACTIVITY,
                activity_options=ActivityOptions(heartbeat_timeout=Duration(seconds=1, nanos=600_000_000)),
                update_mask=FieldMask(paths=["heartbeat_timeout"]),
            )
        )
        await model.repeated.wait()
        await asyncio.sleep(5.0)  # three times the timeout
        model.answers.set()
        assert await handle.result() == 2
    assert model.begun == 2


async def test_a_worker_that_stops_waits_no_longer_for_a_paused_call_than_for_others(temporal: Client) -> None:
    """The SDK does not tell such a call of its worker's end either. It is no try: another worker repeats it."""
    async with calling(temporal) as (model, handle):
        await pause(temporal, handle.id)
        await asyncio.sleep(0.5)
    assert not model.given_up
    description = await handle.describe()
    (pending,) = description.raw_description.pending_activities
    assert (pending.paused, pending.last_failure.application_failure_info.type) == (True, SHUTDOWN)
    await handle.terminate()
