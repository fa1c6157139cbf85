"""Tenants take turns at every task queue, and batch runs wait for interactive ones: positions on the real server."""

import asyncio
import uuid
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano.dev.external_checks import check_temporal
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.service.temporal.workers import PRIORITY_KEYS
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from tests.sources import Shelf
from tests.workflow.conftest import worker_for
from tests.workflow.crowd import Crowd, last_place, searches, serve

RATE = 100.0
"""Searches a second: the server holds the queue to it, and one is searched at a time."""

WRITES = ResearchGraph(
    name="writes",
    nodes=(AgentNode(id="write", agent="writer", inputs={"question": "question"}),),
    edges=(),
    entry_node="write",
    exit_nodes=("write",),
)


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch) -> SourceSpec:
    made = SourceSpec(
        name=f"shelf-{uuid.uuid4()}",
        kind="articles",
        description="Everybody searches it.",
        limits=SourceLimits(per_second=RATE, side_by_side=1),
        policy=SourcePolicy(queue_seconds=600),
    )
    monkeypatch.setitem(SOURCES, made.name, made)
    return made


async def test_a_tenant_with_few_searches_is_not_behind_one_with_many(
    temporal: Client, script: Script, store: Store, spec: SourceSpec, queue: str
) -> None:
    crowd = Crowd(temporal, queue)
    async with worker_for(temporal, queue, scripted_activities(script)):
        for _ in range(5):
            await crowd.start("many", searches(spec, "many", 15))
        await crowd.until_queued(spec.queue, 75)
        await crowd.start("few", searches(spec, "few", 10))
        await crowd.until_queued(spec.queue, 85)
        order = await serve(temporal, store, Shelf(spec), crowd)
    assert len(order) == 85
    assert last_place(order, "few") <= 45


@pytest.mark.long
async def test_batch_runs_go_after_interactive_ones_and_share_fairly_among_themselves(
    temporal: Client, script: Script, store: Store, spec: SourceSpec, queue: str
) -> None:
    crowd = Crowd(temporal, queue)
    async with worker_for(temporal, queue, scripted_activities(script)):
        for _ in range(4):
            await crowd.start("many", searches(spec, "many-batch", 15), "batch")
        await crowd.until_queued(spec.queue, 60)
        await crowd.start("few", searches(spec, "few-batch", 5), "batch")
        await crowd.start("many", searches(spec, "many", 5))
        await crowd.start("few", searches(spec, "few", 5))
        await crowd.until_queued(spec.queue, 75)
        order = await serve(temporal, store, Shelf(spec), crowd)
    assert set(order[:10]) == {"many", "few"}, "a batch call was before an interactive one"
    assert last_place(order, "few-batch") <= 10 + 15


@pytest.mark.long
async def test_calls_in_the_queue_of_all_runs_take_turns_too(temporal: Client, script: Script, queue: str) -> None:
    order: list[str] = []
    all_queued = asyncio.Event()

    async def ask(call: AgentCall) -> AgentResult:
        await all_queued.wait()
        order.append(call.tenant)
        return AgentResult(
            output=script.answer(call.agent, call.input), usage=script.usage, model="s", last_event=call.last_event
        )

    crowd = Crowd(temporal, queue)
    async with worker_for(temporal, queue, scripted_activities(script, ask=ask), side_by_side=1):
        for tenant, runs in (("many", 30), ("few", 3)):
            for _ in range(runs):
                await crowd.start(tenant, WRITES)
        await crowd.until_queued(queue, 32)
        all_queued.set()
        await crowd.end()
    assert order.count("many") == 30
    assert last_place(order, "few") <= 9


async def test_sections_have_the_place_of_their_run(temporal: Client, script: Script, queue: str) -> None:
    crowd = Crowd(temporal, queue)
    await crowd.start("few", MODES["deep_brief"], "batch")
    async with worker_for(temporal, queue, scripted_activities(script)):
        await crowd.end()
    sections = [call.run.run_id for call in script.archived if call.run.branch_of is not None]
    assert len(sections) == 3
    for run_id in (*crowd.started, *sections):
        described = await temporal.get_workflow_handle(run_id).describe()
        place = described.raw_description.workflow_execution_info.priority
        assert (place.priority_key, place.fairness_key) == (PRIORITY_KEYS["batch"], "few")
    assert {call.run.priority for call in script.archived} == {"batch"}


def test_a_server_that_does_not_answer_is_a_fault(tmp_path: Path) -> None:
    settings = Settings.model_validate({"TEMPORAL_ADDRESS": "127.0.0.1:1", "data_dir": tmp_path})
    (finding,) = check_temporal(settings)
    assert (finding.grade, "does not answer" in finding.text) == ("fault", True)
