"""What a run leaves in the knowledge graph: what its report could prove, once, however often it is tried."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.report.publishing import ReportActivities
from elcano.graphs.contracts import BranchOf
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchiveCall
from elcano.graphs.report.works import Identifiers, Work
from elcano.settings import Settings
from elcano.storage.store import Store, TenantStore, open_store
from elcano.subjects.knowledge import run_knowledge
from elcano.subjects.knowledge.graph import KnowledgeEdge, KnowledgeNode, node_id
from elcano.subjects.knowledge.knowledge_store import TableKnowledge, get_graph
from elcano.subjects.knowledge.run_knowledge import update_knowledge
from elcano.subjects.knowledge.word_index import WordIndex
from tests.unit.subjects.knowledge.found import (
    MERGED,
    PAPER,
    citation,
    ended,
    passage,
    report_of,
    researched,
    statement,
)

CLAIM = "Aspirin lowers the risk of stroke."
TOLD: JsonObject = {"mesh": ["*Stroke/prevention & control"], "trials": ["NCT00763412"]}


@pytest.fixture
async def whole(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def store(whole: Store) -> TenantStore:
    return whole.of("default")


async def beside(store: TenantStore, id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in await get_graph(store).neighbours(id, limit=100):
        found.setdefault(one.edge.kind, []).append(one.node.name)
    return {kind: sorted(names) for kind, names in found.items()}


async def test_a_report_leaves_what_it_could_prove(store: TenantStore) -> None:
    evidence = [
        passage(
            "ev-1",
            "pubmed:123",
            work=PAPER,
            metadata={"mesh": ["*Stroke/prevention & control"], "trials": ["NCT00763412"]},
        ),
        passage("ev-2", "notes", words="An unrelated note."),
    ]
    report = report_of(
        "run-1",
        statement(CLAIM, citation("ev-1")),
        statement("It also cures colds.", citation("ev-1", "quote_not_found"), support="not_supported"),
        statement("That is all."),
        statement("Elsewhere.", citation("ev-of-nobody")),
        work=MERGED,
    )
    assert await update_knowledge(store, await researched(store, "run-1", evidence, report)) == ""
    assert await beside(store, node_id("claim", CLAIM)) == {
        "stated": ["What of run-1?"],
        "cites": [PAPER.title],
        "mentions": ["Stroke"],
    }
    assert await beside(store, node_id("document", "doi:10.1/a")) == {
        "found": ["What of run-1?"],
        "cites": [CLAIM],
        "written_by": ["Müller, Ä", "Trialists' Group"],
        "mentions": ["Stroke", "TP53"],
        "reports": ["NCT00763412"],
    }
    assert (await get_graph(store).counts()).nodes["claim"] == 1
    edges = [one.edge for one in await get_graph(store).neighbours(node_id("claim", CLAIM), limit=9)]
    assert {(one.kind, one.evidence, one.support) for one in edges if one.kind != "mentions"} == {
        ("stated", "", "supported"),
        ("cites", "ev-1", "supported"),
    }
    assert {one.run for one in edges} == {"run-1"}


async def test_trials_and_tables_are_nodes_of_their_own(store: TenantStore) -> None:
    trial = Work(title="A trial", kind="trial", identifiers=Identifiers(nct="NCT00763412"), authors=("Sponsor",))
    read: JsonObject = {"database": "shop", "tables": ["orders"], "columns": ["orders.price", "other.x"], "more": 1}
    evidence = [
        passage("ev-1", "nct:NCT00763412", work=trial),
        passage("ev-2", "shop:result", words="price 3", metadata={"read": read}),
        passage("ev-3", "odd", words="odd", metadata={"read": "a book", "mesh": "no list", "trials": [3, "none"]}),
    ]
    await update_knowledge(store, await researched(store, "run-1", evidence, None))
    assert (await get_graph(store).counts()).nodes == {
        "author": 1,
        "column": 1,
        "document": 2,
        "run": 1,
        "table": 1,
        "trial": 1,
    }
    assert await beside(store, node_id("table", "shop.orders")) == {
        "read": ["What of run-1?"],
        "has": ["shop.orders.price"],
    }


async def test_it_is_the_same_however_often_it_is_tried_and_by_how_many(store: TenantStore) -> None:
    run = await researched(
        store, "run-1", [passage("ev-1", "doc")], report_of("run-1", statement(CLAIM, citation("ev-1")))
    )
    await update_knowledge(store, run)
    once = await get_graph(store).counts()
    assert await asyncio.gather(*(update_knowledge(store, run) for _ in range(4))) == [""] * 4
    assert await get_graph(store).counts() == once
    assert once.nodes == {"claim": 1, "document": 1, "run": 1}


async def test_a_run_that_was_reset_leaves_nothing_of_its_first_end(store: TenantStore) -> None:
    evidence = [passage("ev-1", "doc")]
    first = report_of("run-1", statement("The first answer.", citation("ev-1")))
    await update_knowledge(store, await researched(store, "run-1", evidence, first))
    second = report_of("run-1", statement("The second answer.", citation("ev-1")))
    await update_knowledge(store, await researched(store, "run-1", evidence, second))
    claims = await get_graph(store).search("answer", kinds=["claim"], limit=9)
    assert [hit.node.name for hit in claims] == ["The second answer."]


async def test_a_worker_killed_in_between_leaves_what_the_next_attempt_finishes(
    store: TenantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the nodes and before the edges: on a graph that keeps both in one step nothing is there then."""
    run = await researched(
        store, "run-1", [passage("ev-1", "doc")], report_of("run-1", statement(CLAIM, citation("ev-1")))
    )
    whole = TableKnowledge.upsert

    async def halfway(
        self: TableKnowledge, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        await whole(self, nodes, edges[:1])
        raise asyncio.CancelledError

    monkeypatch.setattr(TableKnowledge, "upsert", halfway)
    with pytest.raises(asyncio.CancelledError):
        await update_knowledge(store, run)
    monkeypatch.setattr(TableKnowledge, "upsert", whole)
    assert await update_knowledge(store, run) == ""
    assert (await get_graph(store).counts()).edges == {"cites": 1, "found": 1, "stated": 1}


async def test_a_graph_that_cannot_be_written_is_told_and_the_run_ends(
    whole: Store, store: TenantStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(TableKnowledge, "upsert", broken)
    run = await researched(store, "run-1", [passage("ev-1", "doc")], None)
    with caplog.at_level(logging.WARNING):
        await ActivityEnvironment().run(ReportActivities(whole).archive_run, ArchiveCall(run=run, events=()))
    why = "the store cannot be used: its disk is full: make room"
    assert f"the knowledge graph has nothing new of run run-1: {why}" in caplog.text
    kept = await store.runs.get("run-1")
    assert kept is not None
    assert (kept.status, kept.knowledge_error) == ("completed", why)


async def test_a_graph_that_never_answers_is_not_waited_for(
    store: TenantStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(TableKnowledge, "upsert", never)
    monkeypatch.setattr(run_knowledge, "SECONDS", 0)
    assert await update_knowledge(store, ended("run-1")) == "writing its part took more than 0 s"
    assert "took more than 0 s" in caplog.text


async def test_a_run_that_takes_too_long_keeps_what_it_left_before(
    store: TenantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut off in the middle of writing what it found the second time."""
    evidence = [passage("ev-1", "doc")]
    first = report_of("run-1", statement("The first answer.", citation("ev-1")))
    await update_knowledge(store, await researched(store, "run-1", evidence, first))
    whole = WordIndex.add

    async def slow(self: WordIndex, *given: Any) -> None:
        await whole(self, *given)
        await asyncio.Event().wait()

    monkeypatch.setattr(WordIndex, "add", slow)
    monkeypatch.setattr(run_knowledge, "SECONDS", 0.5)
    second = report_of("run-1", statement("The second answer.", citation("ev-1")))
    assert await update_knowledge(store, await researched(store, "run-1", evidence, second))
    claims = await get_graph(store).search("answer", kinds=["claim"], limit=9)
    assert [hit.node.name for hit in claims] == ["The first answer."]
    assert (await get_graph(store).counts()).nodes == {"claim": 1, "document": 1, "run": 1}


async def test_archiving_takes_a_run_in_and_deleting_takes_it_away(whole: Store, store: TenantStore) -> None:
    run = await researched(
        store, "run-1", [passage("ev-1", "doc")], report_of("run-1", statement(CLAIM, citation("ev-1")))
    )
    await ActivityEnvironment().run(ReportActivities(whole).archive_run, ArchiveCall(run=run, events=()))
    section = ended("run-1.0001.a").model_copy(update={"branch_of": BranchOf(run_id="run-1", path="a", section="A")})
    await ActivityEnvironment().run(ReportActivities(whole).archive_run, ArchiveCall(run=section, events=()))
    assert (await get_graph(store).counts()).nodes == {"claim": 1, "document": 1, "run": 1}
    assert await store.runs.delete("run-1")
    assert (await get_graph(store).counts()).nodes == {}


async def test_what_was_kept_in_tables_goes_with_its_run_after_the_graph_was_switched_off(tmp_path: Path) -> None:
    async with open_store(tmp_path) as opened:
        store = opened.of("default")
        run = await researched(store, "run-1", [passage("ev-1", "doc")], None)
        await ActivityEnvironment().run(ReportActivities(opened).archive_run, ArchiveCall(run=run, events=()))
    async with open_store(tmp_path, settings=Settings(knowledge="")) as opened:
        assert await update_knowledge(opened.of("default"), ended("run-2")) == ""
        assert await opened.of("default").runs.delete("run-1")
    async with open_store(tmp_path) as opened:
        assert (await get_graph(opened.of("default")).counts()).nodes == {}


async def test_a_run_of_odd_texts_is_taken_in(store: TenantStore) -> None:
    odd = Work(title="\x00" * 400, authors=("", "  ", "x" * 5_000), identifiers=Identifiers(doi="10.1/" + "y" * 3_000))
    evidence = [passage("ev-1", "d" * 3_000, words="nul \x00 and \u202e", work=odd)]
    long = statement("z" * 10_000, citation("ev-1"))
    assert await update_knowledge(store, await researched(store, "run-1", evidence, report_of("run-1", long))) == ""
    assert (await get_graph(store).counts()).nodes["claim"] == 1
