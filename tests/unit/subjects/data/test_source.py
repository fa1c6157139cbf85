"""A database as a source: the query of a saved question is run, and its result is evidence; others say why not."""

import json
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.sources.registry import Sources, open_sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.catalogue.sources import build_database_spec, list_configured_sources
from elcano.graphs.catalogue.tools import SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.data.source import open_source
from tests.unit.subjects.data.databases.shop import sqlite_shop


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    sqlite_shop(tmp_path)
    saved = tmp_path / "saved.jsonl"
    lines = (
        {"question": "How many orders are there?", "sql": "SELECT COUNT(*) AS orders FROM orders"},
        {"question": "Which orders are lost?", "sql": "SELECT * FROM lost_orders"},
        {"question": "Which orders are there before 1900?", "sql": "SELECT * FROM orders WHERE 1 = 0"},
    )
    saved.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return Settings(
        _env_file=None,
        data_dir=tmp_path / "data",
        databases={"shop": f"sqlite:///{tmp_path / 'shop.db'}"},
        database_examples={"shop": saved},
    )


async def searched(store: Store, settings: Settings, query: str) -> SearchOutput:
    source = open_source(build_database_spec("shop"), settings)
    tools = ToolActivities(store, Sources({"shop": source}))
    given: dict[str, object] = {"source": "shop", "query": query}
    call = ToolCall(run_id="run", step=1, node="search", tool="search", input=given)  # type: ignore[arg-type]
    return SearchOutput.model_validate((await ActivityEnvironment().run(tools.run_tool, call)).output)


async def test_a_result_is_a_passage_whose_rows_can_be_quoted(store: Store, settings: Settings) -> None:
    found = await searched(store, settings, "How many orders are there?")
    (passage,) = found.evidence
    assert passage.source == "shop"
    (kept,) = await store.of("default").evidence.get([passage.id])
    assert "Row 1: 3" in kept.text
    assert "SELECT COUNT(*)" in kept.text
    assert "is a saved question, whose query is SELECT" in found.warnings[0]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("Why do ships sink?", "is no saved question"),
        ("How many orders were there in 2024?", "is no saved question"),
        ("'; DROP TABLE orders; --", "is no saved question"),
        ("Größe 10 000 größer als Übermaß?", "is no saved question"),
        ("x" * 900, "is no saved question"),
        ("Which orders are lost?", "was not answered"),
        ("Which orders are there before 1900?", "gave no row"),
    ],
)
async def test_what_is_not_saved_or_fails_finds_nothing_and_says_why(
    store: Store, settings: Settings, query: str, said: str
) -> None:
    found = await searched(store, settings, query)
    assert found.evidence == ()
    assert said in found.warnings[0]
    assert await store.of("default").evidence.count_of_run("run") == 0


async def test_a_file_of_saved_questions_with_faults_is_named(store: Store, settings: Settings) -> None:
    settings.database_examples["shop"].write_text("no", encoding="utf-8")
    assert "line 1" in (await searched(store, settings, "How many orders are there?")).warnings[0]


async def test_it_is_opened_as_others_are_and_refuses_a_search_without_a_store(settings: Settings) -> None:
    async with open_sources(settings) as sources:
        assert "shop" in sources.names
        with pytest.raises(SourceRefused):
            await sources.get("shop").search("How many orders are there?", 8)


def test_a_name_that_something_else_has_is_refused() -> None:
    with pytest.raises(InputInvalid, match="a source has that name"):
        list_configured_sources([], lambda _: True, ["pubmed"])
    with pytest.raises(InputInvalid, match="a collection has that name"):
        list_configured_sources(["shop"], lambda _: True, ["shop"])
