"""The movable timer: what it leaves in the history, and that the history does not depend on the version of Python."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from temporalio import workflow
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle
from temporalio.converter import default
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from elcano.workflows.interruptions import Deadline
from tests.cases import BOTH_WAYS
from tests.replay.replaying import replayer
from tests.workflow.conftest import Start

Result = TypeVar("Result")


async def rewritten_wait_for(future: Awaitable[Result], timeout: float | None) -> Result:  # noqa: ASYNC109
    """`asyncio.wait_for` as it is from Python 3.12 on."""
    async with asyncio.timeout(timeout):
        return await future


@workflow.defn
class Waiting:
    """Waits until its deadline, which signals move."""

    def __init__(self) -> None:
        self._deadline = Deadline(None)

    @workflow.run
    async def run(self) -> float:
        await self._deadline.wait()
        return workflow.time()

    @workflow.signal
    def move(self, seconds: float | None) -> None:
        """So many seconds from now; None: never."""
        self._deadline.at = None if seconds is None else workflow.time() + seconds

    @workflow.query
    def set(self) -> bool:
        """Whether there is a deadline."""
        return self._deadline.at is not None


@asynccontextmanager
async def waiting(client: Client) -> AsyncIterator[WorkflowHandle[Waiting, float]]:
    name = f"deadline-{uuid.uuid4()}"
    async with Worker(
        client,
        task_queue=name,
        workflows=[Waiting],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_cached_workflows=0,
    ):
        yield await client.start_workflow(Waiting.run, id=name, task_queue=name)


async def timers(handle: WorkflowHandle[Waiting, float]) -> list[str]:
    """What happened to timers, in order."""
    names = [EventType.Name(event.event_type) async for event in handle.fetch_history_events()]
    return [name.removeprefix("EVENT_TYPE_TIMER_").lower() for name in names if "TIMER" in name]


async def move(handle: WorkflowHandle[Waiting, float], seconds: float | None) -> None:
    """Returns once the workflow has done so."""
    await handle.signal(Waiting.move, seconds)
    assert await handle.query(Waiting.set) is (seconds is not None)


async def test_one_timer_runs_until_the_deadline_is_moved(temporal: Client) -> None:
    async with waiting(temporal) as handle:
        await move(handle, 3_600)
        await move(handle, 7_200)
        await move(handle, None)
        await move(handle, 0.01)
        await handle.result()
        assert await timers(handle) == ["started", "canceled", "started", "canceled", "started", "fired"]


async def test_a_deadline_that_is_moved_into_the_past_has_come(temporal: Client) -> None:
    async with waiting(temporal) as handle:
        await move(handle, 3_600)
        await handle.signal(Waiting.move, -1)
        await handle.result()
        assert await timers(handle) == ["started", "canceled"]


async def test_the_timer_is_named_in_the_history(temporal: Client) -> None:
    async with waiting(temporal) as handle:
        await move(handle, 0.01)
        await handle.result()
        (started,) = [
            event
            async for event in handle.fetch_history_events()
            if event.event_type == EventType.EVENT_TYPE_TIMER_STARTED
        ]
    assert default().payload_converter.from_payload(started.user_metadata.summary, str) == "time budget"


@pytest.mark.parametrize("mode", ["iterative", "deep"])
@BOTH_WAYS
async def test_a_run_of_one_python_replays_on_another(
    start: Start, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, chain: bool
) -> None:
    handle = await start(mode=mode, chain=chain, limits=Limits(seconds=600))
    await handle.result()
    history = await handle.fetch_history()
    monkeypatch.setattr(asyncio, "wait_for", rewritten_wait_for)
    await replayer(tmp_path).replay_workflow(history)
