"""A held call is tried at once when somebody unpauses or resumes its run, whose provider may still be away."""

import time

from temporalio.client import Client

from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.resume_input import where_to_resume
from elcano.graphs.lifecycle.start_and_fold import build_undo_record, going_on
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import ResumedFrom
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Hold
from elcano.testing.script import Script
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import go_on, pause, stop
from tests.workflow.conftest import Handle
from tests.workflow.test_holds import down, held, running

WAITS = Limits(tokens=400_000, when_exhausted="pause")


async def tried(handle: Handle, tries: int) -> Hold:
    """The hold of a run after so many tries in vain."""
    while (hold := (await held(handle)).hold) is None or hold.tries != tries:
        pass
    return hold


def tell_tries(kept: ArchiveCall) -> list[tuple[Json, Json]]:
    """The number and the seconds until the next try, as each event tells it that a try was in vain."""
    return [(event.data["tries"], event.data["seconds"]) for event in kept.events if event.type == "held"]


async def list_calls(handle: Handle, node: str) -> list[str]:
    """The ids of the activities of a node, after the number of their step."""
    events = (await handle.fetch_history()).events
    ids = [event.activity_task_scheduled_event_attributes.activity_id for event in events]
    return [one.partition("-")[2] for one in ids if one.partition(".")[0].endswith(node)]


@BOTH_WAYS
async def test_who_unpauses_a_run_has_its_held_call_tried_at_once(
    chain: bool, temporal: Client, script: Script
) -> None:
    async with running(temporal, down(script, "judge", 3), WAITS, chain=chain) as handle:
        before = await tried(handle, 2)
        await pause(handle)
        await go_on(handle)
        after = await tried(handle, 1)
        assert before.until is not None
        assert after.since is not None
        assert after.since < before.until, "it did not wait for the try that was to come"
        assert (await handle.result()).ending is None
    (kept,) = script.archived
    assert tell_tries(kept) == [(1, 2.0), (2, 4.0), (1, 2.0)]
    assert [event.message for event in kept.events if event.type == "hold_cleared"] == [
        "Judge: answered after 3 failed attempts"
    ]
    assert await list_calls(handle, "judge") == ["judge", "judge.2", "judge.3", "judge.4"]


async def test_a_section_has_its_held_call_tried_at_once_and_its_run_hears_of_it(
    temporal: Client, script: Script
) -> None:
    script.sections = ("history",)
    async with running(temporal, down(script, "judge", 3), WAITS, mode="deep") as handle:
        section = temporal.get_workflow_handle(f"{handle.id}.0004.loop-1", result_type=handle._result_type)
        hold = (await held(handle)).hold
        assert hold is not None
        assert (hold.reason, hold.tries, hold.until) == ("provider", 0, None), "the section says it, try by try"
        before = await tried(section, 2)
        await pause(handle)
        await go_on(handle)
        after = await tried(section, 1)
        assert before.until is not None
        assert after.since is not None
        assert after.since < before.until
        assert (await handle.result()).ending is None
    kept, root = script.archived
    assert tell_tries(kept) == [(1, 2.0), (2, 4.0), (1, 2.0)]
    told = [event.type for event in root.events if event.node == "parallel_loops"]
    assert (told.count("held"), told.count("hold_cleared")) == (2, 2)


async def test_who_resumes_a_run_has_its_held_call_tried_at_once(temporal: Client, script: Script) -> None:
    async with running(temporal, down(script, "judge", 3), WAITS) as handle:
        await tried(handle, 2)
        await stop(handle, "to mend it")
        await handle.result()
        (kept,) = script.archived
        assert kept.log is not None
        cut = where_to_resume(kept.run, kept.log, extra=None, titles=frozenset(), now=time.time())
        entry = RunResumed(at=0.0, why="resumed", retry_now=True)
        resumed_from = ResumedFrom(entry=entry, undone=(build_undo_record(handle.id, cut),))
        asked = going_on(kept.log.asked, cut, resumed_from, kept.events, kept.run.started_at)
        again = await temporal.start_workflow(ResearchWorkflow.run, asked, id=handle.id, task_queue=handle.id)
        assert (await again.result()).ending is None
    assert tell_tries(script.archived[-1]) == [(1, 2.0), (2, 4.0), (1, 2.0)]
    assert await list_calls(again, "judge") == ["judge.3", "judge.4"]
