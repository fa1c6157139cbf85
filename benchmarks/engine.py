"""What a graph costs over a hand-written workflow with the same activities, on the same server in the same run.

(a) overhead: 100 no-op nodes in a row, seconds of the graph / seconds of the twin; target at most 1.10
(b) throughput: 100 concurrent runs of 12 no-op nodes, runs a second of the graph / of the twin; target at least 0.90

Both publish and archive at their end.
"""

import asyncio
import statistics
import time
import uuid

import uvloop
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.handwritten import Handwritten
from benchmarks.server import NOOP_ACTIVITIES, chain_of_noops, temporal_server
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

ROUNDS = 15
"""Pairs of runs, one after the other: a machine of two cores varies by more than what is measured."""
QUEUE = "benchmark"


async def graph_run(client: Client, length: int) -> float:
    """Seconds that one run of a graph of `length` nodes takes."""
    run_id = f"graph-{uuid.uuid4()}"
    asked = ResearchInput(
        run_id=run_id,
        question="nothing",
        mode="noops",
        graph=chain_of_noops(length),
        limits=Limits(steps=length + 10),
    )
    began = time.perf_counter()
    await client.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=QUEUE)
    return time.perf_counter() - began


async def twin_run(client: Client, length: int) -> float:
    """Seconds that the hand-written workflow takes for as many activities."""
    began = time.perf_counter()
    await client.execute_workflow(Handwritten.run, length, id=f"twin-{uuid.uuid4()}", task_queue=QUEUE)
    return time.perf_counter() - began


async def overhead(client: Client) -> None:
    """Prints (a)."""
    pairs = [(await graph_run(client, 100), await twin_run(client, 100)) for _ in range(ROUNDS)]
    graph, twin = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"overhead    graph {graph:.2f} s, hand-written {twin:.2f} s, ratio {ratio:.3f} (target <= 1.10)")


async def throughput(client: Client) -> None:
    """Prints (b)."""

    async def runs_a_second(one: "type[object]") -> float:
        began = time.perf_counter()
        run = graph_run if one is ResearchWorkflow else twin_run
        await asyncio.gather(*(run(client, 12) for _ in range(100)))
        return 100 / (time.perf_counter() - began)

    pairs = [(await runs_a_second(ResearchWorkflow), await runs_a_second(Handwritten)) for _ in range(7)]
    graph, twin = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"throughput  graph {graph:.1f}/s, hand-written {twin:.1f}/s, ratio {ratio:.3f} (target >= 0.90)")


async def main() -> None:
    """Runs both."""
    async with temporal_server() as client:
        worker = Worker(
            client,
            task_queue=QUEUE,
            workflows=[ResearchWorkflow, Handwritten],
            activities=NOOP_ACTIVITIES,
            workflow_runner=workflow_runner(),
        )
        async with worker:
            await asyncio.gather(graph_run(client, 3), twin_run(client, 3))  # first runs load the sandbox
            await overhead(client)
            await throughput(client)
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    uvloop.run(main())
