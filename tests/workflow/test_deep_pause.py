"""Sections that run out of budget wait for more, when that was asked for; the run waits once all of them do."""

import asyncio
import uuid
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.engine.budget_check import joining_tokens
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.rules import get_rules
from elcano.graphs.state.budget import Budget, Estimate, Limits, TopUp
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import stop, top_up
from tests.workflow.conftest import Start, asking, deep_with, worker_for
from tests.workflow.test_budget import paused

QUESTION = "What is it?"
JOINING = joining_tokens(
    AGENTS["long_writer"],
    3,
    get_rules(),
    len(QUESTION) // get_rules().characters_per_token,
    passages=get_rules().section_passages,
)
"""Tokens that are kept for joining three sections."""
ENOUGH = Limits(tokens=JOINING + 57_000, iterations=9, when_exhausted="pause")
"""For three sections to begin, but not to end, with the script below."""


WAITED = 1.5
"""Seconds."""


@pytest.fixture
def script() -> Script:
    """Sections that use their slice up in their third iteration, long before they are complete."""
    return Script(complete_in=5, tokens=1_200)


def told(script: Script, type: str) -> dict[str, int]:
    """How often each section told an event of this type."""
    counted: dict[str, int] = {}
    for call in script.archived:
        for event in call.events:
            if event.type == type:
                counted[event.section] = counted.get(event.section, 0) + 1
    return counted


@BOTH_WAYS
async def test_a_top_up_lets_the_sections_go_on(chain: bool, start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=ENOUGH, chain=chain)
    snapshot = await paused(handle)
    assert snapshot.stage == "paused"
    assert snapshot.paused is not None
    assert snapshot.paused.kind == "tokens"
    assert "writer" not in script.calls
    await top_up(handle, TopUp(tokens=300_000))
    result = await handle.result()
    assert result.ending is None
    (published,) = script.published
    assert [(section.ending, section.gap) for section in published.sections] == [("", None)] * 3
    assert script.calls.count("thinking") == 3 * 5, "nothing was done again"
    assert told(script, "paused") == dict.fromkeys(("", *script.sections), 1)
    assert told(script, "topped_up") == dict.fromkeys(("", *script.sections), 1)
    assert result.usage.tokens < ENOUGH.tokens + 300_000


@pytest.mark.long
async def test_too_little_more_pauses_again(start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=ENOUGH)
    await paused(handle)
    for _ in range(2):
        await top_up(handle, TopUp(tokens=30))
        await paused(handle)
    await top_up(handle, TopUp(tokens=300_000))
    assert (await handle.result()).ending is None
    assert told(script, "paused")[""] == 3


@pytest.mark.long
async def test_more_of_something_else_pauses_again(start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=Limits(tokens=1_000_000, iterations=2, when_exhausted="pause"))
    for _ in range(2):
        snapshot = await paused(handle)
        assert snapshot.paused is not None
        assert snapshot.paused.kind == "iterations"
        await top_up(handle, TopUp(steps=1))
    await paused(handle)
    await top_up(handle, TopUp(iterations=5))
    assert (await handle.result()).ending is None


@BOTH_WAYS
async def test_a_stop_lets_waiting_sections_write(chain: bool, start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=ENOUGH, chain=chain)
    await paused(handle)
    await stop(handle, "no more money")
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    (published,) = script.published
    assert [(section.ending, section.gap) for section in published.sections] == [("no more money", None)] * 3
    assert script.calls[-1] == "long_writer"


@pytest.mark.long
async def test_a_cancelled_run_takes_its_waiting_sections_along(start: Start, temporal: Client) -> None:
    handle = await start(mode="deep", limits=ENOUGH)
    await paused(handle)
    await handle.cancel()
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    for number in (1, 2, 3):
        with pytest.raises(WorkflowFailureError):
            await temporal.get_workflow_handle(f"{handle.id}.0004.loop-{number}").result()


@pytest.mark.long
async def test_what_a_section_leaves_over_helps_those_that_wait(start: Start, script: Script) -> None:
    def complete_about_cost(given: JsonObject) -> JsonObject:
        done = "cost" in str(given["question"]) or given["iteration"] == 4
        return {"research_complete": done, "outstanding_gaps": [] if done else [f"gap {given['iteration']}"]}

    script.overrides["knowledge_gap"] = complete_about_cost
    handle = await start(mode="deep", limits=ENOUGH)
    result = await handle.result()
    assert result.ending is None
    assert told(script, "paused") == {"history": 1, "method": 1}
    assert result.usage.tokens <= ENOUGH.tokens


async def test_waiting_sections_make_room_and_wait_for_it(start: Start, script: Script) -> None:
    """With room for one, all three begin, wait, and go on one after the other."""
    working: set[str] = set()
    most = 0

    async def watched(given: JsonObject) -> None:
        nonlocal most
        working.add(str(given["question"]))
        most = max(most, len(working))
        await asyncio.sleep(0.02)
        working.discard(str(given["question"]))

    script.watching = watched
    handle = await start(mode="deep", graph=deep_with(max_concurrency=1), limits=ENOUGH)
    await paused(handle)
    assert script.calls.count("thinking") > 3
    await top_up(handle, TopUp(tokens=300_000))
    result = await handle.result()
    assert result.ending is None
    assert most == 1


@pytest.mark.long
async def test_a_top_up_reaches_sections_that_are_at_work(start: Start, script: Script, temporal: Client) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def held(given: JsonObject) -> None:
        if given.get("iteration") == 2:
            begun.set()
            await go_on.wait()

    script.watching = held
    handle = await start(mode="deep", limits=ENOUGH)
    await begun.wait()
    section = temporal.get_workflow_handle(f"{handle.id}.0004.loop-1")
    before = await limit(section)
    await top_up(handle, TopUp(tokens=300_000, iterations=3))
    async with asyncio.timeout(20):
        while await limit(section) == before:  # noqa: ASYNC110 - the section is told by a signal
            await asyncio.sleep(0.05)
    raised = ENOUGH.model_copy(update={"tokens": ENOUGH.tokens + 300_000})
    gained = Budget(limits=raised, exit_needs=Estimate(tokens=JOINING)).compute_gain(TopUp(tokens=300_000)).tokens
    assert gained is not None
    assert await limit(section) == before + gained // 3
    go_on.set()
    result = await handle.result()
    assert result.ending is None
    assert told(script, "paused") == {}


async def limit(handle: WorkflowHandle[Any, Any]) -> float:
    """The tokens that a run may use."""
    snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    tokens = snapshot.budget["tokens"]
    assert isinstance(tokens, dict)
    assert isinstance(tokens["limit"], int)
    return tokens["limit"]


@pytest.mark.long
async def test_waiting_does_not_use_time(start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=ENOUGH)
    await paused(handle)
    await asyncio.sleep(WAITED)
    await top_up(handle, TopUp(tokens=300_000))
    await handle.result()
    assert len(script.archived) == 4
    for kept in script.archived:
        seconds = kept.run.budget["seconds"]
        assert isinstance(seconds, dict)
        assert isinstance(seconds["used"], float)
        assert kept.run.finished_at is not None
        assert kept.run.finished_at - kept.run.started_at - seconds["used"] >= WAITED


async def test_what_ended_sections_used_is_shown_before_it_is_charged(start: Start, script: Script) -> None:
    def complete_about_cost(given: JsonObject) -> JsonObject:
        done = "cost" in str(given["question"])
        return {"research_complete": done, "outstanding_gaps": [] if done else ["g"]}

    script.overrides["knowledge_gap"] = complete_about_cost
    handle = await start(mode="deep", limits=Limits(tokens=1_000_000, iterations=1, when_exhausted="pause"))
    snapshot = await paused(handle)
    (cost,) = [branch for branch in snapshot.branches if branch.section == "cost"]
    assert cost.tokens is not None
    tokens = snapshot.budget["tokens"]
    assert isinstance(tokens, dict)
    assert tokens["used"] == script.usage.tokens + cost.tokens
    await stop(handle)
    await handle.result()


@pytest.mark.long
async def test_a_section_that_went_on_in_a_new_history_is_heard(short_histories: Client, script: Script) -> None:
    """Sections pause, go on in a new history after a top-up, and pause again."""
    queue = run_id = f"run-{uuid.uuid4()}"
    script.complete_in = 6
    asked = asking(run_id, mode="deep", limits=Limits(tokens=1_000_000, iterations=2, when_exhausted="pause"))
    async with worker_for(short_histories, queue, scripted_activities(script)):
        handle = await short_histories.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        for _ in range(2):
            await paused(handle)
            await top_up(handle, TopUp(iterations=2))
        result = await handle.result()
    assert result.ending is None
    assert told(script, "paused") == dict.fromkeys(("", *script.sections), 2)
    section = short_histories.get_workflow_handle(f"{run_id}.0004.loop-1")
    assert (await section.describe()).raw_description.workflow_execution_info.first_run_id != (
        await section.describe()
    ).run_id, "it went on in a new history"


async def test_a_section_that_could_not_begin_waits_too(start: Start, script: Script) -> None:
    """The first of three uses nearly everything; the others are not left out but asked for."""
    script.complete_in, script.tokens = 1, 300

    def expensive(given: JsonObject) -> JsonObject:
        script.tokens = 25_000 if "history" in str(given["question"]) else 300
        return {"research_complete": True}

    script.overrides["knowledge_gap"] = expensive
    handle = await start(mode="deep", graph=deep_with(max_concurrency=1), limits=ENOUGH)
    snapshot = await paused(handle)
    assert snapshot.paused is not None
    assert snapshot.paused.kind == "tokens"
    await top_up(handle, TopUp(tokens=300_000))
    result = await handle.result()
    assert result.ending is None
    assert [section.gap for section in script.published[0].sections] == [None] * 3


async def test_a_run_whose_last_section_works_is_not_paused(start: Start, script: Script) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def held(given: JsonObject) -> None:
        if "cost" in str(given.get("question")):
            begun.set()
            await go_on.wait()

    script.watching = held
    limits = Limits(tokens=1_000_000, iterations=1, when_exhausted="pause")
    handle = await start(mode="deep", graph=deep_with(max_concurrency=1), limits=limits)
    await begun.wait()
    snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    assert (snapshot.stage, snapshot.paused) == ("researching", None)
    go_on.set()
    await paused(handle)
    await stop(handle)
    await handle.result()
    assert told(script, "paused")[""] == 1
