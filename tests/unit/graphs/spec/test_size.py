"""A graph is counted before it is walked, as JSON and as a graph; of many faults the first are told."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
)
from elcano.graphs.spec.limits import MAX_EDGES, MAX_EXPRESSIONS, MAX_FAULTS, MAX_NODES, size_faults
from tests.unit.graphs.mutations import free_graphs
from tests.unit.graphs.samples import ON, asking, two_nodes
from tests.unit.graphs.texts import json_values

LEAF: dict[str, Any] = {"name": "leaf", "nodes": [], "entry_node": "a", "exit_nodes": []}


def state_node(number: int, **more: Any) -> dict[str, Any]:
    return {"kind": "state", "id": f"n{number}", "reducer": "set_values", **more}


def edge(number: int) -> dict[str, Any]:
    return {"kind": "sequential", "from_node": f"n{number}", "to_node": f"n{number + 1}"}


def nested(width: int, levels: int) -> dict[str, Any]:
    """Each level runs the next one `width` times."""
    if not levels:
        return {**LEAF, "nodes": [state_node(0)]}
    into = [{"kind": "parallel", "from_node": "a", "branch": "b"}] * width
    return {
        **LEAF,
        "nodes": [{"kind": "parallel", "id": "a"}],
        "edges": into,
        "branches": {"b": nested(width, levels - 1)},
    }


TOO_LARGE: list[tuple[dict[str, Any], str]] = [
    ({**LEAF, "nodes": [state_node(number) for number in range(10_000)]}, f"10000 nodes are more than {MAX_NODES}"),
    ({**LEAF, "exit_nodes": ["a"] * 300}, f"300 exit nodes are more than {MAX_NODES}"),
    ({**LEAF, "edges": [edge(number) for number in range(11_000)]}, f"11000 edges in all are more than {MAX_EDGES}"),
    ({**LEAF, "branches": {f"b{number}": LEAF for number in range(60)}}, "61 graphs in all are more than 50"),
    (
        {**LEAF, "branches": {f"b{n}": {**LEAF, "nodes": [state_node(i) for i in range(150)]} for n in range(7)}},
        "1050 nodes in all are more than 500",
    ),
    (
        {**LEAF, "nodes": [state_node(0, inputs={f"v{number}": "a" for number in range(1_001)})]},
        f"1001 expressions in all are more than {MAX_EXPRESSIONS}",
    ),
    (
        {
            **LEAF,
            "nodes": [state_node(n, inputs={"values": "a" * 500}) for n in range(200)],
            "edges": [edge(0) | {"when": "b"}],
        },
        "100001 characters of expressions in all are more than 100000",
    ),
    (
        {**LEAF, "nodes": [state_node(0) | {f"x{number}": 1 for number in range(30)}]},
        "'n0': 33 fields are more than 20",
    ),
    (nested(1, 3), "branch 'b': branch 'b': branch 'b': branches are nested deeper than 3 levels"),
    (nested(30, 2), "931 nodes, each branch counted wherever it is run, are more than 500"),
]


@pytest.mark.parametrize(("graph", "message"), TOO_LARGE, ids=[message for _, message in TOO_LARGE])
def test_what_is_too_large_is_told_with_its_count(graph: dict[str, Any], message: str) -> None:
    assert size_faults(graph) == [message]


def test_a_graph_of_ten_thousand_nodes_is_refused_before_anything_walks_it() -> None:
    nodes = tuple(asking(f"n{number}", "no_such_agent") for number in range(10_000))
    assert find_graph_faults(two_nodes(nodes=nodes)) == [f"10000 nodes are more than {MAX_NODES}"]


def test_the_built_in_graphs_are_small() -> None:
    assert all(size_faults(graph) == size_faults(graph.model_dump(mode="json")) == [] for graph in MODES.values())


@given(free_graphs)
def test_a_graph_and_its_json_are_counted_alike(graph: ResearchGraph) -> None:
    assert size_faults(graph) == size_faults(graph.model_dump(mode="json"))


@given(json_values | st.fixed_dictionaries(dict.fromkeys(("nodes", "edges", "branches", "exit_nodes"), json_values)))
def test_anything_can_be_counted(given: object) -> None:
    assert all(isinstance(text, str) for text in size_faults(given))


def test_of_many_faults_the_first_are_told() -> None:
    nodes = tuple(StateNode(id=f"n{number}", reducer="set_value") for number in range(200))
    found = find_graph_faults(two_nodes(nodes=nodes))
    assert len(found) == MAX_FAULTS + 1
    assert found[-1] == "and more: mend these first"


def test_a_name_without_end_is_told_short() -> None:
    (found,) = find_graph_faults(two_nodes(nodes=(asking("a", "x" * 100_000), asking("z", "writer"))))
    assert len(found) < 300


def test_cycles_are_told_by_their_edges_and_loops_must_lead_back() -> None:
    """A ring, a way out of it, and a loop beside it that leads nowhere back."""
    nodes = (asking("a"), asking("b"), asking("c"), asking("z", "writer"))
    edges = (
        SequentialEdge(from_node="a", to_node="b"),
        SequentialEdge(from_node="b", to_node="c"),
        ConditionalEdge(from_node="c", to_node="a", when="stalled"),
        ConditionalEdge(from_node="c", to_node="c", when="stalled"),
        ConditionalEdge(from_node="b", to_node="z", when="stalled", loop=True),
        SequentialEdge(from_node="c", to_node="z"),
    )
    found = find_graph_faults(two_nodes(nodes=nodes, edges=edges))
    cycle = "it is part of a cycle; declare the edge that leads back with `loop: true`"
    assert found == [
        f"edge 'a' -> 'b': {cycle}",
        f"edge 'b' -> 'c': {cycle}",
        f"edge 'c' -> 'a': {cycle}",
        f"edge 'c' -> 'c': {cycle}",
        "edge 'b' -> 'z': it is declared as a loop but does not lead back",
    ]


def test_the_branches_of_a_node_are_found_in_their_order() -> None:
    into = tuple(ParallelEdge(from_node="a", branch=name) for name in ("c", "b"))
    graph = two_nodes(nodes=(ParallelNode(id="a"), asking("z", "writer")), edges=(ON, *into))
    assert graph.branches_from("a") == into
    assert graph.branches_from("z") == ()
