"""Every fault is found, named once with its place, and together with all others."""

from typing import Any

import pytest

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.checks.validation import find_graph_faults, require_valid
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.expressions.language import find_expression_fault
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from tests.unit.graphs.samples import ON, asking, searching_branch, two_nodes, without_plugins_left_out
from tests.unit.graphs.strategies import LEAF

UNCLOSED = f"expression 'length(question' cannot be used: {find_expression_fault('length(question')}"


def first(**fields: Any) -> ResearchGraph:
    return two_nodes(nodes=(asking("a", **fields), asking("z", "writer")))


def wide(node: ParallelNode, *edges: ParallelEdge, **changes: Any) -> ResearchGraph:
    return two_nodes(nodes=(node, asking("z", "writer")), edges=(ON, *edges), **{"branches": {"b": LEAF}, **changes})


def section(branch: str = "b", question: str = "question") -> ParallelEdge:
    return ParallelEdge(from_node="a", branch=branch, inputs={"question": question})


def search_without_reducer() -> ResearchGraph:
    graph = searching_branch("b")
    return graph.model_copy(update={"nodes": (graph.nodes[0].model_copy(update={"reducer": None}),)})


def test_valid_graphs_have_no_fault() -> None:
    assert find_graph_faults(two_nodes()) == []
    assert find_graph_faults(wide(ParallelNode(id="a"), section())) == []
    assert find_graph_faults(wide(ParallelNode(id="a", for_each="sources"), section(question="item"))) == []
    assert [find_graph_faults(graph) for graph in MODES.values()] == [[] for _ in MODES]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (two_nodes(entry_node="x"), "entry node 'x' does not exist"),
        (two_nodes(exit_nodes=("z", "x")), "exit node 'x' does not exist"),
        (
            two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="x", when="question"))),
            "edge 'a' -> 'x': node 'x' does not exist",
        ),
        (
            two_nodes(nodes=(asking("a"), asking("z", "writer"), asking("z", "writer"))),
            "node 'z': 2 nodes have this id; make them unique",
        ),
        (
            two_nodes(edges=(ON, ConditionalEdge(from_node="z", to_node="a", when="question", loop=True))),
            "node 'z': it is an exit, so no edge may leave it",
        ),
        (
            two_nodes(edges=(ON, ON)),
            "node 'a': it needs exactly one sequential edge, the way on when no condition holds; it has 2",
        ),
        (
            two_nodes(edges=(ConditionalEdge(from_node="a", to_node="z", when="question"),)),
            "node 'a': it needs exactly one sequential edge, the way on when no condition holds; it has 0",
        ),
        (
            two_nodes(nodes=(asking("a"), DecisionNode(id="z"))),
            "node 'z': a decision node cannot be an exit; an exit writes something",
        ),
        (
            two_nodes(
                nodes=(asking("a"), asking("b"), asking("z", "writer")),
                edges=(ON, SequentialEdge(from_node="b", to_node="z")),
            ),
            "node 'b': it cannot be reached from the entry 'a'",
        ),
        (
            two_nodes(
                nodes=(asking("a"), asking("b"), asking("z", "writer")),
                edges=(
                    ON,
                    ConditionalEdge(from_node="a", to_node="b", when="question"),
                    SequentialEdge(from_node="b", to_node="b", loop=True),
                ),
            ),
            "node 'b': no exit can be reached from it",
        ),
        (
            two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="a", when="question"))),
            "edge 'a' -> 'a': it is part of a cycle; declare the edge that leads back with `loop: true`",
        ),
        (
            two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="z", when="question", loop=True))),
            "edge 'a' -> 'z': it is declared as a loop but does not lead back",
        ),
        (first(agent="thinkng"), "node 'a': unknown agent 'thinkng'; did you mean 'thinking'?"),
        (first(inputs={}), "node 'a': input 'question' is missing"),
        (
            first(inputs={"question": "question", "backgrund": "background"}),
            "node 'a': unknown input 'backgrund'; did you mean 'background'?",
        ),
        (
            first(inputs={"question": "qestion"}),
            "node 'a': unknown name 'qestion' in 'qestion'; did you mean 'question'?",
        ),
        (
            first(inputs={"question": "evidnce[].id | [0]"}),
            "node 'a': unknown name 'evidnce' in 'evidnce[].id | [0]'; did you mean 'evidence'?",
        ),
        (
            first(inputs={"question": "outputs.zz.title"}),
            "node 'a': unknown node 'zz' in 'outputs.zz.title'; did you mean 'z'?",
        ),
        (
            first(inputs={"question": "outputs.a.thougt"}),
            "node 'a': unknown field 'thougt' of node 'a' in 'outputs.a.thougt'; did you mean 'thought'?",
        ),
        (
            first(inputs={"question": "lenght(question)"}),
            "node 'a': expression 'lenght(question)' cannot be used: unknown function 'lenght'; did you mean 'length'?",
        ),
        (
            two_nodes(nodes=(ToolNode(id="a", tool="serch"), asking("z", "writer"))),
            "node 'a': unknown tool 'serch'; did you mean 'search'?",
        ),
        (
            two_nodes(nodes=(ToolNode(id="a", tool="noop", inputs={"payload": "item"}), asking("z", "writer"))),
            "node 'a': 'item' in 'item' can be read only within a `for_each`",
        ),
        (
            two_nodes(nodes=(StateNode(id="a", reducer="set_value"), asking("z", "writer"))),
            "node 'a': unknown reducer 'set_value'; did you mean 'set_values'?",
        ),
        (
            two_nodes(
                nodes=(DecisionNode(id="a", choose="vlues.next"), asking("b"), asking("z", "writer")),
                edges=(
                    ON,
                    ConditionalEdge(from_node="a", to_node="b", when="question"),
                    SequentialEdge(from_node="b", to_node="z"),
                ),
            ),
            "node 'a': unknown name 'vlues' in 'vlues.next'; did you mean 'values'?",
        ),
        (
            two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="z", when="budgt.exceeded"))),
            "edge 'a' -> 'z': unknown name 'budgt' in 'budgt.exceeded'; did you mean 'budget'?",
        ),
        (two_nodes(branches={"b": LEAF}), "branch 'b': no parallel edge leads to it"),
        (
            wide(ParallelNode(id="a"), section(), branches={"b": LEAF.model_copy(update={"result": {}})}),
            "branch 'b': it hands nothing back: let a writer end it, add what it finds to its evidence "
            "(reducer 'add_evidence') or declare a `result`",
        ),
        (
            wide(ParallelNode(id="a"), section(), branches={"b": search_without_reducer()}),
            "branch 'b': it hands nothing back: let a writer end it, add what it finds to its evidence "
            "(reducer 'add_evidence') or declare a `result`",
        ),
        (
            wide(ParallelNode(id="a"), section(), branches={"b": LEAF.model_copy(update={"result": {"x": "evidnce"}})}),
            "branch 'b': result 'x': unknown name 'evidnce' in 'evidnce'; did you mean 'evidence'?",
        ),
        (two_nodes(result={"x": "length(question"}), "result 'x': " + UNCLOSED),
        (
            two_nodes(result={"x": "outputs.z.titel"}),
            "result 'x': unknown field 'titel' of node 'z' in 'outputs.z.titel'; did you mean 'title'?",
        ),
        (
            wide(ParallelNode(id="a", for_each="sources", must_succeed=201), section()),
            "node 'a': 201 branches must succeed, but at most 200 can run",
        ),
        (wide(ParallelNode(id="a"), section(), section("c")), "edge 'a' -> 'c': there is no branch 'c'"),
        (wide(ParallelNode(id="a"), branches={}), "node 'a': it has no branch; add a parallel edge"),
        (
            two_nodes(edges=(ON, section()), branches={"b": LEAF}),
            "edge 'a' -> 'b': node 'a' is not a parallel node",
        ),
        (
            wide(ParallelNode(id="a", for_each="sources"), section(), section()),
            "node 'a': with `for_each` it runs one branch per item, but it has 2",
        ),
        (
            wide(ParallelNode(id="a", must_succeed=2), section()),
            "node 'a': 2 branches must succeed, but there are 1",
        ),
        (
            wide(ParallelNode(id="a"), section(question="item")),
            "edge 'a' -> 'b': 'item' in 'item' can be read only within a `for_each`",
        ),
        (
            wide(ParallelNode(id="a"), ParallelEdge(from_node="a", branch="b")),
            "edge 'a' -> 'b': input 'question' is missing",
        ),
        (
            wide(ParallelNode(id="a"), section(), branches={"b": LEAF.model_copy(update={"entry_node": "x"})}),
            "branch 'b': entry node 'x' does not exist",
        ),
    ],
)
def test_each_fault_is_named_once(graph: ResearchGraph, message: str) -> None:
    (fault,) = find_graph_faults(graph)
    assert without_plugins_left_out(fault) == message


def test_a_name_that_resembles_nothing_gets_the_known_ones() -> None:
    (message,) = find_graph_faults(first(agent="qqqq"))
    assert without_plugins_left_out(message).endswith("known: " + ", ".join(sorted(AGENTS)))


def test_a_text_that_does_not_compile_is_quoted_with_the_reason_on_one_line() -> None:
    (message,) = find_graph_faults(first(inputs={"question": "question["}))
    assert message.startswith("node 'a': expression 'question[' cannot be used: ")
    assert "\n" not in message


def test_there_is_no_exit() -> None:
    assert "there is no exit node; name at least one in `exit_nodes`" in find_graph_faults(two_nodes(exit_nodes=()))


def test_size_and_depth_are_limited() -> None:
    ids = [f"n{number}" for number in range(200)]
    edges = [SequentialEdge(from_node=one, to_node=two) for one, two in zip([*ids], [*ids[1:], "z"], strict=True)]
    long = two_nodes(nodes=(*map(asking, ids), asking("z", "writer")), edges=tuple(edges), entry_node="n0")
    assert find_graph_faults(long) == ["201 nodes are more than 200"]
    inner = LEAF
    for _ in range(3):
        inner = wide(ParallelNode(id="a"), section(), branches={"b": inner})
    assert find_graph_faults(inner) == ["branch 'b': branch 'b': branch 'b': branches are nested deeper than 3 levels"]


def test_all_faults_come_at_once() -> None:
    graph = two_nodes(
        nodes=(asking("a", "thinkng"), DecisionNode(id="z", choose="vlues")),
        edges=(ON, ConditionalEdge(from_node="a", to_node="x", when="question[")),
        entry_node="y",
    )
    with pytest.raises(GraphInvalid) as refused:
        require_valid(graph)
    assert refused.value.graph == "two"
    for part in ("entry node 'y'", "node 'x' does not exist", "'thinkng'", "'vlues'", "'question['"):
        assert part in str(refused.value)
    assert len(refused.value.faults) == 5
