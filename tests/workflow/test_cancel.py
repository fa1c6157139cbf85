"""A cancelled run ends at once and without a report, says who wanted it and why, and frees what was running for it."""

import asyncio
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from temporalio.api.common.v1 import Payloads
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    PollActivityTaskQueueRequest,
    PollActivityTaskQueueResponse,
    RespondActivityTaskCompletedRequest,
)
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.calls.heartbeats import CountTries, send_heartbeats
from elcano.graphs.contracts import AgentCall, AgentResult, ToolResult
from elcano.graphs.engine.entries import StepAbandoned, StepCompleted
from elcano.graphs.records import ArchiveCall
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Cancellation
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows import retry_policies
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.control import pause, stop
from tests.workflow.conftest import Handle, Start, asking, deep_with, worker_for
from tests.workflow.test_budget import paused

BY_ALICE = Cancellation(by="alice", reason="the question was wrong")
TOLD = (
    "Cancelled by alice: the question was wrong; what it found is kept, and there is no report",
    {"by": "alice", "reason": "the question was wrong"},
)


class Stuck:
    """An agent that beats as those of a worker do, answers never, and says when it was given up."""

    def __init__(self, script: Script, agent: str, at_once: int = 1) -> None:
        self._script = script
        self._agent = agent
        self._at_once = at_once
        self._open = 0
        self.reached = asyncio.Event()
        self.freed: list[float] = []

    @property
    def activities(self) -> list[Callable[..., Any]]:
        async def run_agent(call: AgentCall) -> AgentResult:
            if call.agent != self._agent:
                return AgentResult(output=self._script.answer(call.agent, call.input), usage=self._script.usage)
            self._open += 1
            if self._open == self._at_once:
                self.reached.set()
            try:
                async with send_heartbeats():
                    await asyncio.Event().wait()
            finally:
                self.freed.append(time.monotonic())
            raise AssertionError("nobody lets it go on")

        return list(scripted_activities(self._script, ask=run_agent))


async def cancelled(handle: Handle, script: Script, by: Cancellation = BY_ALICE) -> ArchiveCall:
    """Cancels a run, waits for its end, and gives it as it was archived."""
    await handle.cancel(reason=by.written)
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    assert (await handle.describe()).status == WorkflowExecutionStatus.CANCELED
    assert script.published == []
    return next(kept for kept in script.archived if kept.run.run_id == handle.id)


def assert_told(kept: ArchiveCall) -> None:
    assert kept.run.status == "cancelled"
    last = kept.events[-1]
    assert (last.type, last.message) == ("cancelled", TOLD[0])
    assert {name: last.data.get(name) for name in ("by", "reason")} == TOLD[1]
    assert [event.terminal for event in kept.events].count(True) == 1


@pytest.mark.parametrize(
    ("mode", "agent", "calls"),
    [("iterative", "judge", 1), ("iterative", "writer", 1), ("deep", "thinking", 4), ("deep", "long_writer", 1)],
)
async def test_what_was_running_is_freed(mode: str, agent: str, calls: int, temporal: Client, script: Script) -> None:
    script.sections = ("history", "method", "cost", "people")
    stuck = Stuck(script, agent, calls)
    queue = run_id = f"run-{uuid.uuid4()}"
    graph = deep_with(max_concurrency=calls) if mode == "deep" else None
    asked = asking(run_id, mode=mode, graph=graph, limits=Limits(tokens=2_000_000))
    async with worker_for(temporal, queue, stuck.activities, cached_workflows=100):
        handle = await temporal.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        await asyncio.wait_for(stuck.reached.wait(), 30)
        began = time.monotonic()
        kept = await cancelled(handle, script)
        ended = time.monotonic()
    assert_told(kept)
    assert len(stuck.freed) == calls
    if agent != "thinking":
        assert kept.run.evidence, "what it found is kept"
    print(f"{mode}: freed after {max(stuck.freed) - began:.2f} s, ended after {ended - began:.2f} s")  # noqa: T201


@pytest.mark.parametrize("mode", ["iterative", "deep"])
async def test_a_paused_run_is_cancelled(mode: str, start: Start, script: Script) -> None:
    reached = asyncio.Event()

    async def waits(given: object) -> None:
        reached.set()
        await asyncio.sleep(0.2)

    script.watching = waits
    handle = await start(mode=mode, limits=Limits(tokens=1_000_000))
    await asyncio.wait_for(reached.wait(), 30)
    await pause(handle)
    await asyncio.sleep(0.5)
    assert_told(await cancelled(handle, script))


@pytest.mark.parametrize("mode", ["iterative", "deep"])
async def test_a_run_that_waits_for_a_top_up_is_cancelled(mode: str, start: Start, script: Script) -> None:
    script.complete_in = 3
    handle = await start(mode=mode, limits=Limits(tokens=1_000_000, iterations=1, when_exhausted="pause"))
    await paused(handle)
    assert_told(await cancelled(handle, script))
    for kept in script.archived:
        assert kept.run.status == "cancelled"
        assert kept.events[-1].data["by"] == "alice"


async def test_asked_for_twice_it_is_cancelled_once(temporal: Client, script: Script, queue: str) -> None:
    """And without a worker: the first one that comes ends it."""
    run_id = f"run-{uuid.uuid4()}"
    handle = await temporal.start_workflow(ResearchWorkflow.run, asking(run_id), id=run_id, task_queue=queue)
    await handle.cancel(reason=BY_ALICE.written)
    await handle.cancel(reason=Cancellation(by="bob").written)
    async with worker_for(temporal, queue, scripted_activities(script)):
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    assert script.calls == []
    (kept,) = script.archived
    assert kept.run.status == "cancelled"
    print(kept.events[-1].message)  # noqa: T201


async def test_what_is_written_in_the_temporal_ui_is_the_reason(start: Start, script: Script) -> None:
    reached = asyncio.Event()

    async def waits(given: object) -> None:
        reached.set()
        await asyncio.sleep(0.2)

    script.watching = waits
    handle = await start()
    await asyncio.wait_for(reached.wait(), 30)
    await handle.cancel(reason="by hand")
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    assert script.archived[0].events[-1].message.startswith("Cancelled: by hand; ")


async def taken_by_hand(client: Client, queue: str) -> PollActivityTaskQueueResponse:
    """The call that waits in a queue, which is then under way."""
    request = PollActivityTaskQueueRequest(
        namespace=client.namespace, task_queue=TaskQueue(name=queue), identity="a worker that polls by hand"
    )
    async with asyncio.timeout(30):
        while not (taken := await client.workflow_service.poll_activity_task_queue(request)).task_token:
            pass
    return taken


async def answer_by_hand(
    client: Client, taken: PollActivityTaskQueueResponse, answer: AgentResult | ToolResult
) -> None:
    """Ends a call that was taken by hand."""
    answered = RespondActivityTaskCompletedRequest(
        namespace=client.namespace,
        task_token=taken.task_token,
        result=Payloads(payloads=await client.data_converter.encode([answer])),
    )
    await client.workflow_service.respond_activity_task_completed(answered)


@pytest.mark.parametrize("how", ["cancel", "stop"])
async def test_an_answer_that_comes_together_with_the_end_of_the_run_is_kept(
    how: str, temporal: Client, script: Script
) -> None:
    queue = run_id = f"run-{uuid.uuid4()}"
    worker = {"workflows": [ResearchWorkflow], "workflow_runner": workflow_runner()}
    async with Worker(temporal, task_queue=queue, **worker):  # type: ignore[arg-type]
        handle = await temporal.start_workflow(ResearchWorkflow.run, asking(run_id), id=run_id, task_queue=queue)
        found = script.answer("search", {"source": "library", "query": "What is it?"})
        await answer_by_hand(temporal, await taken_by_hand(temporal, queue), ToolResult(output=found))
        taken = await taken_by_hand(temporal, queue)
    answer = AgentResult(output=script.answer("thinking", {"iteration": 1}), usage=script.usage)
    await answer_by_hand(temporal, taken, answer)
    asked: asyncio.Task[object] | None = None
    if how == "cancel":
        await handle.cancel(reason=BY_ALICE.written)
    else:
        asked = asyncio.create_task(stop(handle))
    async with worker_for(temporal, queue, scripted_activities(script)):
        if asked is None:
            with pytest.raises(WorkflowFailureError):
                await handle.result()
        else:
            await asked
            await handle.result()
    kept = next(one for one in script.archived if one.run.run_id == run_id)
    assert kept.log is not None
    steps = [entry for entry in kept.log.entries if isinstance(entry, StepCompleted | StepAbandoned)]
    answered = next(entry for entry in steps if entry.node == "thinking")
    assert isinstance(answered, StepCompleted)
    assert answered.usage == script.usage


async def test_a_call_of_which_nobody_hears_again_is_charged_as_it_was_estimated(
    temporal: Client, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run waits for it when it is stopped, but not for ever."""
    monkeypatch.setattr(retry_policies, "PARTING", timedelta(seconds=0.5))  # which is read without a sandbox
    reached, over = asyncio.Event(), asyncio.Event()

    async def ask(call: AgentCall) -> AgentResult:
        if call.agent == "judge":
            reached.set()
            while not over.is_set():
                with suppress(asyncio.CancelledError):  # it does not hear either
                    await over.wait()
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage)

    queue = run_id = f"run-{uuid.uuid4()}"
    async with Worker(
        temporal,
        task_queue=queue,
        workflows=[ResearchWorkflow],
        activities=list(scripted_activities(script, ask=ask)),
        workflow_runner=UnsandboxedWorkflowRunner(),
        interceptors=[CountTries(temporal)],
    ):
        handle = await temporal.start_workflow(ResearchWorkflow.run, asking(run_id), id=run_id, task_queue=queue)
        await asyncio.wait_for(reached.wait(), 60)
        await stop(handle, "enough")
        result = await handle.result()
        over.set()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    (kept,) = script.archived
    assert kept.log is not None
    (lost,) = [entry for entry in kept.log.entries if isinstance(entry, StepAbandoned)]
    assert lost.usage.estimated
    assert lost.usage.tokens > 0
    assert result.usage.estimated
