"""A sample of random graphs on the real server: every run ends once, with a report, whatever its agents answer."""

import asyncio
import uuid
from contextlib import suppress
from random import Random

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.events import TERMINAL
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.unit.graphs.drawn import drawn
from tests.unit.graphs.strategies import ANSWERS
from tests.workflow.conftest import worker_for

COUNT = 16
GARBAGE: list[JsonObject] = [{}, {"thought": 7}, {"items": "none"}, {"recommendation": "perhaps"}]


async def test_random_graphs_end_once_and_with_a_report(temporal: Client) -> None:
    script, tag = Script(), uuid.uuid4().hex[:8]

    async def ask(call: AgentCall) -> AgentResult:
        chance = Random(f"{call.run_id[len(tag) + 6 :]}/{call.step}")
        kind = chance.random()
        if kind < 0.15:
            raise ApplicationError("no", type=chance.choice(["Scripted", "ModelOutput"]), non_retryable=True)
        output = chance.choice(GARBAGE) if kind < 0.35 else dict(ANSWERS[call.agent])
        return AgentResult(output=output, usage=script.usage, model="scripted")

    async def run(number: int, room: asyncio.Semaphore) -> None:
        graph = graphs[number]
        run_id = f"{tag}-rand-{number}"
        asked = ResearchInput(
            run_id=run_id,
            question="What is it?",
            mode=graph.name,
            graph=graph,
            limits=Limits(tokens=30_000, seconds=60, iterations=3, steps=30),
            sources=("library",),
        )
        async with room:
            with suppress(WorkflowFailureError):  # of one whose exit failed
                await temporal.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=tag)

    graphs = drawn(23, COUNT)
    async with worker_for(temporal, tag, scripted_activities(script, ask=ask)):
        room = asyncio.Semaphore(6)
        await asyncio.gather(*(run(number, room) for number in range(len(graphs))))
    kept = {one.run.run_id: one for one in script.archived if one.run.branch_of is None}
    assert len(kept) == len(graphs) == COUNT
    for one in kept.values():
        assert [event.type in TERMINAL for event in one.events] == [False] * (len(one.events) - 1) + [True]
        assert (one.run.report is None) == (one.run.status == "failed"), one.run.failure
        assert one.log is not None
        assert one.log.run.budget.used.tokens <= 30_000 + 2 * script.usage.tokens
    assert {one.run.status for one in kept.values()} > {"partial"}
