"""How large the history of an iterative run is: events and bytes, as the server counts them.

A run of five iterations with three searches each and eight passages a search, excerpts of 240 characters.
Target: at most 300 events and 300 kB.
"""

import asyncio
import uuid
from typing import NamedTuple

import uvloop
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.scripted import Scripted
from benchmarks.server import temporal_server
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

ITERATIONS = 5
QUEUE = "benchmark"


class Size(NamedTuple):
    """Of one history."""

    events: int
    size: int
    """Bytes. Payloads over the threshold of the data converter are elsewhere and not counted."""

    def __str__(self) -> str:
        return f"{self.events} events, {self.size / 1000:.0f} kB"


async def size(client: Client, run_id: str) -> Size:
    """The size of a run's history."""
    described = await client.get_workflow_handle(run_id).describe()
    info = described.raw_description.workflow_execution_info
    return Size(info.history_length, info.history_size_bytes)


async def main() -> None:
    """Runs it and prints."""
    asked = ResearchInput(
        run_id=f"run-{uuid.uuid4()}",
        question="How do the parts of it belong together?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=Limits(iterations=ITERATIONS),
        sources=("library",),
    )
    async with temporal_server() as client:
        worker = Worker(
            client,
            task_queue=QUEUE,
            workflows=[ResearchWorkflow],
            activities=Scripted(iterations=ITERATIONS).activities,
            workflow_runner=workflow_runner(),
        )
        async with worker:
            result = await client.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=QUEUE)
        found = await size(client, asked.run_id)
    print(f"iterative   {result.iterations} iterations: {found} (target <= 300 events, <= 300 kB)")
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    uvloop.run(main())
