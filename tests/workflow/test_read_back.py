"""What a worker has run is read back: a run that hangs on what the worker keeps in memory does not pass."""

from collections.abc import AsyncIterator, Mapping
from itertools import count
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHistory
from temporalio.workflow import NondeterminismError

from elcano.graphs.contracts import RESEARCH_WORKFLOW
from elcano.graphs.lifecycle import finish
from elcano.graphs.records import RunLog
from elcano.graphs.rules import RULES
from elcano.graphs.run_contracts import ResearchInput
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from tests.replay.test_replay import STRICTER
from tests.workflow.conftest import asking, worker_for
from tests.workflow.replayed import histories


async def test_a_log_that_hangs_on_memory_is_noticed(
    temporal: Client, queue: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count()

    def build_forgetful_log(asked: ResearchInput, **told: Any) -> RunLog:
        return RunLog(asked=asked.model_copy(update={"question": f"{next(made)}?"}), **told)

    monkeypatch.setattr(finish, "RunLog", build_forgetful_log)
    with pytest.raises(AssertionError, match=queue):
        async with worker_for(temporal, queue, scripted_activities(script)):
            await temporal.execute_workflow(RESEARCH_WORKFLOW, asking(queue), id=queue, task_queue=queue)


async def test_a_run_that_would_go_another_way_is_noticed(
    temporal: Client, queue: str, script: Script, monkeypatch: pytest.MonkeyPatch, handed_logs: list[RunLog]
) -> None:
    async def under_other_rules() -> None:
        async with worker_for(temporal, queue, scripted_activities(script)):
            asked = asking(queue, mode="deep")
            await temporal.execute_workflow(RESEARCH_WORKFLOW, asked, id=queue, task_queue=queue)
            monkeypatch.setattr("elcano.graphs.rules.RULES", [STRICTER] * len(RULES))

    with pytest.raises(NondeterminismError):
        await under_other_rules()
    handed_logs.clear()  # they were written by the rules of before


@pytest.mark.long
async def test_sections_and_earlier_histories_are_read_as_well(
    short_histories: Client, queue: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    async def noted(client: Client, ran: Mapping[str, str]) -> AsyncIterator[WorkflowHistory]:
        async for history in histories(client, ran):
            read.append(history.workflow_id)
            yield history

    monkeypatch.setattr("tests.workflow.replayed.histories", noted)
    script.complete_in = 8
    asked = asking(queue, mode="deep")
    async with worker_for(short_histories, queue, scripted_activities(script)):
        await short_histories.execute_workflow(RESEARCH_WORKFLOW, asked, id=queue, task_queue=queue)
    assert len(set(read)) == 1 + len(script.sections)
    assert len(read) > len(set(read))
