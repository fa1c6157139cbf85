"""Nothing that is kept for one tenant can be read for another, and a run goes with all it owns and nothing else."""

import pytest
from sqlalchemy import func, select

from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.doors.evidence_tables.table_store import Change, EvidenceTable, get_tables
from elcano.doors.webhooks.contracts import Message
from elcano.graphs.errors import RunOpen
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchivedRun
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.graphs.state.budget import Estimate
from elcano.graphs.state.events import AgentEvent
from elcano.operations.quotas.limits import Quotas
from elcano.operations.quotas.quota_state import get_tenant_quotas
from elcano.storage.ledger import LedgerEntry
from elcano.storage.runs import ControlOutcome
from elcano.storage.sql.tables import metadata
from elcano.storage.store import Store, TenantStore
from elcano.subjects.knowledge.graph import build_knowledge_edge, build_knowledge_node
from elcano.subjects.knowledge.knowledge_store import get_graph
from elcano.subjects.uploads.document_files import keep_document
from tests.unit.storage.test_evidence import FIRST, OIL, SECOND, THIRD, passage, stored


async def rows(whole: Store) -> dict[str, int]:
    """How many rows each table has that is not empty; without the sums of usage, which nothing takes away."""
    async with whole._engine.connect() as connection:
        counts = {
            table.name: await connection.scalar(select(func.count()).select_from(table))
            for table in metadata.sorted_tables
            if "tenant" in table.columns
        }
    return {name: count for name, count in counts.items() if count and name != "usage_totals"}


def ended(tenant: str, run_id: str, at: float = 2.0) -> ArchivedRun:
    return ArchivedRun(
        run_id=run_id, question="Why?", mode="deep", tenant=tenant, status="completed", started_at=1.0, finished_at=at
    )


async def leave_all(own: TenantStore, run_id: str) -> str:
    """A run of a tenant with something of every kind; returns its artifact."""
    event = AgentEvent(seq=1, type="complete", message="", at=1.0, step=1, iteration=1)
    line = LedgerEntry(run_id=run_id, activity="a", step=1, attempt=1, node="n", kind="agent", name="n")
    branch = f"{run_id}.0004.loop-1"
    for one in (run_id, branch):
        await own.runs.archive(ended(own.tenant, one), [event])
        await own.ledger.record(line.model_copy(update={"run_id": one}))
    await own.evidence.add(run_id, [FIRST], [OIL])
    await own.evidence.add(branch, [SECOND], [OIL])
    await own.admission.claim(f"key of {run_id}", "hash", run_id)
    await own.controls.claim(run_id, "stop", "hash")
    await own.controls.settle(run_id, "stop", ControlOutcome(accepted=True, text="null"))
    asked, document = build_knowledge_node("run", run_id, "Why?"), build_knowledge_node("document", "oil", "Oil")
    await get_graph(own).upsert(
        [asked, document], [build_knowledge_edge("found", asked.id, document.id, run_id, evidence=FIRST.id)]
    )
    await get_tenant_quotas(own).claim(Quotas(), run_id, "1", Estimate(tokens=1), at_exit=False)
    await own.plugins["access"].create_link(run_id, 1.0, "")
    await own.artifacts.put(branch, "a section", "text/plain")
    return await own.artifacts.put(run_id, "a report", "text/plain")


async def test_every_table_is_filled_and_every_key_begins_with_the_tenant(whole: Store) -> None:
    await leave_all(whole.of("a"), "run-1")
    await whole.of("a").graphs.keep(MODES["simple"])
    await whole.of("a").agents.keep(OwnAgent(name="reader", instructions="Read.", output={"type": "object"}))
    access = whole.of("a").plugins["access"]
    await access.create_key("a key", "reader", (), None, "")
    await access.begin_session("somebody", "reader", frozenset(), "", 60)
    await whole.of("a").plugins["tenants"].begin("", "a")
    await access.audit.add(at=1.0, user="", role="", key_id="", action="stop_run", target="", outcome=202, address="")
    webhooks = whole.of("a").plugins["webhooks"]
    endpoint = await webhooks.create("https://example.org/hook", ["run.completed"], "run-1", "", "")
    message = Message(id="msg_1", type="run.completed", at=1.0, run_id="run-1")
    await webhooks.add_delivery(endpoint.id, message)
    batch = Batch(id="batch-1", name="", at_once=1, created_at=1.0, since=1.0)
    table = EvidenceTable(id=batch.id, name="", output_schema={}, created_at=1.0)
    question, tables = BatchQuestion(number=0, request={"question": "Why?"}), get_tables(whole.of("a"))
    await get_batches(whole.of("a")).create(batch, [question], None, [tables.insert(table)])
    await tables.add_change(table.id, Change(row=0, value="include"))
    await keep_document(whole.of("a"), "handbook", "a.txt", b"Oil.", "")
    kept = [table for table in metadata.sorted_tables if "tenant" in table.columns]
    assert set(await rows(whole)) == {table.name for table in kept} - {"usage_totals"}
    assert {table.primary_key.columns.keys()[0] for table in kept} == {"tenant"}
    assert {table.name for table in metadata.sorted_tables} - {table.name for table in kept} == {
        "probes",
        "providers",
        "schema_floor",
    }


async def test_another_tenant_reads_nothing_even_of_the_same_content(whole: Store) -> None:
    artifact = await leave_all(whole.of("a"), "run-1")
    other = whole.of("b")
    assert await other.runs.get("run-1") is None
    assert await other.runs.events("run-1") == []
    assert await other.runs.journals("run-1") == {}
    assert (await other.runs.page(limit=9)).runs == ()
    assert await other.evidence.get([FIRST.id]) == []
    assert await other.evidence.text(OIL.content_hash) is None
    assert await other.evidence.of_run("run-1") == []
    assert await other.evidence.count_of_run("run-1") == 0
    assert await other.artifacts.get(artifact) is None
    assert await get_graph(other).search("oil", limit=9) == []
    assert await other.ledger.entries("run-1", branches=True) == []
    assert await other.ledger.of_activity("run-1", "", "a") == []
    assert (await other.admission.claim("key of run-1", "another hash", "run-9")).mine
    assert (await other.controls.claim("run-1", "stop", "another hash")).mine
    with pytest.raises(ValueError, match="neither given nor kept"):
        await other.evidence.add("run-9", [THIRD], [])


async def test_another_tenants_run_can_be_neither_changed_nor_deleted(whole: Store) -> None:
    own, other = whole.of("a"), whole.of("b")
    await leave_all(own, "run-1")
    before = await rows(whole)
    await other.runs.reopen("run-1", "another execution")
    await other.admission.withdraw("run-1")
    await other.lineage.undo("run-1", 0, execution="", found=())
    await other.controls.settle("run-1", "stop", ControlOutcome(accepted=False, text="no"))
    assert not await other.runs.delete("run-1")
    with pytest.raises(ValueError, match="belongs to 'a' and cannot be kept for 'b'"):
        await other.runs.archive(ended("a", "run-1"), [])
    assert await rows(whole) == before
    assert await own.runs.get("run-1") == ended("a", "run-1")
    assert [line.undone for line in await own.ledger.entries("run-1")] == [False]
    assert (await own.controls.claim("run-1", "stop", "hash")).outcome == ControlOutcome(accepted=True, text="null")


async def test_a_deleted_run_leaves_nothing(whole: Store) -> None:
    own = whole.of("a")
    artifact = await leave_all(own, "run-1")
    assert await own.runs.delete("run-1")
    assert await rows(whole) == {}
    assert await own.artifacts.get(artifact) is None
    assert not await own.runs.delete("run-1")


async def test_what_others_have_too_survives(whole: Store) -> None:
    own = whole.of("a")
    await leave_all(whole.of("b"), "run-1")
    others = await rows(whole)
    artifact = await leave_all(own, "run-1")
    assert await leave_all(own, "run-10") == artifact
    other_text = stored("Whales sing.", "docs/b.md")
    lonely = passage(other_text, 0, 12)
    await own.evidence.add("run-1", [lonely], [other_text])
    assert await own.runs.delete("run-1")
    assert await own.artifacts.get(artifact) == "a report"
    assert await own.evidence.of_run("run-10") == [FIRST, SECOND]
    assert await own.evidence.text(OIL.content_hash) == OIL
    assert await own.evidence.get([lonely.id]) == []
    assert await own.evidence.text(other_text.content_hash) is None
    assert await own.runs.delete("run-10")
    assert await rows(whole) == others


async def test_a_run_that_has_not_ended_is_not_deleted(whole: Store) -> None:
    own = whole.of("a")
    run = ended("a", "run-1").model_copy(update={"status": "running", "finished_at": None})
    await whole.of(run.tenant).admission.admit(run, 9)
    with pytest.raises(RunOpen, match="stop it"):
        await own.runs.delete("run-1")
    await own.runs.begin(run)
    with pytest.raises(RunOpen, match="stop it"):
        await own.runs.delete("run-1")
    assert await own.runs.get("run-1") == run


async def test_runs_of_all_tenants_expire_those_that_ended_first_first(whole: Store) -> None:
    for tenant, run_id, at in (("b", "run-1", 5.0), ("a", "run-2", 3.0), ("a", "run-3", 8.0), ("a", "run-2.1.x", 1.0)):
        await whole.of(tenant).runs.archive(ended(tenant, run_id, at), [])
    await whole.of("a").admission.admit(
        ended("a", "run-4").model_copy(update={"status": "running", "finished_at": None}), 9
    )
    assert [run.run_id for run in await whole.expired(6.0, 9)] == ["run-2", "run-1"]
    assert [run.run_id for run in await whole.expired(9.0, 1)] == ["run-2"]


async def test_open_runs_of_all_tenants_are_walked_through(whole: Store) -> None:
    for tenant in ("b", "a"):
        for number in (1, 2):
            run = ended(tenant, f"run-{number}").model_copy(update={"status": "running", "finished_at": None})
            await whole.of(run.tenant).admission.admit(run, 9)
    first = await whole.open_runs(limit=3)
    found = [*first, *await whole.open_runs(after=first[-1], limit=3)]
    assert [(one.run.tenant, one.run.run_id) for one in found] == [
        ("a", "run-1"),
        ("a", "run-2"),
        ("b", "run-1"),
        ("b", "run-2"),
    ]
