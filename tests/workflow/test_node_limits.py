"""The limits of a node on the real server: how long, how often, by whom and for how many tokens it is called."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall, ToolResult
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.spec.graph import AgentNode, ErrorEdge, ResearchGraph, SequentialEdge, ToolNode
from elcano.graphs.spec.limits import AgentLimits, ToolLimits
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Ending, FailureDetails, FailureType
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.workflow.conftest import worker_for

GIVEN = {"question": "question"}
WRITER = AgentNode(id="writer", agent="writer", inputs=GIVEN)


def graph(first: AgentNode | ToolNode, writer: AgentNode = WRITER, *, repaired: str = "") -> ResearchGraph:
    """`first`, then a thought and the writer; after the error `repaired` the writer at once."""
    thought = AgentNode(id="thought", agent="thinking", inputs=GIVEN)
    edges: list[Any] = [
        SequentialEdge(from_node=first.id, to_node="thought"),
        SequentialEdge(from_node="thought", to_node="writer"),
    ]
    if repaired:
        edges.append(ErrorEdge(from_node=first.id, to_node="thought", types=(repaired,)))
    return ResearchGraph(
        name="limited",
        nodes=(first, thought, writer),
        edges=tuple(edges),
        entry_node=first.id,
        exit_nodes=("writer",),
    )


def judge(**limits: Any) -> AgentNode:
    return AgentNode(id="judge", agent="judge", inputs=GIVEN, limits=AgentLimits(**limits))


async def run(
    client: Client, activities: list[Callable[..., Any]], walked: ResearchGraph, *, run_id: str = "", **asked: Any
) -> ResearchResult:
    queue = run_id = run_id or f"run-{uuid.uuid4()}"
    given = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode=walked.name,
        graph=walked,
        sources=("library",),
        **{"limits": Limits(seconds=3_600), **asked},
    )
    async with worker_for(client, queue, activities):
        return await client.execute_workflow(ResearchWorkflow.run, given, id=run_id, task_queue=queue)


class Judge:
    """Performs agents by a script, but its judge as a test says; notes the attempts and the calls of that."""

    def __init__(self, script: Script, judged: Callable[[AgentCall], Any]) -> None:
        self.attempts: list[int] = []
        self.calls: list[AgentCall] = []

        async def ask(call: AgentCall) -> AgentResult:
            self.calls.append(call)
            if call.agent == "judge":
                self.attempts.append(activity.info().attempt)
                await judged(call)
            return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

        self.activities = list(scripted_activities(script, ask=ask))


async def overloaded(call: AgentCall) -> None:
    raise ApplicationError("overloaded", type="Overloaded", next_retry_delay=timedelta(seconds=20))


async def hanging(call: AgentCall) -> None:
    while True:  # a worker that is stuck, but alive
        activity.heartbeat()
        await asyncio.sleep(0.2)


@pytest.mark.parametrize(("own", "tried"), [(1, [1]), (3, [1, 2, 3]), (None, [1, 2, 3, 4, 5, 6, 7, 8])])
async def test_a_call_is_tried_as_often_as_its_node_says(
    skipping: WorkflowEnvironment, script: Script, own: int | None, tried: list[int]
) -> None:
    asked = Judge(script, overloaded)
    result = await run(skipping.client, asked.activities, graph(judge(attempts=own)))
    assert asked.attempts == tried
    assert result.ending is not None
    assert (result.ending.kind, result.report is not None) == ("node_failed", True)
    assert script.calls == ["writer"]


async def test_a_call_that_takes_too_long_has_failed_and_its_graph_repairs_that(
    temporal: Client, script: Script
) -> None:
    asked = Judge(script, hanging)
    walked = graph(judge(timeout_seconds=1, attempts=2), repaired="Timeout")
    result = await run(temporal, asked.activities, walked)
    assert asked.attempts == [1, 2], "also the first call of a run"
    assert (result.ending, script.calls) == (None, ["thinking", "writer"])
    (kept,) = script.archived
    failed = next(event for event in kept.events if event.type == "error")
    assert "no answer in time" in failed.message


async def test_the_searches_of_a_node_have_limits_each(skipping: WorkflowEnvironment, script: Script) -> None:
    tries: list[int] = []

    async def use(call: ToolCall) -> ToolResult:
        tries.append(activity.info().attempt)
        raise ApplicationError("later", type="SourceUnavailable", next_retry_delay=timedelta(seconds=20))

    search = ToolNode(
        id="find",
        tool="search",
        for_each="['a', 'b']",
        inputs={"source": "'library'", "query": "item"},
        reducer="add_evidence",
        limits=ToolLimits(attempts=2),
    )
    result = await run(skipping.client, list(scripted_activities(script, use=use)), graph(search))
    assert sorted(tries) == [1, 1, 2, 2]
    assert result.ending == Ending(kind="sources", detail="no source could be searched: library (later)")


async def test_the_model_of_a_node_goes_before_what_the_run_was_asked_with(
    skipping: WorkflowEnvironment, script: Script
) -> None:
    async def answers(call: AgentCall) -> None:
        return None

    asked = Judge(script, answers)
    chosen = ModelChoice(default="openai:one", by_agent={"judge": "openai:two"})
    await run(skipping.client, asked.activities, graph(judge(model="openai:own")), models=chosen)
    named = {call.agent: call.models.by_agent.get(call.agent) or call.models.default for call in asked.calls}
    assert named == {"judge": "openai:own", "thinking": "openai:one", "writer": "openai:one"}


def too_little(call: AgentCall) -> ApplicationError:
    """What a call fails by whose allowance does not suffice."""
    used = FailureDetails(attempt=1, usage=Usage(requests=1, input_tokens=4_000), exhausted="tokens")
    return ApplicationError(
        "3 tokens are left", used.model_dump(mode="json"), type=FailureType.BUDGET, non_retryable=True
    )


@pytest.mark.parametrize("repaired", ["", "LimitReached"])
async def test_tokens_of_a_node_that_do_not_suffice_are_its_failure(
    skipping: WorkflowEnvironment, script: Script, repaired: str
) -> None:
    async def short(call: AgentCall) -> None:
        assert call.allowance.tokens == 4_000
        raise too_little(call)

    asked = Judge(script, short)
    walked = graph(judge(tokens=4_000), repaired=repaired)
    waiting = Limits(when_exhausted="pause")  # no top-up would help, so the run must not wait for one
    result = await run(skipping.client, asked.activities, walked, limits=waiting)
    assert result.usage.input_tokens >= 4_000
    if repaired:
        assert (result.ending, script.calls) == (None, ["thinking", "writer"])
    else:
        assert result.ending is not None
        assert result.ending.kind == "node_failed"
        assert "its own limit of 4,000 tokens" in result.ending.detail


async def test_a_limit_beyond_what_the_run_has_left_changes_nothing(
    skipping: WorkflowEnvironment, script: Script
) -> None:
    async def short(call: AgentCall) -> None:
        assert call.allowance.tokens is not None
        assert call.allowance.tokens < 50_000
        raise too_little(call)

    result = await run(
        skipping.client, Judge(script, short).activities, graph(judge(tokens=90_000)), limits=Limits(tokens=50_000)
    )
    assert result.ending is not None
    assert result.ending.kind == "tokens"


async def test_an_exit_that_its_limit_cuts_short_still_ends_in_a_report(
    skipping: WorkflowEnvironment, script: Script
) -> None:
    async def ask(call: AgentCall) -> AgentResult:
        if call.agent == "writer":
            assert call.allowance.tokens == 9_000
            raise too_little(call)
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

    writer = WRITER.model_copy(update={"limits": AgentLimits(tokens=9_000)})
    result = await run(skipping.client, list(scripted_activities(script, ask=ask)), graph(judge(), writer))
    assert result.report is not None
    assert result.ending is not None
    assert (result.ending.kind, script.published[0].draft) == ("tokens", None)
