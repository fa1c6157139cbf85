"""The research workflow on the real server: every path ends in a report and in exactly one terminal event."""

import asyncio

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.service import RPCError

from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ProgressPage, RunSnapshot
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.events import TERMINAL, AgentEvent
from elcano.testing.script import Answer, Refused, Script
from elcano.workflows.research import ResearchWorkflow
from tests.control import stop
from tests.workflow.conftest import Handle, Start


def story(events: list[AgentEvent]) -> list[tuple[str, str, int, int]]:
    return [(event.type, event.message, event.step, event.iteration) for event in events]


async def all_events(handle: Handle) -> list[AgentEvent]:
    page: ProgressPage = await handle.query(ResearchWorkflow.progress, 0)
    return list(page.events)


def assert_told_once(events: list[AgentEvent]) -> None:
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.type in TERMINAL for event in events] == [False] * (len(events) - 1) + [True]


async def test_a_run_completes_and_is_archived(start: Start, script: Script) -> None:
    handle = await start()
    result = await handle.result()
    assert result.report is not None
    assert result.report.partial is None
    assert result.iterations == 2
    assert script.calls.count("search") == 1 + 2, "the question itself, then what the gap lacks"
    (kept,) = script.archived
    assert kept.run.status == "completed"
    assert kept.run.evidence == ("doc:What-is-it?", "doc:gap-1-is-it-a", "doc:gap-1-is-it-b")
    assert_told_once(list(kept.events))
    assert list(kept.events) == await all_events(handle)
    assert kept.run.steps == result.steps


def failing_for(query: str) -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        if query in str(given.get("query", "")):
            raise Refused("no such thing")
        return {"source": "library", "query": str(given["query"]), "evidence": []}

    return answer


async def test_stop_ends_in_a_partial_report(start: Start, script: Script) -> None:
    reached = asyncio.Event()

    def waiting(given: JsonObject) -> JsonObject:
        reached.set()
        return {"research_complete": False, "outstanding_gaps": ["g"]}

    script.complete_in = 99
    script.overrides["knowledge_gap"] = waiting
    handle = await start(limits=Limits(iterations=50, steps=2_000))
    await reached.wait()
    await stop(handle, "enough for today")
    result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, result.ending.detail) == ("stopped", "enough for today")
    assert script.calls.count("writer") == 1
    assert_told_once(list(script.archived[0].events))
    with pytest.raises(RPCError, match="already completed"):
        await stop(handle)


async def test_a_refused_model_fails_once_with_the_reason(start: Start, script: Script) -> None:
    def refused(given: JsonObject) -> JsonObject:
        raise Refused("set OPENAI_API_KEY", type="ModelRefused")

    script.overrides["thinking"] = refused
    handle = await start()
    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "ModelRefused"
    assert "OPENAI_API_KEY" in failed.value.cause.message
    assert script.calls == ["search", "thinking"]
    (kept,) = script.archived
    assert kept.run.status == "failed"
    assert kept.run.failure is not None
    assert_told_once(list(kept.events))


async def test_a_failing_writer_leaves_the_evidence_and_no_report(start: Start, script: Script) -> None:
    script.overrides["writer"] = failing_for("")
    handle = await start()
    with pytest.raises(WorkflowFailureError):
        await handle.result()
    assert script.published == []
    (kept,) = script.archived
    assert (kept.run.status, kept.run.report) == ("failed", None)
    assert kept.run.evidence


async def test_cancelling_ends_at_once_and_is_archived(start: Start, script: Script) -> None:
    reached = asyncio.Event()

    def waiting(given: JsonObject) -> JsonObject:
        reached.set()
        return {"thought": "hm"}

    script.complete_in = 99
    script.overrides["thinking"] = waiting
    handle = await start(limits=Limits(iterations=50, steps=2_000))
    await reached.wait()
    await handle.cancel()
    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()
    assert isinstance(failed.value.cause, CancelledError)
    (kept,) = script.archived
    assert kept.run.status == "cancelled"
    assert_told_once(list(kept.events))


@pytest.mark.long
@pytest.mark.parametrize("cached_workflows", [100])  # over 160 steps, too long to replay after each
async def test_snapshot_and_paged_progress(start: Start, script: Script, cached_workflows: int) -> None:
    script.complete_in = 99
    handle = await start(limits=Limits(iterations=20, steps=2_000))
    await handle.result()
    snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
    assert snapshot.stage == "closed"
    assert snapshot.evidence == 1 + 2 * 20
    seen: list[AgentEvent] = []
    while True:
        page: ProgressPage = await handle.query(ResearchWorkflow.progress, len(seen))
        seen += page.events
        if not page.more:
            break
    assert page.done
    assert len(seen) == snapshot.last_event > 200
    assert_told_once(seen)
    beyond: ProgressPage = await handle.query(ResearchWorkflow.progress, 10_000)
    assert (beyond.events, beyond.more) == ((), False)


async def test_the_history_reads_like_the_graph(start: Start, script: Script) -> None:
    handle = await start()
    await handle.result()
    history = await handle.fetch_history()
    ids = [
        event.activity_task_scheduled_event_attributes.activity_id
        for event in history.events
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert ids[:8] == [
        "0001-first_search-1",
        "0002-thinking",
        "0003-knowledge_gap",
        "0005-tool_selector",
        "0006-execute_tools-1",
        "0006-execute_tools-2",
        "0008-judge",
        "0010-thinking",
    ]
    assert ids[-2:] == ["0013-writer", "publish-report"]
    markers = [event.marker_recorded_event_attributes.marker_name for event in history.events]
    assert [name for name in markers if name] == ["core_local_activity"]  # the run was archived in its last task
