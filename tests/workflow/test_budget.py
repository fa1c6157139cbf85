"""Budgets that hold: a run that is out of budget reports, or waits for more, for days if need be."""

import asyncio
import uuid

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import RunSnapshot
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits, TopUp
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.control import stop, top_up
from tests.workflow.conftest import Handle, Start, worker_for


async def paused(handle: Handle, iteration: int = 1) -> RunSnapshot:
    """The run's snapshot once it has paused, in this iteration or a later one."""
    async with asyncio.timeout(30):
        while True:
            snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
            if snapshot.paused is not None and snapshot.iteration >= iteration:
                return snapshot
            await asyncio.sleep(0.25)


@pytest.mark.parametrize(
    ("limits", "kind", "more"),
    [
        (Limits(tokens=12_000, when_exhausted="pause"), "tokens", TopUp(tokens=100_000)),
        (Limits(iterations=1, when_exhausted="pause"), "iterations", TopUp(iterations=5)),
        (Limits(steps=6, when_exhausted="pause"), "steps", TopUp(steps=100)),
    ],
)
async def test_a_paused_run_goes_on_after_a_top_up(
    limits: Limits, kind: str, more: TopUp, start: Start, script: Script
) -> None:
    script.complete_in, script.tokens = 3, 1_000
    handle = await start(limits=limits)
    snapshot = await paused(handle)
    assert snapshot.stage == "paused"
    assert snapshot.paused is not None
    assert snapshot.paused.kind == kind
    with pytest.raises(WorkflowUpdateFailedError):
        await top_up(handle, TopUp())
    await top_up(handle, more)
    result = await handle.result()
    assert result.ending is None
    assert result.iterations == 3
    told = [event.type for event in script.archived[0].events]
    assert told.count("paused") == told.count("topped_up") == 1


async def test_too_little_more_pauses_again(start: Start, script: Script) -> None:
    script.complete_in = 4
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"))
    for rounds in (1, 2, 3):
        snapshot = await paused(handle, rounds)
        assert snapshot.iteration == rounds
        await top_up(handle, TopUp(iterations=1))
    result = await handle.result()
    assert (result.ending, result.iterations) == (None, 4)


async def test_a_paused_run_that_is_stopped_reports(start: Start, script: Script) -> None:
    script.complete_in = 99
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"))
    await paused(handle)
    await stop(handle, "no more money")
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    assert script.calls[-1] == "writer"


@pytest.mark.parametrize("stopped", [False, True])
async def test_ten_days_of_waiting_do_not_count(stopped: bool, skipping: WorkflowEnvironment, script: Script) -> None:
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=Limits(seconds=60, iterations=1, when_exhausted="pause"),
        sources=("library",),
    )
    async with worker_for(skipping.client, queue, scripted_activities(script)):
        handle = await skipping.client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        await paused(handle)
        await skipping.fast_forward(handle, 10 * 86_400.0)
        assert (await paused(handle)).iteration == 1
        if stopped:
            await stop(handle)
        else:
            await top_up(handle, TopUp(iterations=1))
        result = await handle.result()
    assert (result.ending is not None) is stopped
    assert script.published[0].draft is not None
    (kept,) = script.archived
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at > 10 * 86_400
    seconds = kept.run.budget["seconds"]
    assert isinstance(seconds, dict)
    assert isinstance(seconds["used"], float)
    assert seconds["used"] < 60


async def test_a_long_run_goes_on_in_new_histories(short_histories: Client, script: Script) -> None:
    script.complete_in = 8
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode="iterative",
        graph=MODES["iterative"],
        limits=Limits(iterations=10, tokens=200_000),
        sources=("library",),
    )
    async with worker_for(short_histories, queue, scripted_activities(script)):
        handle = await short_histories.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        first = (await handle.describe()).run_id
        result = await handle.result()
        assert (await short_histories.get_workflow_handle(run_id).describe()).run_id != first
    (kept,) = script.archived
    assert [event.seq for event in kept.events] == list(range(1, len(kept.events) + 1))
    assert [event.type for event in kept.events].count("started") == 1
    assert result.usage.requests == len([name for name in script.calls if name != "search"])
    assert (result.iterations, kept.run.iterations) == (8, 8)
    assert len(kept.run.evidence) == 15
