"""The chain does what the graph does: the same scenarios, the same calls, state and report."""

from typing import Any

import pytest
from temporalio.client import WorkflowFailureError

from graphs.budget import Limits, TopUp
from graphs.contracts import PublishCall, StopRequest
from graphs.frozen import JsonObject
from tests.script import Answer, Refused, Script
from tests.workflow.conftest import Start
from tests.workflow.test_budget import paused
from workflows.research import ResearchWorkflow


def failing(type: str = "Scripted", topic: str = "") -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        if topic in str(given):
            raise Refused("no such thing", type=type)
        return Script().answer("writer", given)

    return answer


def arrange(scenario: str, script: Script) -> Limits:
    """Sets the script up for a scenario and returns the run's limits."""
    match scenario:
        case "iterations":
            script.complete_in = 99
            return Limits(iterations=3)
        case "tokens":
            script.complete_in, script.tokens = 99, 2_000
            return Limits(tokens=20_000, iterations=9)
        case "stalled":
            script.complete_in = 99
            script.overrides["search"] = lambda given: {"source": given["source"], "query": given["query"]}
        case "failing node":
            script.overrides["judge"] = failing()
        case "failing search":
            script.overrides["search"] = failing()
        case "refused":
            script.overrides["thinking"] = failing("ModelRefused")
        case "failing exit":
            script.overrides["writer"] = failing()
        case "failing section":
            script.overrides["writer"] = failing(topic="method")
        case "cut plan":
            return Limits(tokens=26_000)
    return Limits()


def essence(published: list[PublishCall]) -> list[dict[str, Any]]:
    return [call.model_dump(exclude={"run_id"}) for call in published]


@pytest.mark.parametrize(
    ("mode", "scenario"),
    [
        ("iterative", "complete"),
        ("iterative", "iterations"),
        ("iterative", "tokens"),
        ("iterative", "stalled"),
        ("iterative", "failing node"),
        ("iterative", "failing search"),
        ("iterative", "refused"),
        ("iterative", "failing exit"),
        ("deep", "complete"),
        ("deep", "failing section"),
        ("deep", "cut plan"),
        ("deep_brief", "complete"),
    ],
)
async def test_graph_and_chain_agree(mode: str, scenario: str, start: Start, script: Script) -> None:
    limits = arrange(scenario, script)
    seen = []
    for chain in (False, True):
        handle = await start(mode=mode, limits=limits, chain=chain)
        try:
            result = await handle.result()
            outcome = result.model_dump(exclude={"run_id", "steps"})
        except WorkflowFailureError as error:
            outcome = {"failed": str(error.cause)}
        kept = next(call for call in script.archived if call.run.run_id == handle.id)
        told = sorted((event.type, event.section, event.message) for event in kept.events)
        seen.append((outcome, essence(script.published), sorted(script.calls), kept.run.evidence, told))
        for log in (script.published, script.calls, script.archived):
            log.clear()
    graph, plain = seen
    assert plain == graph


async def test_a_chain_pauses_and_is_stopped(start: Start, script: Script) -> None:
    script.complete_in = 99
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"), chain=True)
    await paused(handle)
    await handle.execute_update(ResearchWorkflow.top_up, TopUp(iterations=1))
    await paused(handle, iteration=2)
    await handle.execute_update(ResearchWorkflow.stop, StopRequest(reason="enough"))
    result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, result.iterations) == ("stopped", 2)
