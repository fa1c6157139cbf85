"""Attempts whose worker died or stood still are no tries of a call; failures and slowness are; all have an end."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Literal, TypeAlias

import pytest
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError, TimeoutType
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.calls import retry_classification
from elcano.activities.calls.heartbeats import CountTries, send_heartbeats
from elcano.graphs.contracts import MOST_DEATHS, ToolCall
from elcano.graphs.errors import AnswerUnusable
from elcano.graphs.spec.limits import ToolLimits
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.worker import HEARTBEAT_THROTTLE
from elcano.workflows import retry_policies
from tests.unit.dev.test_dev import until

End: TypeAlias = Literal["dies", "fails", "is slow", "is malformed", "answers"]
TRIES = 3
SILENCE = timedelta(seconds=2)
"""After so long the server takes a worker for dead; in runs that is half a minute."""
LONGEST = timedelta(seconds=4)
"""So long an attempt may take."""


@workflow.defn
class Calls:
    """Ends with the number of the attempt that was answered."""

    @workflow.run
    async def run(self) -> int:
        attempt: int = await workflow.execute_activity(
            "call",
            start_to_close_timeout=LONGEST,
            heartbeat_timeout=SILENCE,
            retry_policy=RetryPolicy(
                initial_interval=timedelta(milliseconds=10),
                backoff_coefficient=1.0,
                maximum_attempts=TRIES + MOST_DEATHS,
            ),
            result_type=int,
        )
        return attempt


class Attempts:
    """Each attempt ends as it is written; after the last of these ends as the last one did."""

    def __init__(self, ends: Sequence[End]) -> None:
        self._ends = ends
        self.made: list[End] = []

    @activity.defn(name="call")
    async def call(self) -> int:
        attempt = activity.info().attempt
        end = self._ends[min(attempt, len(self._ends)) - 1]
        self.made.append(end)
        try:
            async with send_heartbeats(timedelta(seconds=0.1)):
                await asyncio.sleep(0.3)
                await self._end(end)
        except Exception as error:
            raise retry_classification.classify_failure(error) from None
        if end == "dies":  # nobody beats any more
            await asyncio.Event().wait()
        return attempt

    async def _end(self, end: End) -> None:
        if end == "fails":
            raise ValueError("no answer")
        if end == "is malformed":
            raise AnswerUnusable("not what was asked for")
        if end == "is slow":
            await asyncio.Event().wait()


@asynccontextmanager
async def calling(client: Client, ends: Sequence[End]) -> AsyncIterator[tuple[Attempts, WorkflowHandle[Calls, int]]]:
    attempts, queue = Attempts(ends), f"tries-{uuid.uuid4()}"
    async with working(client, queue, attempts):
        yield attempts, await client.start_workflow(Calls.run, id=queue, task_queue=queue)


def working(client: Client, queue: str, attempts: Attempts) -> Worker:
    return Worker(
        client,
        task_queue=queue,
        workflows=[Calls],
        activities=[attempts.call],
        interceptors=[CountTries(client)],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
    )


async def refused(handle: WorkflowHandle[Calls, int]) -> BaseException | None:
    """Why the call was not answered."""
    with pytest.raises(WorkflowFailureError) as raised:
        await handle.result()
    assert isinstance(raised.value.cause, ActivityError)
    return raised.value.cause.cause


async def test_deaths_take_no_try_away(temporal: Client) -> None:
    ends: list[End] = ["dies", "dies", "dies", "fails", "dies", "fails", "answers"]
    assert ends.count("dies") > TRIES
    async with calling(temporal, ends) as (attempts, handle):
        assert await handle.result() == len(ends)
    assert attempts.made == ends


async def test_a_call_fails_with_its_last_try_however_many_workers_died(temporal: Client) -> None:
    ends: list[End] = ["dies", "fails", "dies", "fails", "fails"]
    async with calling(temporal, ends) as (attempts, handle):
        why = await refused(handle)
    assert attempts.made == ends
    assert isinstance(why, ApplicationError)
    assert (why.type, why.message) == ("ValueError", "ValueError: no answer")
    assert FailureDetails.model_validate(why.details[0]).attempt == TRIES


async def test_a_call_that_kills_each_of_its_workers_ends(temporal: Client) -> None:
    async with calling(temporal, ["dies"]) as (attempts, handle):
        why = await refused(handle)
    assert attempts.made == ["dies"] * (TRIES + MOST_DEATHS)
    assert isinstance(why, TimeoutError)
    assert why.type == TimeoutType.HEARTBEAT


@workflow.defn
class ToolCalls:
    """One call of a tool whose node gives it so many seconds."""

    @workflow.run
    async def run(self, seconds: float, retried: bool, silence: timedelta) -> None:
        limits = ToolLimits(timeout_seconds=seconds, attempts=2, retry_slow=retried)
        quick = retry_policies.choose_tool_policy("query", None).copy()
        quick["heartbeat_timeout"] = silence
        policy, given = retry_policies.leave_time_to_worker(retry_policies.apply_node_limits(quick, limits), limits)
        call = ToolCall(run_id="run", step=1, node="query", tool="query", input={}, seconds=given)
        await workflow.execute_activity("tool", call, **policy)


@pytest.mark.parametrize(
    ("ends", "retried", "made"),
    [
        (["dies", "answers"], False, ["dies", "answers"]),
        (["is slow", "answers"], False, ["is slow"]),
        (["is slow", "answers"], True, ["is slow", "answers"]),
    ],
)
async def test_a_short_call_outlives_its_worker_and_is_given_up_in_its_own_time(
    temporal: Client, ends: list[End], retried: bool, made: list[End]
) -> None:
    attempts, queue = Attempts(ends), f"tools-{uuid.uuid4()}"

    @activity.defn(name="tool")
    async def use(call: ToolCall) -> int:
        return await attempts.call()

    async with Worker(
        temporal,
        task_queue=queue,
        workflows=[ToolCalls],
        activities=[use],
        interceptors=[CountTries(temporal)],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
    ):
        # A worker on a busy machine may be silent for a while; who waits for a death alone is told of it soon.
        silence = SILENCE if "dies" in ends else timedelta(minutes=1)
        asked = [2.0, retried, silence]
        handle = await temporal.start_workflow(ToolCalls.run, args=asked, id=queue, task_queue=queue)
        if made[-1] == "answers":
            await handle.result()
        else:
            with pytest.raises(WorkflowFailureError) as raised:
                await handle.result()
            assert isinstance(raised.value.cause, ActivityError)
            why = raised.value.cause.cause
            assert isinstance(why, ApplicationError)
            assert (why.type, why.message) == (FailureType.TIMEOUT, "no answer in 2 s")
    assert attempts.made == made


async def test_slowness_is_a_try(temporal: Client) -> None:
    async with calling(temporal, ["dies", "is slow"]) as (attempts, handle):
        why = await refused(handle)
    assert attempts.made == ["dies", *["is slow"] * TRIES]
    assert isinstance(why, ApplicationError)
    assert why.type == FailureType.TIMEOUT


async def test_a_death_is_not_taken_for_a_malformed_answer(temporal: Client) -> None:
    async with calling(temporal, ["dies", "is malformed"]) as (attempts, handle):
        why = await refused(handle)
    assert attempts.made == ["dies", *["is malformed"] * retry_classification.OUTPUT_ATTEMPTS]
    assert isinstance(why, ApplicationError)
    assert why.type == FailureType.MODEL_OUTPUT


async def test_a_worker_that_is_told_to_stop_takes_no_try_away(temporal: Client) -> None:
    attempts, queue = Attempts(["is slow", "fails", "fails", "answers"]), f"tries-{uuid.uuid4()}"
    async with working(temporal, queue, attempts):
        handle = await temporal.start_workflow(Calls.run, id=queue, task_queue=queue)
        await until(lambda: bool(attempts.made))
    async with working(temporal, queue, attempts):
        assert await handle.result() == 4


@pytest.mark.parametrize(
    ("begun", "seconds", "longest"), [(False, 60.0, 60.0), (False, 3_600.0, 600.0), (True, 60.0, 600.0)]
)
def test_the_first_call_of_a_run_ends_with_its_time_for_research(begun: bool, seconds: float, longest: float) -> None:
    policy = retry_policies.limit_to_run_time(retry_policies.AGENT, begun, seconds)
    assert policy["start_to_close_timeout"].total_seconds() == longest
    whole = None if begun else timedelta(seconds=seconds) + retry_policies.WORKER_GRACE
    assert policy["schedule_to_close_timeout"] == whole
