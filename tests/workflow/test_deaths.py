"""A call that no try lived to answer is one that nobody answered, and what it used is asked of the ledger."""

import uuid

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import AgentCall, ToolCall, ToolResult
from elcano.graphs.engine.entries import StepFailed
from elcano.graphs.spec.graph import ToolNode
from elcano.graphs.spec.limits import ToolLimits
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from tests.workflow.test_node_limits import Judge, graph, judge, run

NOBODY = ApplicationError("no answer in time (too slow)", type=FailureType.TIMEOUT, non_retryable=True)
"""What an attempt says that finds that the server ended the last try."""


async def dead(call: AgentCall) -> None:
    raise NOBODY


async def test_what_a_call_used_that_nobody_answered_is_in_the_ledger(temporal: Client, script: Script) -> None:
    paid = Usage(requests=1, input_tokens=700)
    asked = Judge(script, dead)
    run_id = f"run-{uuid.uuid4()}"
    script.ledger[run_id, "0001-judge"] = paid
    result = await run(temporal, asked.activities, graph(judge(attempts=2), repaired="Timeout"), run_id=run_id)
    assert (asked.attempts, result.ending, script.calls) == ([1], None, ["thinking", "writer"])
    (kept,) = script.archived
    assert next(event for event in kept.events if event.type == "error").message.endswith("(too slow)")
    assert kept.log is not None
    failed = next(entry for entry in kept.log.entries if isinstance(entry, StepFailed))
    assert (failed.failure.attempts, failed.usage.input_tokens) == (2, 700)


@pytest.mark.parametrize(("tool", "told"), [("call_tool", True), ("list_tools", False)])
async def test_of_a_tool_that_no_try_lived_to_answer_for_nobody_knows_what_it_did(
    skipping: WorkflowEnvironment, script: Script, tool: str, told: bool
) -> None:
    async def use(call: ToolCall) -> ToolResult:
        raise NOBODY

    called = {"server": "'a'", "tool": "'b'", "arguments": "`{}`"} if told else {}
    node = ToolNode(id="call", tool=tool, inputs=called, limits=ToolLimits(attempts=2))
    activities = list(scripted_activities(script, use=use))
    result = await run(skipping.client, activities, graph(node, repaired="Timeout"), tool_servers=("a",))
    assert result.ending is None
    (kept,) = script.archived
    failed = next(event for event in kept.events if event.type == "error")
    assert ("it is unknown whether the write happened" in failed.message) is told
