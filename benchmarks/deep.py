"""Deep research at size: what the concurrency costs, how large the histories are, how much memory sections take.

(a) wall time / critical path: 16 sections of 3 iterations, every call of a model takes 200 ms; target at most 1.10.
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

from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.scripted import Scripted
from benchmarks.server import measure_history, research_worker
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow

QUEUE: Final = "benchmark-deep"
SECTIONS: Final = 16
ITERATIONS: Final = 3
SECONDS: Final = 0.2
"""How long every call of a model takes."""
CALLS_AN_ITERATION: Final = 4
PLANNER_AND_SYNTHESIS: Final = 2
OPEN_SECTIONS: Final = 50
"""Side by side in each of four runs; the most that a graph may have."""


def deep(concurrency: int) -> ResearchGraph:
    """The deep graph with so many sections side by side."""
    graph = MODES["deep"]
    nodes = tuple(
        node.model_copy(update={"max_concurrency": concurrency}) if isinstance(node, ParallelNode) else node
        for node in graph.nodes
    )
    return graph.model_copy(update={"nodes": nodes})


def critical_path(concurrency: int, sections: int) -> float:
    """Seconds that the calls of models take which have to wait for one another."""
    section = ITERATIONS * CALLS_AN_ITERATION + 1
    return SECONDS * (ceil(sections / concurrency) * section + PLANNER_AND_SYNTHESIS)


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
    assert result.ending is None or result.ending.kind == "sections", result.ending  # iterations used up, as planned
    return asked.run_id


async def walls(bench: Bench, client: Client) -> None:
    """Tells (a) and (b)."""
    sections = bench.choose(SECTIONS, 2)
    for concurrency in (sections,) if bench.small else (4, 8, sections):
        began = time.perf_counter()
        run_id = await deep_run(client, concurrency, sections)
        wall, path = time.perf_counter() - began, critical_path(concurrency, sections)
        bench.say(f"{sections} sections, {concurrency} side by side: {wall:.2f} s, {wall / path:.2f} times the path")
    bench.tell("wall / critical path", wall / path)
    run = await measure_history(client, run_id)
    children = [
        await measure_history(client, child.id)
        async for child in client.list_workflows(f"RootWorkflowId = '{run_id}'")
        if child.id != run_id
    ]
    bench.say(f"history of the run {run}, of the largest of {len(children)} sections {max(children)}")
    bench.tell("events of the run a section", run.events / sections)
    bench.tell("events of a section an iteration", max(children).events / ITERATIONS)


async def memory(bench: Bench, client: Client) -> None:
    """Tells (c)."""
    runs, sections = bench.choose(4, 1), bench.choose(OPEN_SECTIONS, 3)
    before = peak_bytes()
    await asyncio.gather(*(deep_run(client, sections, sections) for _ in range(runs)))
    grown = peak_bytes() - before
    bench.say(f"{runs * sections} sections at once: the peak grows from {before / 1e6:.0f} MB by {grown / 1e6:.0f}")
    bench.tell("peak growth a section / 1 MB", grown / 1e6 / runs / sections)


def peak_bytes() -> int:
    """The most memory that this process had in use so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


async def main(bench: Bench) -> None:
    """Runs all."""
    scripted = Scripted(iterations=ITERATIONS, sections=OPEN_SECTIONS, seconds=SECONDS)
    async with bench.temporal() as client, research_worker(client, QUEUE, scripted.activities):
        if not bench.small:
            await deep_run(client, SECTIONS, 2)  # the first run loads what is loaded late
        await walls(bench, client)
        await memory(bench, client)
