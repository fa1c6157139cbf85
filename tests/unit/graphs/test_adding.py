"""A new reducer is a function and its line in the catalogue, a new mode a graph and its name: nothing else."""

import httpx
import pytest

from elcano.api.app import create_app
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.catalogue.listing import REDUCERS, ReducerSpec
from elcano.graphs.catalogue.reducers import Values
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.modes import MODES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.values.state import ResearchState
from elcano.settings import Settings
from elcano.testing.script import Script
from tests.unit.graphs.samples import research


def entitle(state: ResearchState, given: Values) -> ResearchState:
    """Sets the report's title."""
    return state.model_copy(update={"title": str(given.values["title"])})


def entitling() -> ResearchGraph:
    return (
        GraphBuilder("entitled", "Gives its report a name, then writes it.")
        .add_state_node("name", reducer="entitle", inputs={"values": "{title: join(' ', ['On', question])}"})
        .add_agent_node("writer", agent="writer", inputs={"question": "title", "evidence": "evidence[].id"})
        .connect_nodes("name", "writer")
        .set_entry_node("name")
        .set_exit_nodes("writer")
        .build()
    )


@pytest.fixture
def reducer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REDUCERS, "entitle", ReducerSpec("entitle", "Sets the title.", Values, entitle))


def test_a_graph_cannot_name_a_reducer_that_is_not_listed() -> None:
    with pytest.raises(GraphInvalid, match="entitle"):
        entitling()


@pytest.mark.usefixtures("reducer")
async def test_a_listed_reducer_is_checked_and_applied() -> None:
    journal = await research(Script(), graph=entitling())
    assert journal.run.state.title == "On What is it?"
    assert [event.type for event in journal.events].count("state_updated") == 1


@pytest.mark.usefixtures("reducer")
async def test_a_listed_mode_is_offered_drawn_and_run(monkeypatch: pytest.MonkeyPatch, tmp_path: str) -> None:
    monkeypatch.setitem(MODES, "entitled", entitling())
    app = create_app(Settings.model_validate({"data_dir": tmp_path}))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        listed = (await api.get("/v1/graphs")).json()
        drawn = (await api.get("/v1/graphs/entitled", headers={"Accept": "text/vnd.mermaid"})).text
    assert "entitled" in [graph["name"] for graph in listed]
    assert "writer" in drawn
    journal = await research(Script(), graph=MODES["entitled"])
    assert journal.run.finished
