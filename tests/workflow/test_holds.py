"""A provider that cannot answer holds a run: it says so, tries again, and pays for nothing twice."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import stop
from tests.workflow.conftest import Handle, asking, worker_for

HALF_AN_HOUR = 13
"""Tries in vain whose waits add up to more than thirty minutes: 2, 4, 8 ... 256 seconds, then 300 each."""
QUIET = ApplicationErrorCategory.BENIGN
"""The worker does not log failures that are meant."""
PAID = Usage(requests=1, input_tokens=11)


def down(script: Script, agent: str, tries: int, kind: str = FailureType.PROVIDER) -> list[Callable[..., Any]]:
    """The script's activities, but `agent` cannot be answered so many times; each try is paid for all the same."""
    refused = 0

    async def run_agent(call: AgentCall) -> AgentResult:
        nonlocal refused
        if call.agent == agent and refused < tries:
            refused += 1
            details = FailureDetails(attempt=1, usage=PAID)
            raise ApplicationError(
                "HTTP 503", details.model_dump(mode="json"), type=kind, non_retryable=True, category=QUIET
            )
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

    return list(scripted_activities(script, ask=run_agent))


@asynccontextmanager
async def running(
    client: Client,
    activities: list[Callable[..., Any]],
    limits: Limits,
    *,
    mode: str = "iterative",
    chain: bool = False,
) -> AsyncIterator[Handle]:
    queue = run_id = f"run-{uuid.uuid4()}"
    workflow = ChainWorkflow if chain else ResearchWorkflow
    async with worker_for(client, queue, activities):
        asked = asking(run_id, mode=mode, limits=limits)
        yield await client.start_workflow(workflow.run, asked, id=run_id, task_queue=queue)


async def held(handle: Handle) -> RunSnapshot:
    async with asyncio.timeout(30):
        while True:
            snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
            if snapshot.hold is not None:
                return snapshot
            await asyncio.sleep(0.25)


def seconds_used(script: Script) -> float:
    gauge = script.archived[-1].run.budget["seconds"]
    assert isinstance(gauge, dict)
    assert isinstance(gauge["used"], float)
    return gauge["used"]


@BOTH_WAYS
async def test_a_run_that_may_wait_outlasts_half_an_hour_without_its_provider(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    limits = Limits(seconds=60, when_exhausted="pause")
    activities = down(script, "judge", HALF_AN_HOUR)
    async with running(skipping.client, activities, limits, chain=chain) as handle:
        result = await handle.result()
    assert result.ending is None
    (kept,) = script.archived
    assert kept.run.status == "completed"
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at > 1_800
    assert seconds_used(script) < 60
    told = [event.type for event in kept.events if event.node == "judge"]
    assert (told.count("held"), told.count("hold_cleared"), told.count("judging")) == (HALF_AN_HOUR, 1, 1)
    answered = len([name for name in script.calls if name != "search"])
    assert result.usage.input_tokens == answered * script.tokens + HALF_AN_HOUR * PAID.input_tokens
    assert script.calls.count("judge") == 1


@BOTH_WAYS
async def test_a_run_that_is_to_finish_ends_at_its_time_and_says_why(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    limits = Limits(seconds=600)
    async with running(skipping.client, down(script, "judge", 999), limits, chain=chain) as handle:
        result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "time"
    assert "HTTP 503" in result.ending.detail
    assert script.calls[-1] == "writer"
    (kept,) = script.archived
    assert kept.run.status == "partial"
    assert kept.run.finished_at is not None
    assert 510 <= kept.run.finished_at - kept.run.started_at < 600


@BOTH_WAYS
async def test_a_writer_without_provider_leaves_a_report_of_the_evidence(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    limits = Limits(seconds=600)
    async with running(skipping.client, down(script, "writer", 999), limits, chain=chain) as handle:
        result = await handle.result()
    assert result.report is not None
    (published,) = script.published
    assert (published.draft, len(published.evidence)) == (None, 1 + 2)
    assert script.archived[0].run.status == "partial"


async def test_nobody_is_waited_for_longer_than_allowed(skipping: WorkflowEnvironment, script: Script) -> None:
    limits = Limits(seconds=60, when_exhausted="pause", hold_seconds=3_600)
    async with running(skipping.client, down(script, "judge", 999), limits) as handle:
        result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, script.archived[0].run.status) == ("provider", "partial")
    assert "HTTP 503" in result.ending.detail


@pytest.mark.parametrize("mode", ["iterative", "deep"])
@BOTH_WAYS
async def test_a_refused_key_fails_a_run_in_every_mode(
    mode: str, chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    activities = down(script, "thinking", 999, FailureType.MODEL_REFUSED)
    async with running(skipping.client, activities, Limits(tokens=400_000), mode=mode, chain=chain) as handle:
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.MODEL_REFUSED
    root = script.archived[-1].run
    assert (root.status, root.branch_of) == ("failed", None)
    assert root.failure is not None
    assert "HTTP 503" in root.failure.message


async def test_a_refused_key_is_waited_for_if_the_run_may(skipping: WorkflowEnvironment, script: Script) -> None:
    activities = down(script, "judge", 3, FailureType.MODEL_REFUSED)
    async with running(skipping.client, activities, Limits(when_exhausted="pause")) as handle:
        result = await handle.result()
    assert result.ending is None
    reasons = [event.data["reason"] for event in script.archived[0].events if event.type == "held"]
    assert reasons == ["person"] * 3


async def test_a_held_run_says_so_and_can_be_stopped(temporal: Client, script: Script) -> None:
    async with running(temporal, down(script, "judge", 999), Limits(when_exhausted="pause")) as handle:
        snapshot = await held(handle)
        assert snapshot.hold is not None
        assert (snapshot.stage, snapshot.node, snapshot.hold.agent) == ("held", "judge", "judge")
        assert "HTTP 503" in snapshot.hold.detail
        await stop(handle, "enough")
        result = await handle.result()
    assert result.ending is not None
    assert (result.ending.kind, script.calls[-1]) == ("stopped", "writer")


async def test_sections_that_wait_hold_their_run(skipping: WorkflowEnvironment, script: Script) -> None:
    script.sections = ("history", "method")
    limits = Limits(tokens=400_000, seconds=120, when_exhausted="pause")
    async with running(skipping.client, down(script, "judge", 2 * HALF_AN_HOUR), limits, mode="deep") as handle:
        result = await handle.result()
    assert result.ending is None
    *sections, root = script.archived
    assert {kept.run.status for kept in script.archived} == {"completed"}
    waits = [kept.run.finished_at - kept.run.started_at for kept in sections if kept.run.finished_at is not None]
    assert max(waits) > 1_200  # each workflow has a clock of its own to skip
    told = [event.type for event in root.events if event.node == "parallel_loops"]
    assert told.count("held") == told.count("hold_cleared") >= 1


async def test_a_cancelled_run_counts_what_its_call_used(temporal: Client, script: Script) -> None:
    async with running(temporal, down(script, "judge", 999), Limits()) as handle:
        await held(handle)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    (kept,) = script.archived
    assert kept.run.status == "cancelled"
    tokens = kept.run.budget["tokens"]
    assert isinstance(tokens, dict)
    answered = len([name for name in script.calls if name != "search"])
    refusals = [event for event in kept.events if event.type == "held"]
    assert tokens["used"] == answered * 350 + len(refusals) * PAID.tokens


@pytest.mark.parametrize("called", ["search", "judge"])
async def test_a_store_that_is_away_holds_a_run(called: str, skipping: WorkflowEnvironment, script: Script) -> None:
    """Runs that are to finish are held too, for their results would be lost."""
    away = HALF_AN_HOUR - 6

    def answer(given: JsonObject) -> JsonObject:
        nonlocal away
        away -= 1
        if away < 0:
            del script.overrides[called]
            return script.answer(called, given)
        details = FailureDetails(attempt=1).model_dump(mode="json")
        raise ApplicationError(
            "the store cannot be used", details, type=FailureType.STORE_DOWN, non_retryable=True, category=QUIET
        )

    script.overrides[called] = answer
    async with running(skipping.client, list(scripted_activities(script)), Limits()) as handle:
        result = await handle.result()
    assert result.ending is None
    (kept,) = script.archived
    assert kept.run.status == "completed"
    holds = [event for event in kept.events if event.type == "held"]
    assert {(event.data["reason"], event.data["type"]) for event in holds} == {("store", "StoreDown")}
    assert "its result cannot be stored" in holds[0].message
    assert [event.type for event in kept.events].count("hold_cleared") == 1
