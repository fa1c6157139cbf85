"""An output is read only where it can be: behind the node that leaves it."""

import pytest

from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.spec.graph import ConditionalEdge, DecisionNode, ResearchGraph, SequentialEdge, ToolNode
from tests.unit.graphs.samples import asking


def forked(first: str = "question", left: str = "question", when: str = "question") -> ResearchGraph:
    """`first`, then either `left` or `right`, then `z`."""
    return ResearchGraph(
        name="forked",
        nodes=(
            ToolNode(id="first", tool="noop", inputs={"payload": first}),
            DecisionNode(id="fork"),
            ToolNode(id="left", tool="noop", inputs={"payload": left}),
            ToolNode(id="right", tool="noop"),
            asking("z", "writer"),
        ),
        edges=(
            SequentialEdge(from_node="first", to_node="fork"),
            ConditionalEdge(from_node="fork", to_node="left", when=when),
            SequentialEdge(from_node="fork", to_node="right"),
            SequentialEdge(from_node="left", to_node="z"),
            SequentialEdge(from_node="right", to_node="z"),
        ),
        entry_node="first",
        exit_nodes=("z",),
    )


@pytest.mark.parametrize(
    ("graph", "message", "pointer"),
    [
        (
            forked(left="outputs.right.ok"),
            "node 'left': no way leads from node 'right' to it, so it never sees what that leaves "
            "(in 'outputs.right.ok')",
            "/nodes/2/inputs/payload",
        ),
        (
            forked(first="outputs.fork || question"),
            "node 'first': no way leads from node 'fork' to it, so it never sees what that leaves "
            "(in 'outputs.fork || question')",
            "/nodes/0/inputs/payload",
        ),
        (
            forked(when="length(sources) > `1` && outputs.left.ok"),
            "node 'fork': no way leads from node 'left' to it, so it never sees what that leaves "
            "(in 'length(sources) > `1` && outputs.left.ok')",
            "/edges/1/when",
        ),
    ],
)
def test_what_is_never_there_is_a_fault_with_its_place(graph: ResearchGraph, message: str, pointer: str) -> None:
    assert [(str(fault), fault.pointer) for fault in find_graph_faults(graph)] == [(message, pointer)]


def test_what_lies_before_or_behind_a_loop_can_be_read() -> None:
    assert find_graph_faults(forked(first="outputs.first.ok", left="outputs.first.ok", when="outputs.first.ok")) == []
    graph = forked(first="outputs.right.ok")
    back = SequentialEdge(from_node="right", to_node="first", loop=True)
    onward = ConditionalEdge(from_node="right", to_node="z", when="outputs.right.ok")
    edges = (*(edge for edge in graph.edges if edge.from_node != "right"), onward, back)
    assert find_graph_faults(graph.model_copy(update={"edges": edges})) == []
