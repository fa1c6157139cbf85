"""Calls of a worker that died on this machine are made again once another one starts; of no other worker any is."""

import asyncio
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.calls.orphans import free_orphans
from elcano.activities.calls.taking_over import TakingOver
from tests.unit.dev.test_dev import until

NEVER_MISSED = timedelta(minutes=10)
"""No heartbeat is missed within a test: what is made again was given free."""
HERE = socket.gethostname()


@workflow.defn
class CallsTwice:
    """Ends with the number of the attempt that was answered."""

    @workflow.run
    async def run(self) -> int:
        attempt: int = await workflow.execute_activity(
            "call", start_to_close_timeout=NEVER_MISSED, heartbeat_timeout=NEVER_MISSED, result_type=int
        )
        return attempt


@pytest.fixture
def dead() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def zombie() -> Iterator[int]:
    """The same, and nobody has asked yet how it ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        yield process.pid


async def listed(client: Client, queue: str) -> bool:
    return bool((await client.count_workflows(f"TaskQueue = '{queue}'")).count)


async def begun(client: Client, queue: str, began: asyncio.Event) -> WorkflowHandle[CallsTwice, int]:
    handle = await client.start_workflow(CallsTwice.run, id=f"orphan-{uuid.uuid4()}", task_queue=queue)
    async with asyncio.timeout(30):
        await began.wait()
        await until(lambda: listed(client, queue))
    return handle


def worker(client: Client, queue: str, identity: str, began: asyncio.Event, gone: asyncio.Event) -> Worker:
    """One whose first attempt never answers until `gone`."""

    @activity.defn(name="call")
    async def call() -> int:
        began.set()
        if activity.info().attempt == 1:
            await gone.wait()
        return activity.info().attempt

    return Worker(
        client,
        task_queue=queue,
        identity=identity,
        workflows=[CallsTwice],
        activities=[call],
        interceptors=[TakingOver(client)],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )


@pytest.mark.parametrize("state", ["dead", "zombie"])
async def test_the_call_of_a_dead_worker_is_made_again(
    temporal: Client, state: str, request: pytest.FixtureRequest
) -> None:
    pid: int = request.getfixturevalue(state)
    queue, began, gone = f"orphans-{uuid.uuid4()}", asyncio.Event(), asyncio.Event()
    async with worker(temporal, queue, f"{pid}@{HERE}", began, gone):
        handle = await begun(temporal, queue, began)
        assert await free_orphans(temporal, queue=queue) == 1
        async with asyncio.timeout(30):
            assert await handle.result() == 2
        gone.set()


@pytest.mark.parametrize(
    "identity",
    [
        lambda _: f"{os.getpid()}@{HERE}",
        lambda dead: f"{dead}@another-{HERE}",
        lambda dead: str(dead),
        lambda dead: f"worker-{dead}@{HERE}",
        lambda dead: f"-{dead}@{HERE}",
    ],
    ids=["living", "another-machine", "no-machine", "a-name", "negative"],
)
async def test_the_call_of_any_other_worker_is_left_alone(
    temporal: Client, dead: int, identity: Callable[[int], str]
) -> None:
    queue, began, gone = f"orphans-{uuid.uuid4()}", asyncio.Event(), asyncio.Event()
    async with worker(temporal, queue, identity(dead), began, gone):
        handle = await begun(temporal, queue, began)
        assert await free_orphans(temporal, queue=queue) == 0
        gone.set()
        async with asyncio.timeout(30):
            assert await handle.result() == 1
