"""The history of a run carries its events, so that a follower reads them without asking a worker."""

import pytest
from temporalio.client import Client

from elcano.graphs.contracts import CARRIED_EVENTS, RESEARCH_WORKFLOW
from elcano.graphs.state.events import AgentEvent
from elcano.service.temporal.history import watch_history
from elcano.service.temporal.shared_reads import Places
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows import carried_events
from tests.workflow.conftest import Start, asking, worker_for


async def read_carried(client: Client, run_id: str) -> list[AgentEvent]:
    found: list[AgentEvent] = []
    async for watched in watch_history(client.get_workflow_handle(run_id), Places(1)):
        found += watched.take_carried(len(found)) or ()
    return found


@pytest.mark.parametrize(
    ("mode", "chain", "workflows"), [("iterative", False, 1), ("simple", True, 1), ("deep", False, 4)]
)
async def test_a_history_carries_all_events_of_its_run(
    mode: str, chain: bool, workflows: int, start: Start, script: Script, temporal: Client
) -> None:
    await (await start(mode=mode, chain=chain)).result()
    assert len(script.archived) == workflows
    for archived in script.archived:
        assert await read_carried(temporal, archived.run.run_id) == list(archived.events)


async def test_the_history_of_an_encrypted_run_carries_nothing(temporal: Client, script: Script, queue: str) -> None:
    asked = asking(f"run-{queue}").model_copy(update={"confidential": True})
    async with worker_for(temporal, queue, scripted_activities(script)):
        await temporal.execute_workflow(RESEARCH_WORKFLOW, asked, id=asked.run_id, task_queue=queue)
    history = await temporal.get_workflow_handle(asked.run_id).fetch_history()
    assert CARRIED_EVENTS not in str(history.events)


async def test_what_does_not_fit_is_left_to_queries(
    start: Start, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried_events, "MOST_CARRIED_BYTES", 10)
    handle = await start()
    await handle.result()
    assert CARRIED_EVENTS not in str((await handle.fetch_history()).events)
    assert await read_carried(temporal, handle.id) == []
