"""A run that somebody pauses finishes what is under way, begins nothing, and goes on where it was."""

import asyncio
from datetime import timedelta

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.engine.control_actions import Pause, Stop, Unpause
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.state.budget import Limits, TopUp
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Script
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import ask, go_on, pause, refused, stop, top_up
from tests.workflow.conftest import Handle, Start, deep_with
from tests.workflow.test_budget import paused
from tests.workflow.test_holds import down, held, running, seconds_used

RESTS = 1.0
"""Seconds that a test leaves a run paused for."""


class Door:
    """Lets the calls of one agent wait until it is opened."""

    def __init__(self, script: Script, agent_shows: str) -> None:
        self.reached, self.open = asyncio.Event(), asyncio.Event()
        self._shows = agent_shows
        script.watching = self._wait

    async def _wait(self, given: JsonObject) -> None:
        if self._shows in given:
            self.reached.set()
            await asyncio.wait_for(self.open.wait(), 60)


async def seen(handle: Handle) -> RunSnapshot:
    snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    return snapshot


async def rests(handle: Handle, script: Script, calls: int) -> None:
    """Waits until so many calls were made, and makes sure that no further one is."""
    async with asyncio.timeout(20):
        while len(script.calls) < calls:  # noqa: ASYNC110 - the script has no event for it
            await asyncio.sleep(0.02)
    await asyncio.sleep(RESTS)
    assert len(script.calls) == calls
    assert (await seen(handle)).stage == "paused"


@BOTH_WAYS
async def test_what_is_under_way_is_finished_and_nothing_is_begun(chain: bool, start: Start, script: Script) -> None:
    door = Door(script, "iteration")
    handle = await start(chain=chain, limits=Limits(seconds=600))
    await door.reached.wait()
    before = len(script.calls)
    await pause(handle, "lunch", by="alice")
    snapshot = await seen(handle)
    assert snapshot.stage == "paused"
    assert snapshot.hold is not None
    assert (snapshot.hold.reason, snapshot.hold.detail, snapshot.hold.by) == ("pause", "lunch", "alice")
    assert snapshot.hold.since is not None
    door.open.set()
    await rests(handle, script, before + 1)
    assert script.calls[-1] == "thinking"
    assert (await seen(handle)).step == snapshot.step + 1, "the call that was under way counts"
    await go_on(handle, by="bob")
    result = await handle.result()
    assert result.ending is None
    assert script.calls.count("thinking") == 2
    (kept,) = script.archived
    told = [(event.type, event.message, event.data) for event in kept.events if event.type in ("paused", "unpaused")]
    assert told == [
        ("paused", "Paused by alice: lunch", {"reason": "pause", "by": "alice"}),
        ("unpaused", "Unpaused by bob", {"by": "bob"}),
    ]
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at - seconds_used(script) >= RESTS


async def test_a_pause_of_ten_days_costs_no_time(skipping: WorkflowEnvironment, script: Script) -> None:
    limits = Limits(seconds=60)
    async with running(skipping.client, down(script, "nobody", 0), limits) as handle:
        await pause(handle)
        await skipping.fast_forward(handle, timedelta(days=10))
        await go_on(handle)
        result = await handle.result()
    assert result.ending is None
    kept = script.archived[0].run
    assert kept.finished_at is not None
    assert kept.finished_at - kept.started_at > 10 * 86_400
    assert seconds_used(script) < 60


async def test_what_makes_no_sense_is_refused_with_a_reason(start: Start, script: Script, temporal: Client) -> None:
    door = Door(script, "iteration")
    handle = await start(mode="deep", limits=Limits(tokens=1_000_000))
    await door.reached.wait()
    section = temporal.get_workflow_handle(f"{handle.id}.0004.loop-1")
    assert await refused(handle, Unpause()) == "the run is not paused; it continues"
    for action in (Pause(), Unpause()):
        assert handle.id in await refused(section, action)
    await pause(handle)
    assert "already paused" in await refused(handle, Pause())
    await stop(handle)
    assert "was stopped" in await refused(handle, Pause())
    door.open.set()
    await handle.result()


@BOTH_WAYS
async def test_sections_rest_with_their_run_and_no_further_one_begins(
    chain: bool, start: Start, script: Script
) -> None:
    door = Door(script, "iteration")
    script.sections = ("history", "method", "cost", "people", "future")
    begun = 3
    graph = deep_with(max_concurrency=begun)
    handle = await start(mode="deep", graph=graph, chain=chain, limits=Limits(tokens=2_000_000, sections=5))
    await door.reached.wait()
    async with asyncio.timeout(20):
        while len((await seen(handle)).branches) < begun:  # noqa: ASYNC110 - a query has no event
            await asyncio.sleep(0.02)
    await pause(handle, by="alice")
    door.open.set()
    await asyncio.sleep(RESTS)
    calls = len(script.calls)
    await asyncio.sleep(RESTS)
    assert len(script.calls) == calls, "nothing is called while it is paused"
    assert len((await seen(handle)).branches) == begun, "no further section has begun"
    assert script.calls.count("thinking") == begun
    await go_on(handle)
    result = await handle.result()
    assert result.ending is None
    *sections, root = script.archived
    assert len(sections) == len(script.sections)
    assert script.calls.count("thinking") == 2 * len(script.sections), "nothing was done twice"
    rested = [kept for kept in sections if "paused" in {event.type for event in kept.events}]
    assert len(rested) == begun
    for kept in (*rested, root):
        (told,) = [event for event in kept.events if event.type == "paused"]
        assert told.data == {"reason": "pause", "by": "alice"}
        assert kept.run.finished_at is not None
        seconds = kept.run.budget["seconds"]
        assert isinstance(seconds, dict)
        assert isinstance(seconds["used"], float)
        assert kept.run.finished_at - kept.run.started_at - seconds["used"] >= RESTS


@pytest.mark.parametrize("mode", ["iterative", "deep"])
async def test_a_stop_of_a_paused_run_writes_the_report(mode: str, start: Start, script: Script) -> None:
    door = Door(script, "iteration")
    handle = await start(mode=mode, limits=Limits(tokens=1_000_000))
    await door.reached.wait()
    await pause(handle)
    door.open.set()
    await asyncio.sleep(RESTS)
    await stop(handle, "enough")
    result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, result.ending.detail) == ("stopped", "enough")
    assert script.calls[-1] == ("long_writer" if mode == "deep" else "writer")
    assert script.calls.count("thinking") == (3 if mode == "deep" else 1)


async def test_a_held_run_that_is_paused_is_not_tried_again(temporal: Client, script: Script) -> None:
    async with running(temporal, down(script, "judge", 1), Limits(when_exhausted="pause")) as handle:
        await held(handle)
        await pause(handle)
        snapshot = await seen(handle)
        assert snapshot.hold is not None
        assert (snapshot.stage, snapshot.hold.reason) == ("paused", "pause")
        await asyncio.sleep(2.5)  # the next try would have been after two
        assert "judge" not in script.calls
        await go_on(handle)
        assert (await handle.result()).ending is None
    assert script.calls.count("judge") == 1


async def test_a_pause_is_no_time_that_a_call_was_held_for(skipping: WorkflowEnvironment, script: Script) -> None:
    limits = Limits(seconds=60, when_exhausted="pause", hold_seconds=3_600)
    async with running(skipping.client, down(script, "judge", 4, FailureType.PROVIDER), limits) as handle:
        await pause(handle)
        await skipping.fast_forward(handle, timedelta(hours=3))
        await go_on(handle)
        assert (await handle.result()).ending is None
    assert script.archived[0].run.status == "completed"


async def test_a_run_that_waits_for_a_top_up_and_is_paused_needs_both(start: Start, script: Script) -> None:
    script.complete_in = 3
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"))
    await paused(handle)
    await pause(handle)
    await top_up(handle, TopUp(iterations=5))
    calls = len(script.calls)
    await asyncio.sleep(RESTS)
    snapshot = await seen(handle)
    assert snapshot.hold is not None
    assert (snapshot.stage, snapshot.hold.reason) == ("paused", "pause")
    assert len(script.calls) == calls
    await go_on(handle)
    assert (await handle.result()).ending is None


async def test_continuing_first_leaves_it_waiting_for_its_top_up(start: Start, script: Script) -> None:
    script.complete_in = 3
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"))
    await paused(handle)
    await pause(handle)
    await go_on(handle)
    snapshot = await seen(handle)
    assert snapshot.hold is not None
    assert (snapshot.stage, snapshot.hold.reason) == ("paused", "budget")
    assert await refused(handle, Unpause()) == "the run is not paused: it waits for a top-up"
    await top_up(handle, TopUp(iterations=5))
    assert (await handle.result()).ending is None


@pytest.mark.long
async def test_a_deep_run_whose_sections_wait_and_that_is_paused_needs_both(start: Start, script: Script) -> None:
    script.complete_in = 3
    handle = await start(mode="deep", limits=Limits(tokens=1_000_000, iterations=1, when_exhausted="pause"))
    await paused(handle)
    await pause(handle)
    await top_up(handle, TopUp(iterations=5))
    calls = len(script.calls)
    await asyncio.sleep(RESTS)
    assert len(script.calls) == calls
    await go_on(handle)
    assert (await handle.result()).ending is None


async def test_what_was_asked_is_told_with_who_asked(start: Start, script: Script) -> None:
    door = Door(script, "iteration")
    handle = await start()
    await door.reached.wait()
    await ask(handle, Stop(reason="enough"), by="carol")
    door.open.set()
    await handle.result()
    (told,) = [event for event in script.archived[0].events if event.type == "stopping"]
    assert (told.message, told.data) == ("Asked to stop by carol: enough", {"by": "carol"})
