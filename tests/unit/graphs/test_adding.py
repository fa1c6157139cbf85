"""A new reducer is a function and its line in the catalogue, a new mode a graph and its name, a new domain a rubric.

Nothing else: the last test counts the files of the program that know a built-in mode or domain by its name.
"""

import re
from pathlib import Path

import httpx
import pytest

from elcano.api.app import create_app
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.catalogue.reducers import REDUCERS, ReducerSpec, Values
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.mode_choice import MODES, PLUGIN_MODES, Mode
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.rubric import DOMAINS, Rubric
from elcano.graphs.state.state import ResearchState
from elcano.settings.settings import Settings
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
    monkeypatch.setitem(PLUGIN_MODES, "entitled", Mode(entitling()))
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


@pytest.mark.usefixtures("reducer")
async def test_a_listed_mode_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(PLUGIN_MODES, "entitled", Mode(entitling()))
    app = create_app(Settings.model_validate({"data_dir": tmp_path}))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        explained = {mode["name"]: mode for mode in (await api.get("/v1/modes")).json()}
    assert explained["entitled"]["purpose"] == "Gives its report a name, then writes it."
    assert explained["entitled"]["least"]["calls"] == 1


async def test_a_listed_domain_is_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(DOMAINS, "law", Rubric(name="law", description="What the law says."))
    app = create_app(Settings.model_validate({"data_dir": tmp_path}))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        offered = [one["name"] for one in (await api.get("/v1/domains")).json()]
    assert offered == ["biomedical", "law"]


ROOMS = (
    "graphs",
    "workflows",
    "activities",
    "storage",
    "api",
    "cli",
    "text",
    "service",
    "subjects",
    "doors",
    "operations",
)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("deep_brief", {"subjects/research/modes.py", "graphs/contracts.py"}),
        ("biomedical", {"graphs/state/rubric.py"}),
    ],
)
def test_a_name_is_known_where_it_is_made_and_where_its_kind_is_listed(name: str, files: set[str]) -> None:
    """`deep_brief` also runs as a chain, which `contracts` lists."""
    root = Path(__file__).parents[3]
    quoted = re.compile(rf"(?<!`)[\"']{name}[\"']")
    sources = (path for room in ROOMS for path in (root / room).rglob("*.py"))
    code = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in sources}
    assert {path for path, text in code.items() if _known(quoted, text)} == files


def _known(quoted: re.Pattern[str], text: str) -> bool:
    """Whether code says the name, not an example of the manual."""
    return any(quoted.search(line) and "examples=" not in line for line in text.splitlines())
