"""A hold of weeks: a run goes on in new histories, knows where it was, and tries ever more seldom."""

import time
import uuid
from itertools import takewhile
from typing import Literal

import pytest
from temporalio.client import Client, WorkflowHandle

from elcano.graphs.contracts import CONTROL_SIGNAL
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import Controlled, Entry
from elcano.graphs.engine.steering import Steer
from elcano.graphs.lifecycle import start_and_fold
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import ControlRequest, ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows import retry_policies
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from tests.workflow.conftest import Handle, asking, worker_for
from tests.workflow.test_holds import down

TRIES = 9
"""In vain; the server of short histories suggests a new one about every fifth."""
MONTH = 30 * 86_400.0


async def executions(client: Client, workflow_id: str) -> int:
    """How many histories a run has gone through."""
    return len([one async for one in client.list_workflows(f"WorkflowId = '{workflow_id}'")])


@pytest.mark.parametrize(
    ("workflow", "mode", "agent"),
    [
        (ResearchWorkflow, "iterative", "judge"),
        (ChainWorkflow, "iterative", "judge"),
        (ChainWorkflow, "magentic", "progress_ledger"),
        (ChainWorkflow, "deep", "judge"),
    ],
)
async def test_a_held_run_goes_on_in_new_histories(
    workflow: type[ResearchWorkflow],
    mode: str,
    agent: str,
    short_histories: Client,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry_policies, "_HOLD_FIRST", 0.01)
    monkeypatch.setattr(retry_policies, "_HOLD_LONGEST", {"provider": 0.05, "person": 0.05})
    script.sections = ("history",)
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = asking(run_id, mode=mode, limits=Limits(tokens=400_000, when_exhausted="pause"))
    async with worker_for(short_histories, queue, down(script, agent, TRIES)):
        handle = await short_histories.start_workflow(workflow.run, asked, id=run_id, task_queue=queue)
        result = await handle.result()
    assert result.ending is None
    held = f"{run_id}.0004.loop-1" if mode == "deep" else run_id
    kept = next(call for call in script.archived if call.run.run_id == held)
    assert kept.log is not None
    assert kept.run.status == "completed"
    assert [event.seq for event in kept.events] == list(range(1, len(kept.events) + 1))
    told = [event.type for event in kept.events]
    assert (told.count("held"), told.count("started")) == (TRIES, 1)
    assert kept.log is not None
    assert start_and_fold.fold(kept.log.asked, kept.log.entries) == kept.log.run
    assert script.calls == await calls_without_holds(asked)
    assert await executions(short_histories, held) >= 2


async def calls_without_holds(asked: ResearchInput) -> list[str]:
    undisturbed = Script()
    undisturbed.sections = ("history",)
    await run_in_memory(asked, undisturbed.perform, clock=lambda: 0.0)
    return undisturbed.calls


async def test_a_chain_hears_what_reached_it_between_two_histories(short_histories: Client, script: Script) -> None:
    """It is asked something before it has come to where it was."""
    before = await archived_chain(short_histories)
    assert before.log is not None
    entries = tuple(takewhile(lambda one: getattr(one, "node", "") != "judge", before.log.entries))
    asked = going_on(before.log.asked, entries)
    signal = ControlRequest(action=Steer(instruction="Look at costs."))
    async with worker_for(short_histories, asked.run_id, scripted_activities(script)):
        handle: Handle = await short_histories.start_workflow(
            ChainWorkflow.run,
            asked,
            id=asked.run_id,
            task_queue=asked.run_id,
            start_signal=CONTROL_SIGNAL,
            start_signal_args=[signal],
        )
        result = await handle.result()
    (kept,) = script.archived
    assert kept.log is not None
    assert result.ending is None
    assert kept.log is not None
    assert kept.log.entries[: len(entries)] == entries
    assert isinstance(kept.log.entries[len(entries)], Controlled)
    assert kept.log.run.state.guidance == ("Look at costs.",)
    assert script.calls[0] == "judge"


async def archived_chain(client: Client) -> ArchiveCall:
    """A chain that has ended."""
    script, run_id = Script(), f"run-{uuid.uuid4()}"
    async with worker_for(client, run_id, scripted_activities(script)):
        handle: WorkflowHandle[ChainWorkflow, object] = await client.start_workflow(
            ChainWorkflow.run, asking(run_id), id=run_id, task_queue=run_id
        )
        await handle.result()
    return script.archived[0]


def going_on(asked: ResearchInput, entries: tuple[Entry, ...]) -> ResearchInput:
    """The input of the execution in which a run goes on behind these entries, as it is continued as new."""
    now = time.time()
    journal = start_and_fold.open_journal(asked, now, code_routed=True)
    for entry in entries:
        journal.record(entry, now)
    return asked.model_copy(update={"run_id": f"run-{uuid.uuid4()}", "carried": journal.pages})


@pytest.mark.parametrize("reason", ["provider", "person"])
def test_a_month_of_tries_fits_into_what_a_run_carries(reason: Literal["provider", "person"]) -> None:
    waited, tries = 0.0, 0
    while waited < MONTH:
        tries += 1
        seconds = retry_policies.hold_seconds(reason, tries, None, waited=waited)
        assert seconds <= max(900, waited / 99), "a provider that is back is not left alone for much longer"
        waited += seconds
    assert tries < 1_200


def test_a_provider_is_not_asked_before_it_wants_to_be_within_a_day() -> None:
    assert retry_policies.hold_seconds("provider", 1, 600.0, waited=0.0) == 600.0
    assert retry_policies.hold_seconds("provider", 1, 1e9, waited=0.0) == 86_400.0
    assert retry_policies.hold_seconds("provider", 3, 1.0, waited=0.0) == 8.0
