"""The time budget, on the real server with its time skipping: minutes pass in milliseconds."""

import uuid
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.common import SearchAttributeKey
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from dev.stack import temporal_binary
from graphs.budget import Limits
from graphs.contracts import RUN_AGENT, SEARCH_ATTRIBUTES, AgentCall, AgentResult, ResearchInput, ResearchResult
from graphs.modes import MODES
from storage.payloads import data_converter
from tests.script import Script
from tests.workflow.conftest import worker_for
from workflows.research import ResearchWorkflow


@pytest.fixture(scope="module")
async def skipping(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """A server whose workflows' clocks jump over waiting."""
    async with await WorkflowEnvironment.start_time_skipping_v2(
        dev_server_existing_path=temporal_binary(),
        dev_server_extra_args=["--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true"],
        search_attributes=[SearchAttributeKey.for_keyword(name) for name in SEARCH_ATTRIBUTES],
        data_converter=data_converter(tmp_path_factory.mktemp("payloads")),
    ) as environment:
        yield environment.client


def with_outage(script: Script, *agents: str) -> list[Callable[..., Any]]:
    """The script's activities, but these agents' provider is down: each try is put off by an hour."""
    _, *others = script.activities

    @activity.defn(name=RUN_AGENT)
    async def run_agent(call: AgentCall) -> AgentResult:
        if call.agent in agents:
            raise ApplicationError("overloaded", type="ModelOverloaded", next_retry_delay=timedelta(hours=1))
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

    return [run_agent, *others]


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


async def test_an_outage_ends_the_research_in_time_for_the_report(skipping: Client, script: Script) -> None:
    result = await run(skipping, with_outage(script, "judge"), Limits(seconds=600))
    assert result.ending is not None
    assert result.ending.kind == "time"
    assert script.calls[-1] == "writer"
    (kept,) = script.archived
    assert kept.run.finished_at is not None
    assert 510 <= kept.run.finished_at - kept.run.started_at < 600


async def test_a_writer_that_never_answers_does_not_hold_the_report_back(skipping: Client, script: Script) -> None:
    result = await run(skipping, with_outage(script, "writer"), Limits(seconds=600))
    assert result.report is not None
    (published,) = script.published
    assert published.draft is None
    assert published.ending is not None
    assert published.ending.kind == "time"
    assert len(published.evidence) == 2
    (kept,) = script.archived
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at >= 600
