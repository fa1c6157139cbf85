"""A call of a tool that writes waits for somebody, is made once or not at all, and holds up nothing else."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import RESEARCH_WORKFLOW
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.approvals import ApproveCall, RefuseCall
from elcano.graphs.engine.control_actions import Action, RollBack
from elcano.graphs.engine.entries import ApprovalExpired, ApprovalRequested, Controlled, Held
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import ResearchResult
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Refused, Script
from tests.control import ask, go_on, pause, refused, stop
from tests.workflow.conftest import Handle, worker_for
from tests.workflow.test_showing import attributes, details
from tests.workflow.writing_tools import THREE, Tool, asked, in_branches, waiting, writing

CALL = "0001-write"
BOTH = ("ApprovalRefused", "ApprovalNeeded")
Begin = Callable[..., Awaitable[Handle]]


@pytest.fixture
def tool() -> Tool:
    return Tool()


async def begun(client: Client, queue: str, graph: ResearchGraph, **more: Any) -> Handle:
    run_id = f"run-{uuid.uuid4()}"
    given = asked(run_id, graph, **more)
    return await client.start_workflow(
        RESEARCH_WORKFLOW, given, id=run_id, task_queue=queue, result_type=ResearchResult
    )


@pytest.fixture
async def begin(temporal: Client, queue: str, tool: Tool, script: Script) -> AsyncIterator[Begin]:
    async with worker_for(temporal, queue, tool.activities(script)):
        yield lambda graph, **more: begun(temporal, queue, graph, **more)


def kept(script: Script) -> ArchiveCall:
    """The run itself as it was archived."""
    return next(call for call in script.archived if call.run.branch_of is None)


def told(script: Script) -> list[str]:
    return [event.type for event in kept(script).events if "call_" in event.type or "approval" in event.type]


async def test_a_call_waits_until_somebody_approves_it_and_is_made_once(
    begin: Begin, tool: Tool, script: Script
) -> None:
    handle = await begin(writing())
    snapshot = await waiting(handle)
    assert snapshot.hold is not None
    assert (snapshot.stage, snapshot.hold.reason, snapshot.hold.node) == ("approval", "approval", "write")
    (call,) = snapshot.calls
    assert (call.id, call.called, call.arguments) == (CALL, "tests/write", '{"line": "What is it?"}')
    assert call.until - call.since == Limits().hold_seconds
    assert "none of its calls waits" not in await refused(handle, ApproveCall(call="0001-other"))
    assert tool.written == []
    answer = await ask(handle, ApproveCall(call=CALL, by="Elvira"), id="first", by="alice")
    assert answer == {"call": CALL, "server": "tests", "tool": "write"}
    assert await ask(handle, ApproveCall(call=CALL, by="Elvira"), id="first") == answer, "the same request"
    assert (await handle.result()).ending is None
    assert tool.written == [(CALL, "What is it?")]
    log = kept(script).log
    assert log is not None
    assert log.run.calls == ()
    kinds = [type(entry) for entry in log.entries[:3]]
    assert kinds == [ApprovalRequested, Held, Controlled]
    (decision,) = (entry for entry in log.entries if isinstance(entry, Controlled))
    assert (decision.by, decision.when is not None) == ("alice", True)
    assert told(script) == ["approval_requested", "call_approved"]


async def test_a_refused_call_is_a_failure_that_an_edge_can_wait_for(begin: Begin, tool: Tool, script: Script) -> None:
    handle = await begin(writing(repaired=("ApprovalRefused",)))
    await waiting(handle)
    await ask(handle, RefuseCall(call=CALL, reason="Es gibt schon eins: ü.", by="Elvira"))
    await handle.result()
    log = kept(script).log
    assert log is not None
    (failure,) = log.run.state.failures
    expected = "Elvira refused the call of tests/write: Es gibt schon eins: ü."
    assert (failure.node, failure.type, failure.message) == ("write", "ApprovalRefused", expected)
    assert tool.written == []
    assert script.calls == ["thinking", "writer"]
    assert told(script) == ["approval_requested", "call_refused"]


async def test_of_many_decisions_at_once_one_holds(begin: Begin, tool: Tool, script: Script) -> None:
    for _ in range(3):
        handle = await begin(writing(repaired=BOTH))
        await waiting(handle)
        before = len(tool.written)
        decisions: list[Action] = [ApproveCall(call=CALL), RefuseCall(call=CALL, reason="no")] * 3
        answers = await asyncio.gather(*(ask(handle, one) for one in decisions), return_exceptions=True)
        accepted = [one for one in answers if not isinstance(one, BaseException)]
        assert len(accepted) == 1
        await handle.result()
        approved = isinstance(decisions[answers.index(accepted[0])], ApproveCall)
        assert len(tool.written) - before == int(approved)


async def test_nobody_decides_in_time_and_no_time_has_passed(
    skipping: WorkflowEnvironment, tool: Tool, script: Script
) -> None:
    queue = f"test-{uuid.uuid4()}"
    limits = Limits(seconds=60, hold_seconds=20 * 86_400)
    async with worker_for(skipping.client, queue, tool.activities(script)):
        handle = await begun(skipping.client, queue, writing(repaired=BOTH), limits=limits)
        await waiting(handle)
        await skipping.fast_forward(handle, 21 * 86_400.0)
        await handle.result()
    assert "none of its calls" in ApproveCall.too_late
    assert tool.written == []
    archived = kept(script)
    assert archived.log is not None
    (failure,) = archived.log.run.state.failures
    assert failure.type == "ApprovalNeeded"
    assert failure.message.startswith("the call was not approved within 1.728e+06 s: tests/write writes")
    assert any(isinstance(entry, ApprovalExpired) for entry in archived.log.entries)
    seconds: Any = archived.run.budget["seconds"]
    assert seconds["used"] < 60
    assert archived.run.status == "completed"


@pytest.mark.parametrize("how", ["stop", "cancel"])
async def test_a_run_that_leaves_while_a_call_waits_never_makes_it(
    begin: Begin, tool: Tool, script: Script, how: str
) -> None:
    handle = await begin(writing())
    await waiting(handle)
    if how == "stop":
        script.watching = lambda _: asyncio.sleep(0.5)
        await stop(handle, "enough")
        assert "the run" in await refused(handle, ApproveCall(call=CALL))
        assert (await handle.result()).ending is not None
    else:
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    assert tool.written == []
    assert kept(script).run.status == ("stopped" if how == "stop" else "cancelled")


async def test_a_run_that_was_paused_makes_an_approved_call_once_it_goes_on(begin: Begin, tool: Tool) -> None:
    handle = await begin(writing())
    await waiting(handle)
    await pause(handle)
    await ask(handle, ApproveCall(call=CALL))
    await asyncio.sleep(0.5)
    assert tool.written == []
    await go_on(handle)
    await handle.result()
    assert tool.written == [(CALL, "What is it?")]


async def test_each_item_waits_for_itself(begin: Begin, tool: Tool, script: Script) -> None:
    handle = await begin(writing(THREE))
    snapshot = await waiting(handle, 3)
    assert {call.id for call in snapshot.calls} == {f"{CALL}-{item}" for item in (1, 2, 3)}
    await ask(handle, ApproveCall(call=f"{CALL}-2"))
    while not tool.written:  # noqa: ASYNC110 - it is a worker that says so
        await asyncio.sleep(0.05)
    assert len((await waiting(handle, 2)).calls) == 2, "the others wait, and the run for them"
    await ask(handle, RefuseCall(call=f"{CALL}-1", reason="no"))
    await waiting(handle)
    await ask(handle, ApproveCall(call=f"{CALL}-3"))
    await handle.result()
    assert tool.written == [(f"{CALL}-2", "b"), (f"{CALL}-3", "c")]
    log = kept(script).log
    assert log is not None
    output: Any = log.run.state.outputs["write"]
    assert [item["error_type"] for item in output["items"]] == ["ApprovalRefused", None, None]


async def test_branches_wait_apart_and_their_run_with_them(
    begin: Begin, temporal: Client, tool: Tool, script: Script
) -> None:
    handle = await begin(in_branches())
    snapshot = await waiting(handle, 2)
    assert snapshot.hold is not None
    assert (snapshot.stage, snapshot.hold.reason) == ("approval", "approval")
    assert {call.section for call in snapshot.calls} == {"one", "two"}
    first, second = snapshot.calls
    told = await details(handle)
    assert "**waits for an approval** since 20" in told
    for call in snapshot.calls:
        assert f"asks to call tests/write of {call.section} (`{call.run_id}`), as `{CALL}`, until 20" in told
        shown = await details(temporal.get_workflow_handle(call.run_id))
        assert f'`{{"line": "{call.section}"}}`' in shown
    found = await attributes(temporal, handle.id)
    assert (found["Stage"], found["Waiting"]) == ("approval", "approval")
    await ask(temporal.get_workflow_handle(first.run_id), ApproveCall(call=first.id))
    assert [call.run_id for call in (await waiting(handle, 1)).calls] == [second.run_id]
    await ask(temporal.get_workflow_handle(second.run_id), RefuseCall(call=second.id, reason="no"))
    assert (await handle.result()).ending is None
    assert "asks to call" not in await details(handle)
    assert [line for _, line in tool.written] == [first.section]


async def test_a_call_that_waits_outlives_its_worker(temporal: Client, queue: str, tool: Tool, script: Script) -> None:
    activities = tool.activities(script)
    async with worker_for(temporal, queue, activities):
        handle = await begun(temporal, queue, writing())
        await waiting(handle)
    async with worker_for(temporal, queue, activities, cached_workflows=0):
        await ask(handle, ApproveCall(call=CALL))
        await handle.result()
    assert tool.written == [(CALL, "What is it?")]


async def test_a_run_that_is_taken_back_asks_anew(begin: Begin, tool: Tool, script: Script) -> None:
    handle = await begin(writing())
    await waiting(handle)
    await ask(handle, RollBack(step=1))
    while (await waiting(handle)).calls[0].id == CALL:  # noqa: ASYNC110 - it is a run that says so
        await asyncio.sleep(0.05)
    (anew,) = (await waiting(handle)).calls
    assert anew.id.startswith(f"{CALL}r")
    assert "waits for approval; waiting are" in await refused(handle, ApproveCall(call=CALL))
    await ask(handle, ApproveCall(call=anew.id))
    await handle.result()
    assert tool.written == [(anew.id, "What is it?")]


async def test_a_run_that_nobody_looks_at_is_refused_at_once_in_both_runners(
    begin: Begin, tool: Tool, script: Script
) -> None:
    graph = writing(repaired=BOTH)
    handle = await begin(graph, approvals="refuse")
    await handle.result()
    log = kept(script).log
    assert log is not None

    def needs(_: object) -> Any:
        raise Refused("tests/write writes", type="ApprovalNeeded")

    script.overrides["call_tool"] = needs
    in_memory = await run_in_memory(asked(handle.id, graph), script.perform, clock=lambda: 0.0)
    for run in (log.run, in_memory.run):
        assert [failure.type for failure in run.state.failures] == ["ApprovalNeeded"]
    assert tool.written == []
    assert told(script) == []
