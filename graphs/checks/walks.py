"""Walks through the edges of a graph: which nodes lead to which, what can be reached, what lies on one circle."""

from collections.abc import Callable, Iterable, Mapping

from elcano.graphs.spec.graph import ParallelEdge, ResearchGraph, Way


def map_neighbours(graph: ResearchGraph, ends: Callable[[Way], tuple[str, str] | None]) -> Mapping[str, list[str]]:
    """Map each node to its neighbours along the edges; `ends` gives the two ends of an edge, or None to skip it."""
    found: dict[str, list[str]] = {}
    for edge in graph.edges:
        if not isinstance(edge, ParallelEdge) and (pair := ends(edge)):
            found.setdefault(pair[0], []).append(pair[1])
    return found


def number_connected_components(
    graph: ResearchGraph, ends: Callable[[Way], tuple[str, str] | None]
) -> Mapping[str, int]:
    """For each node the number of its circle: nodes have the same if each can be reached from the other (Kosaraju)."""
    onward = map_neighbours(graph, ends)
    backward: dict[str, list[str]] = {}
    for node, others in onward.items():
        for other in others:
            backward.setdefault(other, []).append(node)
    circles: dict[str, int] = {}
    for number, start in enumerate(reversed(_order_by_finish(onward, graph.by_id))):
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in circles:
                circles[node] = number
                waiting += backward.get(node, [])
    return circles


def _order_by_finish(onward: Mapping[str, list[str]], nodes: Iterable[str]) -> list[str]:
    """The nodes in the order in which a walk into the depth leaves them."""
    entered: set[str] = set()
    order: list[str] = []
    for first in nodes:
        waiting = [(first, False)]
        while waiting:
            node, done = waiting.pop()
            if done:
                order.append(node)
            elif node not in entered:
                entered.add(node)
                waiting.append((node, True))
                waiting += [(other, False) for other in onward.get(node, [])]
    return order


def find_reachable_nodes(onward: Mapping[str, list[str]], start: Iterable[str]) -> set[str]:
    """The nodes that can be come to from those of `start`, and these."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        node_id = waiting.pop()
        if node_id not in reached:
            reached.add(node_id)
            waiting += onward.get(node_id, [])
    return reached
