"""How large the history of an iterative run is: events and bytes, as the server counts them, for each call it makes.

A run of five iterations with three searches each and eight passages a search, excerpts of 240 characters.
"""

import uuid
from typing import Final

from benchmarks.bench import Bench
from benchmarks.scripted import Scripted
from benchmarks.server import measure_history, research_worker
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.workflows.research import ResearchWorkflow

QUEUE: Final = "benchmark-history"


async def main(bench: Bench) -> None:
    """Runs it and tells."""
    iterations = bench.choose(5, 1)
    asked = ResearchInput(
        run_id=f"run-{uuid.uuid4()}",
        question="How do the parts of it belong together?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=Limits(iterations=iterations),
        sources=("library",),
    )
    scripted = Scripted(iterations=iterations)
    async with bench.temporal() as client, research_worker(client, QUEUE, scripted.activities):
        await client.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=QUEUE)
        found = await measure_history(client, asked.run_id)
    bench.say(f"{iterations} iterations, {scripted.calls} calls: {found} (target at most 150 events for five)")
    bench.tell("events a call", found.events / scripted.calls)
    bench.tell("kB a call", found.size / 1_000 / scripted.calls)
