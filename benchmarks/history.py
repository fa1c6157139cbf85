"""How large the history of an iterative run is: events and bytes, as the server counts them, for each call it makes.

A run of five iterations with three searches each and eight passages a search, excerpts of 240 characters: with thoughts
that name the gaps and the searches, as language models give them, and with two more agents that are asked for these.
"""

import uuid
from typing import Final

from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.scripted import Scripted
from benchmarks.server import Size, measure_history, research_worker
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow

QUEUE: Final = "benchmark-history"
TARGET: Final = 150
"""Events, of five iterations."""


async def measure(client: Client, scripted: Scripted, iterations: int) -> Size:
    """The history of one run."""
    asked = ResearchInput(
        run_id=f"run-{uuid.uuid4()}",
        question="How do the parts of it belong together?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=Limits(iterations=iterations),
        sources=("library",),
    )
    async with research_worker(client, QUEUE, scripted.activities):
        await client.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=QUEUE)
    return await measure_history(client, asked.run_id)


async def main(bench: Bench) -> None:
    """Runs both and tells."""
    iterations = bench.choose(5, 1)
    async with bench.temporal() as client:
        for in_one in (False, True):
            scripted = Scripted(iterations=iterations, in_one=in_one)
            found = await measure(client, scripted, iterations)
            how = "gaps and searches in the thought" if in_one else "three agents before a search"
            bench.say(f"{how}: {iterations} iterations, {scripted.calls} calls: {found}")
    bench.tell("events / target", found.events / TARGET)
    bench.tell("events a call", found.events / scripted.calls)
    bench.tell("kB a call", found.size / 1_000 / scripted.calls)
