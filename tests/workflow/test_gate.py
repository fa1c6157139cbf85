"""The gate: never too many at once, first come, first served, also when some that wait are cancelled."""

import asyncio
import uuid

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.workflows.branch import Gate


@workflow.defn
class Crowd:
    """So many pass a gate, each holding it for a time of its own; some give up while they wait."""

    @workflow.run
    async def run(self, width: int, stays: list[float], leaving: list[int]) -> list[str]:
        gate = Gate(width)
        told: list[str] = []

        async def one(number: int, stay: float) -> None:
            async with gate:
                told.append(f"in {number}")
                await workflow.sleep(stay)
                told.append(f"out {number}")

        tasks = [asyncio.create_task(one(number, stay)) for number, stay in enumerate(stays)]
        await workflow.sleep(0.01)
        for number in leaving:
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with gate:
            told.append("empty")
        return told


@pytest.mark.parametrize(
    ("width", "stays", "leaving"),
    [
        (1, [0.1, 0.01, 0.01, 0.01], []),
        (2, [0.1, 0.2, 0.01, 0.01, 0.01], []),
        (2, [0.2, 0.2, 0.01, 0.01, 0.01], [2]),
        (1, [0.2, 0.01, 0.01, 0.01], [0, 1]),
        (3, [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05], [4, 6]),
        (9, [0.01, 0.01], []),
    ],
)
async def test_first_come_first_served_and_never_too_many(
    temporal: Client, width: int, stays: list[float], leaving: list[int]
) -> None:
    name = f"gate-{uuid.uuid4()}"
    async with Worker(
        temporal,
        task_queue=name,
        workflows=[Crowd],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_cached_workflows=0,
    ):
        told = await temporal.execute_workflow(Crowd.run, args=[width, stays, leaving], id=name, task_queue=name)
    came = [int(line.removeprefix("in ")) for line in told if line.startswith("in ")]
    waited = set(leaving) - set(range(width))
    assert came == [number for number in range(len(stays)) if number not in waited]
    inside, most = 0, 0
    for line in told:
        inside += line.startswith("in ")
        inside -= line.startswith("out ") or line in {f"in {number}" for number in set(leaving) - waited}
        most = max(most, inside)
    assert most <= width
    assert told[-1] == "empty"
