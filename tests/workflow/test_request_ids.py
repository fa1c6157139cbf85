"""A request with an id is applied once, although the run was continued as new, where Temporal knows no earlier ids."""

import asyncio
import uuid

from temporalio.client import Client

from elcano.graphs.frozen import JsonObject
from elcano.graphs.run_contracts import BranchHeld, ResearchResult
from elcano.graphs.state.budget import Limits, TopUp
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.control import stop, top_up
from tests.workflow.conftest import Handle, asking, worker_for
from tests.workflow.test_budget import paused

MORE = TopUp(tokens=50_000, iterations=1)


async def fill(handle: Handle) -> None:
    """Makes the history so long that the run is continued as new when it goes on."""
    nothing = BranchHeld(run_id="nobody", hold=None)
    for _ in range(25):
        await handle.signal(ResearchWorkflow.branch_held, nothing)
        await handle.query(ResearchWorkflow.snapshot)


async def execution(handle: Handle) -> str:
    return (await handle.describe()).run_id


async def test_what_was_asked_once_is_done_once(short_histories: Client, script: Script) -> None:
    writing, go_on = asyncio.Event(), asyncio.Event()

    async def writes_slowly(given: JsonObject) -> None:
        if "instructions" in given:  # only the writer is told them
            writing.set()
            await go_on.wait()

    script.complete_in, script.watching = 99, writes_slowly
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = asking(run_id, limits=Limits(iterations=1, steps=2_000, when_exhausted="pause"))
    async with worker_for(short_histories, queue, scripted_activities(script)):
        await short_histories.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        handle: Handle = short_histories.get_workflow_handle(run_id, result_type=ResearchResult)
        await paused(handle)
        await fill(handle)
        first = await execution(handle)
        limits = await top_up(handle, MORE, id="more")
        await paused(handle, 2)
        assert await execution(handle) != first
        assert await top_up(handle, MORE, id="more") == limits
        snapshot = await paused(handle)
        assert snapshot.budget["tokens"]["limit"] == limits.tokens == 150_000  # type: ignore[index, call-overload]
        await fill(handle)
        second = await execution(handle)
        await stop(handle, "enough for today", id="enough")
        await writing.wait()
        assert await execution(handle) != second
        await stop(handle, "enough for today", id="enough")
        assert await top_up(handle, MORE, id="more") == limits
        go_on.set()
        result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, result.iterations) == ("stopped", 2)
    assert [event.type for event in script.archived[0].events].count("topped_up") == 1
