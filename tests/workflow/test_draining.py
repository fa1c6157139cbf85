"""A process that ends lets its calls finish, however early its other workers have nothing left to do."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.background_work import run_workers
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.workflow.conftest import asking, worker_for


class Slow:
    """A judge that takes its time."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.attempts: list[str] = []
        """What became of the first call."""
        self.steps: list[int] = []
        """The step of each call of the judge."""

    def activities(self) -> list[Callable[..., Any]]:
        return list(scripted_activities(self._script, ask=self._ask))

    async def _ask(self, call: AgentCall) -> AgentResult:
        if call.agent == "judge":
            self.steps.append(call.step)
        if call.agent == "judge" and not self.attempts:
            self.attempts.append("begun")
            self.begun.set()
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.attempts.append("cut off")
                raise
            self.attempts.append("finished")
        return AgentResult(output=self._script.answer(call.agent, call.input), usage=self._script.usage, model="s")


def workers(client: Client, queue: str, slow: Slow) -> list[Worker]:
    """One that works for a run, and one that has nothing to do and no time to drain."""
    busy = Worker(
        client,
        task_queue=queue,
        workflows=[ResearchWorkflow],
        activities=slow.activities(),
        workflow_runner=workflow_runner(),
        graceful_shutdown_timeout=timedelta(seconds=30),
        build_id="draining",
    )
    idle = Worker(client, task_queue=f"{queue}-idle", activities=slow.activities(), build_id="draining")
    return [busy, idle]


async def test_a_call_finishes_while_its_process_ends(temporal: Client, script: Script) -> None:
    run_id = f"run-{uuid4()}"
    slow = Slow(script)
    process = asyncio.create_task(run_workers(workers(temporal, run_id, slow)))
    handle = await temporal.start_workflow(ResearchWorkflow.run, asking(run_id), id=run_id, task_queue=run_id)
    async with asyncio.timeout(60):
        await slow.begun.wait()
        process.cancel()
        await asyncio.sleep(1)  # the idle worker has ended
        slow.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await process
        assert slow.attempts == ["begun", "finished"]
        async with worker_for(temporal, run_id, slow.activities()):
            await handle.result()
    assert slow.steps == sorted(set(slow.steps)), "each call was made once"


async def test_a_worker_that_breaks_ends_the_others(temporal: Client, script: Script) -> None:
    slow = Slow(script)
    elsewhere = Client(temporal.service_client, namespace=f"nowhere-{uuid4()}")
    (busy, _), (_, broken) = (workers(client, f"queue-{uuid4()}", slow) for client in (temporal, elsewhere))
    with pytest.raises(RuntimeError, match="amespace"):
        async with asyncio.timeout(60):
            await run_workers([busy, broken])
