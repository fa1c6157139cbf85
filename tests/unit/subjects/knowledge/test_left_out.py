"""Runs are deleted from the knowledge graph while its plugin is left out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from elcano.graphs.plugin import list_left_out
from elcano.plugins import load_plugins
from elcano.storage.store import open_store
from elcano.subjects.knowledge.graph import build_knowledge_edge, build_knowledge_node
from elcano.subjects.knowledge.knowledge_store import get_graph


@pytest.fixture(autouse=True)
def left_out() -> Iterator[None]:
    load_plugins(["-knowledge"])
    yield
    load_plugins()


async def test_a_deleted_run_is_gone_from_a_graph_whose_plugin_is_left_out(tmp_path: Path) -> None:
    assert "knowledge" in list_left_out()
    asked, document = build_knowledge_node("run", "run-1", "Why?"), build_knowledge_node("document", "oil", "Oil")
    async with open_store(tmp_path) as store:
        graph = get_graph(store.of("default"))
        await graph.upsert([asked, document], [build_knowledge_edge("found", asked.id, document.id, "run-1")])
        await store.plugins["knowledge"].delete_run("default", "run-1")
        assert (await graph.counts()).nodes == {}
