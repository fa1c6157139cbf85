"""The source `knowledge`: what earlier runs found, handed over as it was kept, and from which run."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities, search_source
from elcano.graphs.catalogue.sources import SOURCES, list_configured_sources
from elcano.graphs.catalogue.tools import SearchInput
from elcano.graphs.errors import SourceRefused
from elcano.settings import Settings
from elcano.storage.store import Store, TenantStore, open_store
from elcano.subjects.knowledge.run_knowledge import update_knowledge
from elcano.subjects.knowledge.source import open_source
from tests.unit.subjects.knowledge.found import PAPER, citation, passage, report_of, researched, statement

CLAIM = "Acetylsalicylic acid prevents apoplexy."
"""In other words than the passage that it cites."""
SOURCE = open_source(SOURCES["knowledge"], Settings())


@pytest.fixture
async def whole(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
async def store(whole: Store) -> TenantStore:
    store = whole.of("default")
    cited = passage("ev-1", "pubmed:123", work=PAPER)
    uncited = passage("ev-2", "Handbook of aspirin", words="How aspirin tablets are stored: dry.")
    beside = passage("ev-3", "Handbook of aspirin", words="Contents and index.")
    report = report_of("run-1", statement(CLAIM, citation("ev-1")))
    await update_knowledge(store, await researched(store, "run-1", [cited, uncited, beside], report))
    return store


async def test_a_claim_leads_to_the_passage_that_proved_it(store: TenantStore) -> None:
    found = await SOURCE.search_store(store, "run-2", "acetylsalicylic acid apoplexy", 5)
    (one,) = found.evidence
    (kept,) = await store.evidence.get(["ev-1"])
    assert one.model_copy(update={"score": kept.score}) == kept
    assert all(CLAIM not in one.text for one in found.evidence)
    assert found.warnings == ("knowledge: these passages are from earlier runs: run-1 (What of run-1?)",)
    assert found.texts == ()


async def test_what_no_claim_cites_is_found_by_its_own_words(store: TenantStore) -> None:
    found = await SOURCE.search_store(store, "", "how are aspirin tablets stored", 5)
    assert [one.id for one in found.evidence] == ["ev-2"]


async def test_a_run_is_not_told_what_it_found_itself(store: TenantStore) -> None:
    for own in ("run-1", "run-1.0003.section"):
        assert (await SOURCE.search_store(store, own, "acetylsalicylic acid apoplexy", 5)).evidence == ()


async def test_nothing_is_found_for_another_subject_or_another_tenant(whole: Store, store: TenantStore) -> None:
    assert (await SOURCE.search_store(store, "", "volcanoes of Iceland", 5)).evidence == ()
    assert (await SOURCE.search_store(store, "", "", 5)).evidence == ()
    assert (await SOURCE.search_store(whole.of("other"), "", "acetylsalicylic acid", 5)).evidence == ()


async def test_a_tool_keeps_what_it_finds_for_the_run_that_asked(whole: Store, store: TenantStore) -> None:
    tools = ToolActivities(whole, Sources({"knowledge": SOURCE}))
    given = SearchInput(source="knowledge", query="acetylsalicylic acid apoplexy", limit=3)
    output = await tools._search(store, "run-2", given)
    assert [ref.id for ref in output.evidence] == ["ev-1"]
    assert await store.evidence.ids_of_run("run-2") == ["ev-1"]
    (kept,) = await store.evidence.of_run("run-2")
    assert kept.work == PAPER


async def test_it_says_so_where_there_is_no_graph(tmp_path: Path) -> None:
    assert "knowledge" not in list_configured_sources([], Settings(knowledge="").has)
    assert SOURCES["knowledge"].missing(Settings(knowledge="").has) == "set ELCANO_KNOWLEDGE to tables"
    async with open_store(tmp_path / "off", settings=Settings(knowledge="")) as off:
        with pytest.raises(SourceRefused, match="ELCANO_KNOWLEDGE"):
            await search_source(SOURCE, off.of("default"), "", "aspirin", 5)
    with pytest.raises(SourceRefused, match="tenant"):
        await SOURCE.search("aspirin", 5)
