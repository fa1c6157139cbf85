"""What a graph costs over a hand-written workflow with the same activities, on the same server in the same run.

(a) overhead: 100 no-op nodes in a row, seconds of the graph / seconds of the twin; target at most 1.05
(b) time of many at once: 100 concurrent runs of 12 no-op nodes, likewise; target at most 1.05
(c) folding a step, of 2,000 / of 250: each look at a run in progress folds its log; target at most 1.5

(a) and (b) publish and archive at their end. Pairs of runs take turns: a machine of two cores varies by more than what
is measured.
"""

import asyncio
import statistics
import time
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.handwritten import Handwritten
from benchmarks.server import NOOP_ACTIVITIES, chain_of_noops, research_worker
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow

QUEUE = "benchmark-engine"
Run = Callable[[Client, int], Coroutine[Any, Any, float]]


def ask_for_noops(run_id: str, length: int) -> ResearchInput:
    """Return the input of a run of a graph of `length` nodes."""
    limits = Limits(steps=min(length + 10, 2_000))
    graph = chain_of_noops(length)
    return ResearchInput(run_id=run_id, question="nothing", mode="noops", graph=graph, limits=limits)


async def graph_run(client: Client, length: int, queue: str = QUEUE) -> float:
    """Seconds that one run of a graph of `length` nodes takes."""
    run_id = f"graph-{uuid.uuid4()}"
    asked = ask_for_noops(run_id, length)
    began = time.perf_counter()
    await client.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
    return time.perf_counter() - began


async def twin_run(client: Client, length: int) -> float:
    """Seconds that the hand-written workflow takes for as many activities."""
    began = time.perf_counter()
    await client.execute_workflow(Handwritten.run, length, id=f"twin-{uuid.uuid4()}", task_queue=QUEUE)
    return time.perf_counter() - began


async def overhead(bench: Bench, client: Client) -> None:
    """Tells (a)."""
    length = bench.choose(100, 4)
    pairs = [(await graph_run(client, length), await twin_run(client, length)) for _ in range(bench.choose(15, 1))]
    graph, twin = (statistics.median(side) for side in zip(*pairs, strict=True))
    bench.say(f"{length} steps: graph {graph:.2f} s, hand-written {twin:.2f} s")
    bench.tell("overhead", statistics.median(one / other for one, other in pairs))


async def many(bench: Bench, client: Client) -> None:
    """Tells (b)."""
    runs, length = bench.choose(100, 3), bench.choose(12, 2)

    async def seconds(run: Run) -> float:
        began = time.perf_counter()
        await asyncio.gather(*(run(client, length) for _ in range(runs)))
        return time.perf_counter() - began

    pairs = [(await seconds(graph_run), await seconds(twin_run)) for _ in range(bench.choose(7, 1))]
    graph, twin = (runs / statistics.median(side) for side in zip(*pairs, strict=True))
    bench.say(f"{runs} runs at once: graph {graph:.1f}/s, hand-written {twin:.1f}/s")
    bench.tell("time of many at once", statistics.median(one / other for one, other in pairs))


def folding(bench: Bench) -> None:
    """Tells (c)."""

    def milliseconds_a_step(length: int) -> float:
        asked = ask_for_noops("folded", length)
        output: JsonObject = {"ok": True}
        names = [node.id for node in asked.graph.nodes]
        steps = [StepCompleted(step=step, node=node, at=0.0, output=output) for step, node in enumerate(names, 1)]
        began = time.perf_counter()
        fold(asked, steps)
        return 1_000 * (time.perf_counter() - began) / length

    lengths = bench.choose(2_000, 20), bench.choose(250, 4)
    many, few = (
        statistics.median(side) for side in zip(*(map(milliseconds_a_step, lengths) for _ in range(5)), strict=True)
    )
    bench.say(f"folding a step: {many:.3f} ms of {lengths[0]}, {few:.3f} ms of {lengths[1]}")
    bench.tell("folding a step, of many / of few", many / few)


async def main(bench: Bench) -> None:
    """Runs all."""
    folding(bench)
    async with bench.temporal() as client, research_worker(client, QUEUE, NOOP_ACTIVITIES, Handwritten):
        await asyncio.gather(graph_run(client, 3), twin_run(client, 3))  # first runs load what is loaded late
        await overhead(bench, client)
        await many(bench, client)
