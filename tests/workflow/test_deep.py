"""Deep research on the real server: sections are child workflows, and what happens to one happens to it alone."""

import asyncio

import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError

from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.finish import list_made_queries
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import MODE_ATTRIBUTE
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Ending, FailureDetails
from elcano.testing.script import Answer, Refused, Script
from tests.control import stop
from tests.workflow.conftest import Start


async def test_sections_are_children_and_join_in_the_plans_order(
    start: Start, script: Script, temporal: Client
) -> None:
    handle = await start(mode="deep_brief")
    result = await handle.result()
    (published,) = script.published
    assert [section.title for section in published.sections] == ["history", "method", "cost"]
    assert all(section.gap is None and section.draft for section in published.sections)
    assert len(published.evidence) == 1 + 9
    assert script.calls.count("writer") == 3
    assert script.calls[-1] == "proofreader"
    child = temporal.get_workflow_handle(f"{handle.id}.0004.loop-2")
    described = await child.describe()
    assert described.status == WorkflowExecutionStatus.COMPLETED
    assert described.parent_id == handle.id
    kept = {call.run.run_id: call for call in script.archived}
    assert len(kept) == 4
    parent, section = kept[handle.id], kept[child.id]
    assert section.run.branch_of is not None
    assert (section.run.branch_of.run_id, section.run.branch_of.section) == (handle.id, "method")
    assert {event.path for event in section.events} == {"0004.loop-2"}
    assert [event.section for event in parent.events if event.type == "branch_started"] == list(script.sections)
    assert result.usage.requests == script.calls.count("planner") + script.calls.count("proofreader") + 3 * 7


def failing_in(topic: str) -> Answer:
    """The writer of one section fails for good."""

    def answer(given: JsonObject) -> JsonObject:
        if topic in str(given["question"]):
            raise Refused(f"cannot write about {topic}")
        return Script().answer("writer", given)

    return answer


async def test_a_section_that_fails_is_a_gap_in_the_report(start: Start, script: Script) -> None:
    script.overrides["writer"] = failing_in("method")
    handle = await start(mode="deep_brief")
    result = await handle.result()
    assert result.ending == Ending(kind="sections", detail="1 of 3 sections: “method” (cannot write about method)")
    (published,) = script.published
    history, method, cost = published.sections
    assert history.gap is None
    assert cost.gap is None
    assert method.draft is None
    assert method.gap is not None
    assert "cannot write about method" in method.gap.reason
    assert method.gap.tokens > 0
    told = [event for event in last(script).events if event.type == "branch_complete" and event.section == "method"]
    assert "no section" in told[0].message


async def test_what_failed_attempts_used_is_counted_and_charged(start: Start, script: Script) -> None:
    spent = FailureDetails(attempt=4, usage=Usage(requests=4, input_tokens=4_000, cost_microusd=70))

    def failing(given: JsonObject) -> JsonObject:
        if "method" in str(given["question"]):
            raise Refused("cannot write about method", spent=spent)
        return Script().answer("writer", given)

    script.overrides["writer"] = failing
    result = await (await start(mode="deep_brief")).result()
    gap = script.published[-1].sections[1].gap
    assert gap is not None
    assert gap.attempts == 4
    assert gap.tokens == 6 * script.usage.tokens + 4_000
    calls = script.calls.count("planner") + script.calls.count("proofreader") + 3 * 7 - 1
    assert result.usage.requests == calls + 4
    assert result.usage.cost_microusd == calls * script.usage.cost_microusd + 70


async def test_when_every_section_fails_the_run_still_reports(start: Start, script: Script) -> None:
    script.overrides["writer"] = failing_in("")
    result = await (await start(mode="deep_brief")).result()
    assert result.ending is not None
    assert result.ending.kind == "node_failed"
    assert script.calls[-1] == "proofreader"


async def test_a_small_budget_cuts_the_plan_and_says_so(start: Start, script: Script) -> None:
    result = await (await start(mode="deep_brief", limits=Limits(tokens=40_000))).result()
    (published,) = script.published
    assert [(section.title, section.gap) for section in published.sections] == [("history", None)]
    (warning,) = published.warnings
    assert "40,000 tokens is enough to search at least twice for 1 of the plan's 3 sections" in warning
    assert "not researched: method, cost" in warning
    assert result.usage.tokens <= 60_000


async def test_stopping_lets_the_sections_write_what_they_have(start: Start, script: Script) -> None:
    begun = asyncio.Event()

    def endless(given: JsonObject) -> JsonObject:
        if "cost" in str(given["question"]):
            begun.set()
        return {"research_complete": False, "outstanding_gaps": ["g"]}

    script.overrides["knowledge_gap"] = endless
    handle = await start(mode="deep_brief", limits=Limits(iterations=50, steps=2_000, tokens=10_000_000))
    await begun.wait()
    await stop(handle, "enough")
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    (published,) = script.published
    assert [section.ending for section in published.sections] == ["enough"] * 3
    assert all(section.draft for section in published.sections)
    assert script.calls[-1] == "proofreader"
    assert published.draft is not None


async def test_cancelling_the_run_ends_its_sections(start: Start, script: Script, temporal: Client) -> None:
    begun = asyncio.Event()

    def endless(given: JsonObject) -> JsonObject:
        begun.set()
        return {"research_complete": False, "outstanding_gaps": ["g"]}

    script.overrides["knowledge_gap"] = endless
    handle = await start(mode="deep_brief", limits=Limits(iterations=50, steps=2_000, tokens=10_000_000))
    await begun.wait()
    await handle.cancel()
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    for number in (1, 2, 3):
        child = temporal.get_workflow_handle(f"{handle.id}.0004.loop-{number}")
        with pytest.raises(WorkflowFailureError):
            await child.result()
    assert {call.run.status for call in script.archived} == {"cancelled"}


async def test_auto_goes_the_way_that_the_question_needs(start: Start, script: Script) -> None:
    handle = await start(mode="auto", question="a deep one?")
    await handle.result()
    assert script.calls[-1] == "long_writer"
    shown = (await handle.describe()).typed_search_attributes
    assert {pair.key.name: pair.value for pair in shown}[MODE_ATTRIBUTE] == "auto/deep"
    assert {call.run.choice.mode for call in script.archived if call.run.branch_of is None} == {"deep"}
    script.calls.clear()
    await (await start(mode="auto", question="a short one?")).result()
    assert "planner" not in script.calls
    assert script.calls[-1] == "writer"


async def test_simple_searches_with_the_judges_words(start: Start, script: Script) -> None:
    result = await (await start(mode="simple", limits=Limits(iterations=2))).result()
    assert list_made_queries(script.published[-1].records, script.published[-1].sections) == ("What is it?", "more")
    assert result.ending is not None
    assert result.ending.kind == "iterations"


def last(script: Script) -> ArchiveCall:
    return script.archived[-1]
