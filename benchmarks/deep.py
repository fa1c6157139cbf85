"""Deep research at size: what the concurrency costs, how large the histories are, how much memory sections take.

(a) wall time / critical path: 16 sections of 3 iterations, every call of a model takes 200 ms; target at most 1.3.
    The critical path is what no scheduling could shorten: the calls of models that wait for one another, and nothing
    else. A section calls one after the other four agents an iteration and the writer; sections run in waves of as many
    as the graph allows side by side; before them the planner, after them the synthesis.
(b) histories of the same run; target at most 400 events and 500 kB for the run itself, 300 events for each section.
(c) memory: how much the worker's peak grows while 200 sections are open (four runs of 50), by section.
"""

import asyncio
import resource
import sys
import time
import uuid
from math import ceil
from typing import Final

import uvloop
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.history import size
from benchmarks.scripted import Scripted
from benchmarks.server import temporal_server
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

QUEUE: Final = "benchmark"
SECTIONS: Final = 16
ITERATIONS: Final = 3
SECONDS: Final = 0.2
"""How long every call of a model takes."""
CALLS_AN_ITERATION: Final = 4
PLANNER_AND_SYNTHESIS: Final = 2
RUNS: Final = 4
OPEN_SECTIONS: Final = 50
"""Sections side by side in each of `RUNS`; the most that a graph may have."""


def deep(concurrency: int) -> ResearchGraph:
    """The deep graph with so many sections side by side."""
    graph = MODES["deep"]
    nodes = tuple(
        node.model_copy(update={"max_concurrency": concurrency}) if isinstance(node, ParallelNode) else node
        for node in graph.nodes
    )
    return graph.model_copy(update={"nodes": nodes})


def critical_path(concurrency: int) -> float:
    """Seconds that the calls of models take which have to wait for one another."""
    section = ITERATIONS * CALLS_AN_ITERATION + 1
    return SECONDS * (ceil(SECTIONS / concurrency) * section + PLANNER_AND_SYNTHESIS)


async def deep_run(client: Client, concurrency: int, sections: int) -> str:
    """Runs to the end; the run's id."""
    asked = ResearchInput(
        run_id=f"run-{uuid.uuid4()}",
        question="How do the parts of it belong together?",
        mode="deep",
        graph=deep(concurrency),
        limits=Limits(sections=sections, iterations=ITERATIONS, tokens=100_000_000, seconds=3_600),
        sources=("library",),
    )
    result = await client.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=QUEUE)
    assert result.ending is None, result.ending
    return asked.run_id


async def walls(client: Client) -> None:
    """Prints (a) and (b)."""
    for concurrency in (4, 8, SECTIONS):
        began = time.perf_counter()
        run_id = await deep_run(client, concurrency, SECTIONS)
        wall, path = time.perf_counter() - began, critical_path(concurrency)
        ratio = f"{wall:.2f} s / {path:.2f} s = {wall / path:.2f} (target <= 1.3)"
        print(f"wall        {SECTIONS} sections, {concurrency} side by side: {ratio}")
    run = await size(client, run_id)
    sections = [
        await size(client, child.id)
        async for child in client.list_workflows(f"RootWorkflowId = '{run_id}'")
        if child.id != run_id
    ]
    print(f"history     run: {run} (target <= 400 events, <= 500 kB)")
    print(f"history     largest of {len(sections)} sections: {max(sections)} (target <= 300 events)")


async def memory(client: Client) -> None:
    """Prints (c)."""
    before = peak_bytes()
    began = time.perf_counter()
    await asyncio.gather(*(deep_run(client, OPEN_SECTIONS, OPEN_SECTIONS) for _ in range(RUNS)))
    wall, grown, sections = time.perf_counter() - began, peak_bytes() - before, RUNS * OPEN_SECTIONS
    print(f"memory      {sections} sections at once: {grown / sections / 1000:.0f} kB a section")
    print(f"            (peak {before / 1e6:.0f} -> {(before + grown) / 1e6:.0f} MB, {wall:.1f} s in all)")


def peak_bytes() -> int:
    """The most memory that this process had in use so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


async def main() -> None:
    """Runs all."""
    async with temporal_server() as client:
        worker = Worker(
            client,
            task_queue=QUEUE,
            workflows=[ResearchWorkflow],
            activities=Scripted(iterations=ITERATIONS, sections=SECTIONS, seconds=SECONDS).activities,
            workflow_runner=workflow_runner(),
            max_concurrent_activities=500,
        )
        async with worker:
            await deep_run(client, SECTIONS, 2)  # the first run loads the sandbox
            await walls(client)
    async with temporal_server() as client:
        worker = Worker(
            client,
            task_queue=QUEUE,
            workflows=[ResearchWorkflow],
            activities=Scripted(iterations=ITERATIONS, sections=OPEN_SECTIONS, seconds=SECONDS).activities,
            workflow_runner=workflow_runner(),
            max_concurrent_activities=500,
        )
        async with worker:
            await memory(client)
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    uvloop.run(main())
