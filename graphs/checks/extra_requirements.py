"""Which extras a graph cannot do without, and which it only does less without."""

from collections.abc import Collection, Iterator

from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.extras import EXTRAS
from elcano.graphs.spec.graph import ErrorEdge, ResearchGraph, ToolNode


def required_extras(graph: ResearchGraph) -> frozenset[str]:
    """The extras without which a node of the graph fails that has no other way to go.

    A node with an `on_error` edge goes on without its tool, and one that runs for each item loses that item alone.
    """
    return frozenset(
        TOOLS[node.tool].needs
        for each, node in _tool_nodes(graph)
        if TOOLS[node.tool].needs and not node.for_each and node.id not in _list_error_handled_nodes(each)
    )


def useful_extras(graph: ResearchGraph) -> frozenset[str]:
    """The extras without which the graph works, and leaves something out."""
    named = {extra for _, node in _tool_nodes(graph) for extra in (TOOLS[node.tool].needs, TOOLS[node.tool].uses)}
    return frozenset(named - {""}) - required_extras(graph)


def extra_faults(subject: str, graph: ResearchGraph, lacking: Collection[str]) -> list[str]:
    """Why a graph cannot be run by workers that lack these extras, a sentence for each; `subject` names the graph."""
    return [
        f"{subject} needs the extra {name!r}, which a worker here lacks: {EXTRAS[name].install} where workers run, "
        "and start them again"
        for name in sorted(required_extras(graph) & frozenset(lacking))
    ]


def _tool_nodes(graph: ResearchGraph) -> Iterator[tuple[ResearchGraph, ToolNode]]:
    for each in graph.all_graphs():
        for node in each.nodes:
            if isinstance(node, ToolNode) and node.tool in TOOLS:
                yield each, node


def _list_error_handled_nodes(graph: ResearchGraph) -> frozenset[str]:
    """Nodes whose failure has a way of its own."""
    return frozenset(edge.from_node for edge in graph.edges if isinstance(edge, ErrorEdge))
