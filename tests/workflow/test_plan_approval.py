"""A plan waits for somebody: for days, without time or money passing, and what is approved is what is researched."""

import asyncio
import uuid
from typing import Any

from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import CHAIN_WORKFLOW, RESEARCH_WORKFLOW
from elcano.graphs.engine.approvals import ApprovePlan, RefusePlan
from elcano.graphs.records import RunSnapshot
from elcano.graphs.run_contracts import ResearchResult
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Ending
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import ask, refused, section, steer, stop
from tests.workflow.conftest import Handle, Start, asking, worker_for

EDITED = (section("law"), section("people", "Who works there?"))


async def waiting(handle: Handle) -> RunSnapshot:
    """The run once its plan waits."""
    while True:
        snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
        if snapshot.hold is not None:
            return snapshot
        await asyncio.sleep(0.25)


@BOTH_WAYS
async def test_a_plan_waits_ten_days_and_what_was_edited_is_researched(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = asking(run_id, mode="deep", limits=Limits(tokens=400_000, seconds=600), approve_plan=True)
    async with worker_for(skipping.client, queue, scripted_activities(script)):
        handle: Handle = await skipping.client.start_workflow(
            CHAIN_WORKFLOW if chain else RESEARCH_WORKFLOW,
            asked,
            id=run_id,
            task_queue=queue,
            result_type=ResearchResult,
        )
        snapshot = await waiting(handle)
        assert (snapshot.stage, snapshot.status) == ("approval", "running")
        assert [one.title for one in snapshot.plan] == list(script.sections)
        await skipping.fast_forward(handle, 10 * 86_400.0)
        assert (await waiting(handle)).stage == "approval"
        assert await ask(handle, ApprovePlan(sections=EDITED, title="Ports", by="Elvira")) == {
            "title": "Ports",
            "sections": [
                {"title": "law", "question": "What of law?"},
                {"title": "people", "question": "Who works there?"},
            ],
        }
        result = await handle.result()
    assert result.ending is None
    (published,) = script.published
    assert [one.title for one in published.sections] == ["law", "people"]
    researched = {call.run.question for call in script.archived if call.run.branch_of}
    assert researched == {"What of law?", "Who works there?"}
    kept = next(call for call in script.archived if call.run.branch_of is None)
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at > 10 * 86_400
    seconds: Any = kept.run.budget["seconds"]
    assert seconds["used"] < 600
    told = [(event.type, event.message) for event in kept.events if event.type.startswith("plan_")]
    assert told == [
        ("plan_proposed", "Waiting for plan approval: history · method · cost"),
        ("plan_approved", "The plan was approved with changes by Elvira: law · people"),
    ]


@BOTH_WAYS
async def test_a_refused_plan_ends_the_run_with_what_the_survey_found(
    chain: bool, start: Start, script: Script
) -> None:
    handle = await start(mode="deep", chain=chain, approve_plan=True)
    await waiting(handle)
    await ask(handle, RefusePlan(reason="too broad", by="Elvira"))
    result = await handle.result()
    assert result.ending == Ending(kind="stopped", detail="the plan was refused by Elvira: too broad")
    (published,) = script.published
    assert (published.sections, published.ending) == ((), result.ending)
    assert published.evidence == ("doc:What-is-it?",)
    assert "writer" not in script.calls
    (kept,) = script.archived
    assert kept.run.status == "stopped"


async def test_only_a_plan_that_waits_is_decided_on_and_only_once(start: Start, script: Script) -> None:
    handle = await start(mode="deep", approve_plan=True, limits=Limits(tokens=400_000, sections=3))
    await waiting(handle)
    many = tuple(section(f"number {number}") for number in range(4))
    assert "there would be 4 sections, and 3 are allowed" in await refused(handle, ApprovePlan(sections=many))
    assert "at least one section" in await refused(handle, ApprovePlan(sections=()))
    twice = (section("law"), section("Law "))
    assert "would be called 'Law '" in await refused(handle, ApprovePlan(sections=twice))
    script.watching = lambda _: asyncio.sleep(0.5)
    await ask(handle, ApprovePlan(), id="first")
    assert await ask(handle, ApprovePlan(), id="first") is not None, "the same request gets its first answer"
    for action in (ApprovePlan(), RefusePlan(reason="no")):
        assert "approved already" in await refused(handle, action)
    script.watching = None
    await handle.result()
    assert [one.title for one in script.published[0].sections] == list(script.sections)


async def test_a_run_that_was_not_asked_to_wait_has_nothing_to_approve(start: Start, script: Script) -> None:
    script.watching = lambda _: asyncio.sleep(0.2)
    handle = await start(mode="deep")
    assert "it was not requested" in await refused(handle, ApprovePlan())
    early = await start(mode="deep", approve_plan=True)
    assert "has not proposed a plan yet" in await refused(early, RefusePlan(reason="no"))
    script.watching = None
    await handle.result()
    await waiting(early)
    await stop(early, "enough")
    assert (await early.result()).ending == Ending(kind="stopped", detail="enough")


async def test_a_plan_that_waits_can_be_steered(start: Start, script: Script) -> None:
    handle = await start(mode="deep", approve_plan=True)
    await waiting(handle)
    steered = await steer(handle, add_sections=(section("law"),), drop_sections=("cost",), instruction="Be brief.")
    assert (steered.step, steered.sections) == (4, "before the sections run")
    snapshot = await waiting(handle)
    assert snapshot.hold is not None
    assert (snapshot.hold.reason, snapshot.hold.node) == ("approval", "parallel_loops")
    assert [one.title for one in snapshot.plan] == ["history", "method", "law"]
    answered: Any = await ask(handle, ApprovePlan())
    assert [one["title"] for one in answered["sections"]] == ["history", "method", "law"]
    await handle.result()
    assert [one.title for one in script.published[0].sections] == ["history", "method", "law"]


async def test_a_plan_that_waits_outlives_its_worker(temporal: Client, script: Script, queue: str) -> None:
    run_id = f"run-{uuid.uuid4()}"
    activities = scripted_activities(script)
    async with worker_for(temporal, queue, activities, cached_workflows=10):
        handle: Handle = await temporal.start_workflow(
            ResearchWorkflow.run, asking(run_id, mode="deep", approve_plan=True), id=run_id, task_queue=queue
        )
        await waiting(handle)
    async with worker_for(temporal, queue, activities, cached_workflows=10):
        await ask(handle, ApprovePlan())
        await handle.result()
    assert script.calls.count("planner") == 1
