"""The step that asks back before a run begins: the first node of a graph, with a way past it if it fails.

Its agent is `research`'s. The engine holds the run after it while its questions wait (`engine.clarifying`).
"""

from typing import Final

from elcano.graphs.builder import ASKED
from elcano.graphs.spec.graph import AgentNode, ErrorEdge, ResearchGraph, SequentialEdge
from elcano.graphs.text import choose_free_name

CLARIFIER: Final = "clarifier"
"""The agent that asks."""


def add_clarifying_step(graph: ResearchGraph) -> ResearchGraph:
    """The graph with a first step that asks what the question leaves open; research begins if that fails, too."""
    id = choose_free_name("clarify", graph.by_id)
    node = AgentNode(
        id=id,
        agent=CLARIFIER,
        description="What the question leaves open, asked back",
        inputs={**ASKED, "instructions": "instructions", "sources": "sources"},
        reducer="ask_back",
    )
    onward = SequentialEdge(from_node=id, to_node=graph.entry_node)
    failed = ErrorEdge(from_node=id, to_node=graph.entry_node)
    return graph.model_copy(
        update={"nodes": (node, *graph.nodes), "edges": (onward, failed, *graph.edges), "entry_node": id}
    )


def without_clarifying_step(graph: ResearchGraph) -> ResearchGraph:
    """The graph as it was before that."""
    first = graph.by_id.get(graph.entry_node)
    if not isinstance(first, AgentNode) or first.agent != CLARIFIER:
        return graph
    entry = graph.routes_from(first.id)[0].to_node
    nodes = tuple(node for node in graph.nodes if node.id != first.id)
    edges = tuple(edge for edge in graph.edges if edge.from_node != first.id)
    return graph.model_copy(update={"nodes": nodes, "edges": edges, "entry_node": entry})
