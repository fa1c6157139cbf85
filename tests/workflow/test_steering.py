"""Steering a run under way on the real server: the answer says when, and that is when it takes effect."""

import asyncio
from collections.abc import Callable

import pytest

from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.engine.steering import Steer, Steering
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchiveCall
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.state import ToolCallRecord
from elcano.testing.script import Script
from tests.cases import BOTH_WAYS
from tests.control import refused, section, steer, stop
from tests.workflow.conftest import Start, deep_with

COSTS = "Look at what it costs."


class Gate:
    """Holds back the calls of agents that are wanted, until it is opened; keeps what every call was given."""

    def __init__(self, script: Script, wanted: Callable[[JsonObject], bool]) -> None:
        self.given: list[JsonObject] = []
        self.waiting = 0
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()
        self._wanted = wanted
        script.watching = self._watched

    async def _watched(self, given: JsonObject) -> None:
        self.given.append(given)
        if self._wanted(given) and not self._opened.is_set():
            self.waiting += 1
            self._reached.set()
            await self._opened.wait()

    async def reached(self, count: int = 1) -> None:
        while self.waiting < count:
            self._reached.clear()
            await self._reached.wait()

    def open(self) -> None:
        self._opened.set()


def root(script: Script) -> ArchiveCall:
    return next(call for call in script.archived if call.run.branch_of is None)


def sections(script: Script) -> dict[str, ArchiveCall]:
    """What each section left, by its title."""
    return {call.run.branch_of.section: call for call in script.archived if call.run.branch_of}


@BOTH_WAYS
async def test_the_agent_of_the_step_that_is_answered_is_shown_the_instruction(
    chain: bool, start: Start, script: Script
) -> None:
    gate = Gate(script, lambda given: given.get("max_iterations") is not None)
    handle = await start(chain=chain)
    await gate.reached()
    steered = await steer(handle, instruction=COSTS)
    gate.open()
    await handle.result()
    kept = root(script)
    assert kept.log is not None
    answered = [entry for entry in kept.log.entries if isinstance(entry, StepCompleted) and entry.model]
    under_way = next(entry.step for entry in answered if entry.node == "thinking")
    assert steered == Steering(step=under_way + 1)
    called = [entry.step for entry in answered]
    shown = dict(zip(called, [given["guidance"] for given in gate.given], strict=True))
    assert shown == {step: [] if step <= under_way else [COSTS] for step in called}
    assert {given["question"] for given in gate.given} == {"What is it?"}
    assert [event.message for event in kept.events if event.type == "steered"] == [f"Told: {COSTS}"]
    assert kept.log.run.state.guidance == (COSTS,)


async def test_sections_under_way_and_those_that_start_later_are_told(start: Start, script: Script) -> None:
    gate = Gate(script, lambda given: given["question"] == "What of history?")
    handle = await start(mode="deep", graph=deep_with(max_concurrency=1))
    await gate.reached()
    assert (await steer(handle, instruction=COSTS)).step == 5
    gate.open()
    await handle.result()
    first, *later = [given for given in gate.given if given["question"] != "What is it?"]
    assert first["guidance"] == []
    assert later
    assert all(given["guidance"] == [COSTS] for given in later)
    assert gate.given[-1]["guidance"] == [COSTS], "the agent that joins the sections is told as well"


async def test_a_source_that_was_dropped_is_unknown_and_one_that_was_added_is_searched(
    start: Start, script: Script
) -> None:
    gate = Gate(script, lambda given: "suggested_queries" in given)
    script.overrides["tool_selector"] = lambda given: {
        "tasks": [{"source": name, "query": f"{name} {given['iteration']}"} for name in ("library", "archive")]
    }
    handle = await start()
    await gate.reached()
    assert "no source would be left" in await refused(handle, Steer(drop_sources=("library",)))
    assert "'attic' is not searched; the sources are: library" in await refused(handle, Steer(drop_sources=("attic",)))
    assert "already searched" in await refused(handle, Steer(add_sources=("library",)))
    await steer(handle, add_sources=("archive",), drop_sources=("library",))
    gate.open()
    await handle.result()
    kept = root(script)
    assert kept.log is not None
    (turn, _) = kept.log.run.state.conversation
    first, failed, found = turn.tool_calls
    assert (first.source, first.query, first.error) == ("library", "What is it?", None)
    assert failed == ToolCallRecord(
        source="library",
        query="library 1",
        error="'library' is not searched in this run; searched are: archive",
        chosen=True,
    )
    assert (found.source, found.found, found.error) == ("archive", 1, None)
    assert kept.run.sources == ("archive",)
    assert script.published[0].sources == ("library", "archive"), "the report names what was found in before, too"


async def test_sections_are_added_and_dropped_while_others_run(start: Start, script: Script) -> None:
    """One that runs, one that has ended and one that has not begun are dropped; two are added, one after the other."""
    script.sections = ("history", "method", "cost", "future")
    held = ("What of method?", "What of cost?")
    gate = Gate(script, lambda given: given["question"] in held)
    handle = await start(mode="deep", graph=deep_with(max_concurrency=2))
    await gate.reached(2)  # history is over
    assert "there is no section 'fish'; there are: 'history', 'method'" in await refused(
        handle, Steer(drop_sections=("fish",))
    )
    assert "called 'Method'" in await refused(handle, Steer(add_sections=(section("Method"),)))
    many = tuple(section(f"more {number}") for number in range(5))
    assert "there would be 9 sections, and 8 are allowed" in await refused(handle, Steer(add_sections=many))
    steered = await steer(handle, add_sections=(section("law"),), drop_sections=("History", "method", "future"))
    assert steered == Steering(step=5, sections="while the sections run")
    await steer(handle, add_sections=(section("people"),))
    gate.open()
    result = await handle.result()
    (published,) = script.published
    assert [(one.title, one.gap) for one in published.sections] == [("cost", None), ("law", None), ("people", None)]
    assert sections(script).keys() == {"history", "method", "cost", "law", "people"}
    assert sections(script)["method"].run.status == "cancelled"
    kept = root(script)
    assert {branch.section: branch.status for branch in kept.run.branches} == {
        "history": "done",
        "method": "left_out",
        "cost": "done",
        "law": "done",
        "people": "done",
    }
    told = [event.message for event in kept.events if event.type in ("steered", "branch_complete")]
    assert "law: added; History, method, future: left out on request" in told
    assert "method: left out on request" in told
    own = sum(usage.tokens for usage in script.ledger.values())
    assert result.usage.tokens == own, "what was dropped was paid for"


@pytest.mark.long
async def test_sections_that_are_added_before_the_plan_are_in_it(start: Start, script: Script) -> None:
    gate = Gate(script, lambda given: "max_sections" in given)
    handle = await start(mode="deep", limits=Limits(tokens=400_000, sections=3))
    await gate.reached()
    steered = await steer(handle, add_sections=(section("law"), section("Cost")))
    assert steered == Steering(step=3, sections="before the plan is made")
    await steer(handle, drop_sections=("law",), add_sections=(section("people"),))
    gate.open()
    await handle.result()
    assert [one.title for one in script.published[0].sections] == ["history", "Cost", "people"]
    assert script.published[0].warnings == ("The plan had 2 sections; these are not researched: method",)


@pytest.mark.parametrize(("mode", "why"), [("iterative", "has no sections"), ("auto", "are not on its path")])
async def test_a_run_without_sections_says_so(mode: str, why: str, start: Start, script: Script) -> None:
    gate = Gate(script, lambda given: "max_iterations" in given)
    handle = await start(mode=mode)
    await gate.reached()
    assert why in await refused(handle, Steer(add_sections=(section("law"),)))
    gate.open()
    await handle.result()


async def test_it_is_too_late_once_the_sections_are_over(start: Start, script: Script) -> None:
    gate = Gate(script, lambda given: "sections" in given)
    handle = await start(mode="deep")
    await gate.reached()
    assert "its research is over" in await refused(handle, Steer(instruction=COSTS))
    gate.open()
    await handle.result()


async def test_a_section_added_to_a_budget_that_is_given_out_waits_for_what_the_others_leave(
    start: Start, script: Script
) -> None:
    gate = Gate(script, lambda given: "of history" in str(given["question"]))
    script.sections = ("history", "method")
    handle = await start(mode="deep", limits=Limits(tokens=200_000))
    await gate.reached()
    await steer(handle, add_sections=(section("law"),))
    gate.open()
    result = await handle.result()
    assert [(one.title, one.gap) for one in script.published[0].sections] == [
        ("history", None),
        ("method", None),
        ("law", None),
    ]
    assert result.usage.tokens < 200_000


async def test_a_stopped_run_takes_no_sections(start: Start, script: Script) -> None:
    gate = Gate(script, lambda given: "of history" in str(given["question"]))
    handle = await start(mode="deep")
    await gate.reached()
    await stop(handle, "enough")
    assert "too late" in await refused(handle, Steer(add_sections=(section("law"),)))
    gate.open()
    await handle.result()
