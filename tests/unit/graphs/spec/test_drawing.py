"""A graph as a picture: the seeds' iterative flow, every kind of node, and texts that cannot break the chart."""

import re

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    ParallelEdge,
    ParallelNode,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.workflows.run_display import of_its_way, outline_graph, with_place
from tests.unit.graphs.samples import asking, two_nodes
from tests.unit.graphs.strategies import LEAF


def test_the_iterative_graph_is_the_picture_of_the_seeds() -> None:
    lines = [line.strip() for line in render_mermaid(MODES["iterative"]).splitlines()]
    assert lines[0] == "flowchart TD"
    for line in (
        "Input --> first_search",
        "first_search --> thinking",
        "thinking --> knowledge_gap",
        'thinking -->|"gaps named at once"| complete',
        "knowledge_gap --> complete",
        'complete{"Complete?"}',
        'complete -->|"complete"| writer',
        'complete -->|"gaps remain"| tool_selector',
        "tool_selector --> execute_tools",
        'iterations -.->|"loop back"| thinking',
        "writer --> Report([Report])",
    ):
        assert lines.count(line) == 1, line


def test_each_kind_has_a_shape_and_each_branch_a_box() -> None:
    graph = (
        GraphBuilder("shapes")
        .add_decision_node("start")
        .add_state_node("note", reducer="set_values")
        .add_tool_node("wait", tool="noop", description="for you")
        .add_parallel_node(ParallelNode(id="sections", for_each="sources"))
        .add_branch("sections", "leaf", LEAF, inputs={"question": "item"})
        .add_agent_node("end", agent="writer", inputs={"question": "question"})
        .connect_nodes("start", "note", "wait", "sections", "end")
        .set_entry_node("start")
        .set_exit_nodes("end")
        .build()
    )
    assert render_mermaid(graph) == (
        "flowchart TD\n"
        "    Input([Input])\n"
        '    start{"Start"}\n'
        '    note[("Note")]\n'
        '    wait[["Wait<br/>for you"]]\n'
        '    sections[/"Sections"/]\n'
        '    End["End"]\n'
        "    Input --> start\n"
        "    start --> note\n"
        "    note --> wait\n"
        "    wait --> sections\n"
        "    sections --> End\n"
        '    subgraph sections__leaf__Box ["leaf (one per sources)"]\n'
        '        sections__leaf__only[["Only"]]\n'
        "    end\n"
        "    sections ==> sections__leaf__only\n"
        "    End --> Report([Report])\n"
    )


def test_one_graph_run_by_two_nodes_is_drawn_twice() -> None:
    wide = [ParallelNode(id=name) for name in ("one", "two")]
    graph = two_nodes(
        nodes=(*wide, asking("z", "writer")),
        edges=(
            SequentialEdge(from_node="one", to_node="two"),
            SequentialEdge(from_node="two", to_node="z"),
            *(ParallelEdge(from_node=node.id, branch="leaf", inputs={"question": "question"}) for node in wide),
        ),
        branches={"leaf": LEAF},
        entry_node="one",
    )
    shapes = re.findall(r"^\s*(\w+)\[\[", render_mermaid(graph), flags=re.MULTILINE)
    assert shapes == ["one__leaf__only", "two__leaf__only"]


def test_nodes_may_be_named_like_the_charts_own_words() -> None:
    names = ["input", "report", "graph", "subgraph", "style", "class", "click", "default"]
    ways = [*names[1:], "end"]
    graph = two_nodes(
        nodes=(*(StateNode(id=name, reducer="set_values") for name in names), asking("end", "writer")),
        edges=tuple(SequentialEdge(from_node=one, to_node=two) for one, two in zip(names, ways, strict=True)),
        entry_node="input",
        exit_nodes=("end",),
    )
    chart = render_mermaid(graph)
    assert "    Input --> input\n" in chart
    ids = re.findall(r"^    (\w+)[\[(]", chart, flags=re.MULTILINE)
    assert ids == ["Input", "input", "report", "Graph", "Subgraph", "Style", "Class", "Click", "Default", "End"]


def test_no_text_can_leave_its_quotes() -> None:
    text = 'a "quoted" [b] {c} (d) | e #quot; <br>\n--> z'
    graph = two_nodes(
        nodes=(DecisionNode(id="a", description=text), ToolNode(id="b", tool="noop", description=text), asking("z")),
        edges=(
            SequentialEdge(from_node="a", to_node="b", label=text),
            SequentialEdge(from_node="b", to_node="z"),
            ConditionalEdge(from_node="b", to_node="z", when='question == "a"'),
        ),
    )
    lines = render_mermaid(graph).splitlines()
    assert len(lines) == 10
    assert all(line.count('"') in (0, 2) for line in lines)
    escaped = "a #quot;quoted#quot; [b] {c} (d) | e #35;quot; <br> --> z"
    assert f'    a{{"{escaped}"}}' in lines
    assert f'    a -->|"{escaped}"| b' in lines
    assert '    b -->|"question == #quot;a#quot;"| z' in lines


def test_the_outline_marks_the_place() -> None:
    lines = with_place(outline_graph(MODES["iterative"]), "judge").splitlines()
    assert [line for line in lines if line.startswith("=>")] == ["=> judge -> iterations"]
    named = "execute_tools (searches chosen at once) | tool_selector (gaps remain)"
    assert f"   complete -> writer (complete) | {named}" in lines
    assert lines[-1] == "   writer -> report"


@pytest.mark.of_plugins("data")
def test_of_a_graph_of_many_ways_those_are_shown_that_can_still_be_gone() -> None:
    auto = MODES["auto"]
    lines = of_its_way(outline_graph(auto), auto, "simple_search", {"input_parser", "choose"})
    assert [*lines] == ["input_parser", "choose", "simple_search", "simple_judge", "simple_enough", "simple_synthesize"]
    assert of_its_way(outline_graph(auto), auto, "input_parser", ()) == outline_graph(auto)
    data = of_its_way(outline_graph(auto), auto, "data_execution", ())
    assert {"sql_repair", "forecast", "chart", "synthesis"} <= data.keys()
    assert not data.keys() & {"writer", "parallel_loops", "schema_context"}


@pytest.mark.of_plugins("data")
def test_how_long_branches_may_take_is_drawn_where_the_graph_says_it() -> None:
    hurried = [
        node.model_copy(update={"timeout_seconds": 15}) if isinstance(node, ParallelNode) else node
        for node in MODES["data"].nodes
    ]
    assert "side by side<br/>15 s each" in render_mermaid(MODES["data"].model_copy(update={"nodes": tuple(hurried)}))
