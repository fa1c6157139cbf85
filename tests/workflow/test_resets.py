"""A run that an operator resets says what is undone once all that came beside the reset is in its log."""

import asyncio

import pytest
from temporalio import workflow
from temporalio.client import Client

from elcano.graphs.engine.entries import Call, StepCompleted
from elcano.testing.script import Script
from elcano.workflows.calls import Performer
from elcano.workflows.outcomes import Outcome
from tests.resetting import reset_before
from tests.workflow.conftest import Start


@pytest.mark.parametrize("waits", [0, 50])
async def test_what_came_beside_a_reset_is_heard_first(
    waits: int, start: Start, script: Script, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many waits lie one within another between a result and the log."""
    perform = Performer.perform

    async def slowly(self: Performer, work: Call) -> Outcome:
        outcome = await perform(self, work)
        for _ in range(waits):
            await workflow.wait_condition(lambda: True)
        return outcome

    monkeypatch.setattr(Performer, "perform", slowly)
    handle = await start()
    await handle.result()
    judged = next(one.step for one in completed(script) if one.node == "judge")
    await reset_before(temporal, handle.id, f"{judged:04d}-judge")
    async with asyncio.timeout(60):
        await temporal.get_workflow_handle(handle.id).result()
    (reopened,) = script.reopened
    assert reopened.step == judged - 1, "the searches were done, and their result came beside the reset"
    done = [entry.step for entry in completed(script)]
    assert done == list(range(1, len(done) + 1))


def completed(script: Script) -> list[StepCompleted]:
    """The steps of the run that was archived last."""
    log = script.archived[-1].log
    assert log is not None
    return [entry for entry in log.entries if isinstance(entry, StepCompleted)]
