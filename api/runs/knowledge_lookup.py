"""What runs found, as it is looked up: a node that has to be there, and the ways between two."""

from collections.abc import Mapping, Sequence

from elcano.api.http.errors import NodeNotFound
from elcano.api.http.knowledge_views import EdgeView, NodeView, PathsView, PathView
from elcano.graphs.data.knowledge_graph import KnowledgeEdge, KnowledgeNode
from elcano.storage.knowledge.graph import KnowledgeGraph
from elcano.storage.knowledge.paths import find_shortest_paths


async def required_node(id: str, graph: KnowledgeGraph) -> KnowledgeNode:
    """The node with this id.

    Raises:
        NodeNotFound: there is none.
    """
    found = await graph.nodes([id])
    if not found:
        raise NodeNotFound(f"nothing is known under {id!r}; `GET /v1/knowledge/search?q=` finds nodes by words")
    return found[0]


async def shortest_paths(graph: KnowledgeGraph, start: str, end: str, *, longest: int, limit: int) -> PathsView:
    """The shortest ways from a node to another, with all that they lead over.

    Raises:
        NodeNotFound: one of the two is not there.
    """
    ends = [await required_node(id, graph) for id in (start, end)]
    found = await find_shortest_paths(graph, start, end, longest=longest, limit=limit)
    ids = sorted({id for path in found.paths for one in path for id in (one.start, one.end)})
    nodes = {one.id: one for one in (*ends, *await graph.nodes(ids))}
    # A run may have been deleted between the two looks, and a node with it: that way is no more.
    paths = [path for path in found.paths if all(one.start in nodes and one.end in nodes for one in path)]
    return PathsView(paths=tuple(_build_path_view(start, path, nodes) for path in paths), complete=found.complete)


def _build_path_view(start: str, edges: Sequence[KnowledgeEdge], nodes: Mapping[str, KnowledgeNode]) -> PathView:
    at, passed = start, [start]
    for edge in edges:
        at = edge.end if edge.start == at else edge.start
        passed.append(at)
    return PathView(
        nodes=tuple(NodeView.of(nodes[id]) for id in passed), edges=tuple(EdgeView.of(edge) for edge in edges)
    )
