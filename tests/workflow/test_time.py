"""The time budget, on the real server with its time skipping: minutes pass in milliseconds."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.workflow.conftest import worker_for


def with_outage(script: Script, *agents: str) -> list[Callable[..., Any]]:
    """The script's activities, but these agents' provider is down: each try is put off by an hour."""

    async def run_agent(call: AgentCall) -> AgentResult:
        if call.agent in agents:
            raise ApplicationError("overloaded", type="ModelOverloaded", next_retry_delay=timedelta(hours=1))
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

    return list(scripted_activities(script, ask=run_agent))


async def run(client: Client, activities: list[Callable[..., Any]], limits: Limits) -> ResearchResult:
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=limits,
        sources=("library",),
    )
    async with worker_for(client, queue, activities):
        return await client.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)


async def test_an_outage_ends_the_research_in_time_for_the_report(
    skipping: WorkflowEnvironment, script: Script
) -> None:
    result = await run(skipping.client, with_outage(script, "judge"), Limits(seconds=600))
    assert result.ending is not None
    assert (result.ending.kind, result.ending.detail) == ("time", "510 of 600 s are for research")
    assert script.calls[-1] == "writer"
    (kept,) = script.archived
    assert kept.run.finished_at is not None
    assert 510 <= kept.run.finished_at - kept.run.started_at < 600


async def test_a_writer_that_never_answers_does_not_hold_the_report_back(
    skipping: WorkflowEnvironment, script: Script
) -> None:
    result = await run(skipping.client, with_outage(script, "writer"), Limits(seconds=600))
    assert result.report is not None
    (published,) = script.published
    assert published.draft is None
    assert published.ending is not None
    assert published.ending.kind == "time"
    assert len(published.evidence) == 1 + 2
    (kept,) = script.archived
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at >= 600
