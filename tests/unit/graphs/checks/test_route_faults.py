"""Ways that can never be taken, or that lead nowhere, are faults of a graph; ways that repair cost nothing before."""

import pytest

from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.engine.budget_check import minimum_tokens
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    Edge,
    ErrorEdge,
    Node,
    ResearchGraph,
    SequentialEdge,
    ToolNode,
)
from tests.unit.graphs.samples import ON, asking, two_nodes


def erring(node: Node, *edges: Edge) -> ResearchGraph:
    return two_nodes(nodes=(node, asking("z", "writer")), edges=(ON, *edges))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="x")),
            "edge 'a' -> 'x': node 'x' does not exist",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="a")),
            "edge 'a' -> 'a': it is part of a cycle; declare the edge that leads back with `loop: true`",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="z", loop=True)),
            "edge 'a' -> 'z': it is declared as a loop but does not lead back",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="z", to_node="a", loop=True)),
            "node 'z': it is an exit, so no edge may leave it",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="z"), ErrorEdge(from_node="a", to_node="z")),
            "edge 'a' -> 'z': another edge of its node takes every error that no other edge names already; "
            "keep one of them",
        ),
        (
            erring(
                asking("a"),
                ErrorEdge(from_node="a", to_node="z", types=("Timeout", "Mine")),
                ErrorEdge(from_node="a", to_node="z", types=("Mine",)),
            ),
            "edge 'a' -> 'z': another edge of its node takes the error 'Mine' already; keep one of them",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="z", types=("ModelOutputt",))),
            "edge 'a' -> 'z': unknown error 'ModelOutputt'; did you mean 'ModelOutput'?",
        ),
        (
            erring(asking("a"), ErrorEdge(from_node="a", to_node="z", types=("ProviderUnavailable",))),
            "edge 'a' -> 'z': no edge is taken by 'ProviderUnavailable': a provider that cannot answer holds the run",
        ),
        (
            erring(DecisionNode(id="a"), ErrorEdge(from_node="a", to_node="z", types=("Timeout",))),
            "edge 'a' -> 'z': unknown error of a decision node 'Timeout'; known: InputInvalid",
        ),
        (
            erring(
                ToolNode(id="a", tool="noop", for_each="sources"),
                ErrorEdge(from_node="a", to_node="z", types=("SourceRefused",)),
            ),
            "edge 'a' -> 'z': unknown error of a tool node 'SourceRefused'; known: InputInvalid",
        ),
        (
            two_nodes(nodes=(asking("a", inputs={"question": "failure.mesage"}), asking("z", "writer"))),
            "node 'a': unknown field 'mesage' of the failure in 'failure.mesage'; did you mean 'message'?",
        ),
        (
            two_nodes(nodes=(asking("a"), asking("z", "writer", choose="question"))),
            "node 'z': it is an exit, so there is nothing to choose",
        ),
        (
            two_nodes(nodes=(asking("a", choose="question"), asking("z", "writer"))),
            "node 'a': `choose` needs edges to at least two nodes to choose from; it has 1",
        ),
        (
            two_nodes(
                nodes=(asking("a"), asking("b"), asking("z", "writer")),
                edges=(
                    ON,
                    ConditionalEdge(from_node="a", to_node="b", when="question"),
                    SequentialEdge(from_node="b", to_node="b", loop=True),
                    ErrorEdge(from_node="b", to_node="z"),
                ),
            ),
            "node 'b': no exit can be reached from it unless something fails",
        ),
    ],
)
def test_each_fault_of_a_way_is_named_once(graph: ResearchGraph, message: str) -> None:
    assert find_graph_faults(graph) == [message]


def test_an_error_of_ones_own_is_no_fault() -> None:
    assert (
        find_graph_faults(
            erring(asking("a"), ErrorEdge(from_node="a", to_node="z", types=("SqlError", "TimeoutError")))
        )
        == []
    )


def test_agents_that_only_repair_are_not_in_the_least_that_a_run_takes() -> None:
    plain = two_nodes()
    mend = asking("mend", "judge")
    repaired = two_nodes(
        nodes=(*plain.nodes, mend),
        edges=(
            ON,
            ErrorEdge(from_node="a", to_node="mend"),
            SequentialEdge(from_node="mend", to_node="a", loop=True),
        ),
    )
    assert find_graph_faults(repaired) == []
    assert minimum_tokens(repaired, get_rules()) == minimum_tokens(plain, get_rules())
