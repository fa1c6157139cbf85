"""`docs/graphs.md` and the gallery: every expression gives what it says, and every graph is drawn as it is."""

import json
import re

import pytest

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.engine.run import VIEW_NAMES
from elcano.graphs.expressions.evaluation import Meter
from elcano.graphs.expressions.language import evaluate_expression
from elcano.graphs.expressions.language import find_expression_fault as unusable
from elcano.graphs.graph_json import with_branches
from elcano.graphs.mode_choice import MODES
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.spec.limits import AgentLimits
from tests.gallery import FOLDER, QUESTIONS, graph
from tests.unit.docs.test_readme import blocks

GALLERY = (FOLDER / "README.md").read_text()
PAGE = (FOLDER.parent / "graphs.md").read_text()
FIRST = json.loads(blocks("json", PAGE)[0])
STATE, NODE = (json.loads(block) for name in ("state", "node") for block in blocks(f"json {name}", PAGE))

TITLES = dict((name, title) for title, name in re.findall(r"^## (.+): `(\w+)`$", GALLERY, re.MULTILINE))


def expressions() -> list[tuple[str, str]]:
    lines = [line for block in blocks("jmespath", PAGE) for line in block.splitlines()]
    return list(zip(lines[::2], lines[1::2], strict=True))


@pytest.mark.parametrize(("expression", "given"), expressions())
def test_an_expression_gives_what_the_page_says(expression: str, given: str) -> None:
    assert unusable(expression) is None
    assert evaluate_expression(expression, STATE, Meter(get_rules())).json == json.loads(given.removeprefix("# "))


def test_there_are_expressions_and_the_one_that_trips_people_up_is_refused() -> None:
    assert len(expressions()) > 20
    assert unusable("!a.b") is not None


def test_what_the_state_shows_can_be_read() -> None:
    assert STATE.keys() <= set(VIEW_NAMES)
    named = re.search(r"^## The state\n(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    assert named is not None
    rows = [row.split("|")[1] for row in named[1].splitlines() if row.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} <= {*VIEW_NAMES, "item", "index"}


def test_the_first_graph_and_the_limits_can_be_used() -> None:
    assert find_graph_faults(ResearchGraph.model_validate(FIRST)) == []
    assert AgentNode.model_validate(NODE).limits == AgentLimits(
        timeout_seconds=60, attempts=2, model="openai:gpt-5.1-mini", tokens=8_000
    )


def test_the_agents_of_the_page_have_the_fields_that_it_names() -> None:
    rows = [row for row in PAGE.splitlines() if (called := re.match(r"\| `(\w+)` \|", row)) and called[1] in AGENTS]
    assert len(rows) >= 8
    for row in rows:
        name, given, reducer, answered = (re.findall(r"`(\w+)`", cell) for cell in row.split("|")[1:5])
        agent = AGENTS[name[0]]
        required = {field for field, info in agent.input.model_fields.items() if info.is_required()}
        assert required <= set(given) <= agent.input.model_fields.keys(), name
        assert set(reducer) <= REDUCERS.keys()
        assert set(answered) <= agent.output.model_fields.keys(), name


def test_the_tools_and_reducers_of_the_page_exist() -> None:
    assert {"search", "search_related"} <= TOOLS.keys()
    named = set(re.findall(r"`(add_evidence|set_values|store_plan|collect_\w+|record_\w+)`", PAGE)) - {"record_"}
    assert named <= REDUCERS.keys()


def section(name: str) -> str:
    """What the gallery says of a graph."""
    return GALLERY[GALLERY.index(f"\n## {TITLES[name]}: `{name}`\n") + 1 :].split("\n## ")[0]


def test_every_graph_is_in_the_gallery() -> None:
    files = {path.stem for path in FOLDER.glob("*.json")}
    assert files == set(QUESTIONS)
    assert TITLES.keys() == files
    assert all(f"[{name}.json]({name}.json)" in section(name) for name in files)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_gallery_shows_a_graph_as_it_is(name: str) -> None:
    read = ResearchGraph.model_validate(with_branches(graph(name), MODES))
    assert (read.name, find_graph_faults(read)) == (name, [])
    page = section(name)
    assert blocks("mermaid", page) == [render_mermaid(read)], f"draw it anew: elcano graph draw docs/graphs/{name}.json"
    assert QUESTIONS[name] in page
    assert f"elcano ask --mode {name}" in page
