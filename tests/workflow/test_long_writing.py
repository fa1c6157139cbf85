"""The long writer on the real server: what its heartbeats carry reaches the next attempt."""

import uuid
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic_ai.exceptions import ModelAPIError
from temporalio import workflow
from temporalio.client import Client
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.agents.agent_activity import AgentActivities, agent_activities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.state.failures import FailureDetails
from elcano.settings import Settings
from elcano.storage.store import open_store
from elcano.subjects.research.agents.long_writer import SECTION
from elcano.worker import HEARTBEAT_THROTTLE
from elcano.workflows import retry_policies
from tests.unit.activities.agents import test_synthesis as synthesis
from tests.unit.activities.agents.material import call, stored


@workflow.defn
class OneCall:
    """Calls one agent as a run does."""

    @workflow.run
    async def run(self, given: AgentCall) -> AgentResult:
        try:
            return await self._call(given)
        except ActivityError as error:  # as a run does once its hold is over
            details = FailureDetails.model_validate(cast(ApplicationError, error.cause).details[0])
            again = await self._call(given.model_copy(update={"progress": details.progress}))
            return again.model_copy(update={"usage": details.usage + again.usage})

    async def _call(self, given: AgentCall) -> AgentResult:
        result: AgentResult = await workflow.execute_activity(
            given.agent, given, result_type=AgentResult, **retry_policies.AGENT
        )
        return result


@pytest.mark.parametrize(
    ("error", "attempts"), [(RuntimeError("a bug"), [1, 2]), (ModelAPIError("scripted", "overloaded"), [1, 1])]
)
async def test_a_retry_begins_with_the_section_that_failed(
    error: Exception, attempts: list[int], temporal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []

    def failing_once(task: TaskEnvelope) -> dict[str, Any]:
        if task.kind == SECTION and task.sections[0].title == "Retried" and not failed:
            failed.append(task.sections[0].title)
            raise error
        return synthesis.retelling(task)

    shown = synthesis.answering(monkeypatch, failing_once)
    async with open_store(tmp_path) as store:
        await store.of("default").evidence.add("run-1", (synthesis.ONE,), [stored(synthesis.ONE)])
        sections = synthesis.given(
            await synthesis.section(store, "Crash", synthesis.REPLAY),
            await synthesis.section(store, "Retried", synthesis.RETRY),
        )
        agents = AgentActivities(store, Sources({}), Settings(_env_file=None))
        queue = f"long-{uuid.uuid4()}"
        async with Worker(
            temporal,
            task_queue=queue,
            workflows=[OneCall],
            activities=agent_activities(agents.run_agent),
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        ):
            result = await temporal.execute_workflow(
                OneCall.run, call("long_writer", sections), id=queue, task_queue=queue
            )
        lines = await store.of("default").ledger.entries("run-1")
    asked = [task.sections[0].title if task.sections else task.kind for task in shown]
    assert asked == ["Crash", "Retried", "Retried", "long_writer_summary"]
    assert [(line.attempt, line.outcome, line.usage.requests) for line in lines] == [
        (attempts[0], "failed", 1),
        (attempts[1], "completed", 2),
    ]
    assert result.usage.requests == 3
