"""The shortest ways from one node to another, found from both ends at once, one edge further each time.

A run leads to all that it found, so over runs everything is near to everything else: no way leads over a run that is
not an end of it. What is looked at is bounded, and the answer says so where the bound was reached.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.plugins.knowledge.graph import KnowledgeEdge, KnowledgeGraph

MOST_EDGES: Final = 20_000
"""Edges that are looked at for one answer."""

Ways = dict[str, list[tuple[str, KnowledgeEdge]]]
"""For each reached node: the nodes before it on the shortest paths, and the edges from them."""


class Paths(Frozen):
    """The shortest paths between two nodes."""

    paths: tuple[tuple[KnowledgeEdge, ...], ...]
    """Each from the one to the other; edges of several runs between the same two nodes are one step, by one of them."""
    complete: bool
    """False: more was there than is looked at; there may be others, also where none is told."""


async def find_shortest_paths(graph: KnowledgeGraph, start: str, end: str, *, longest: int, limit: int) -> Paths:
    """The shortest paths of at most `longest` edges, at most `limit` of them; of a node to itself there is none.

    Args:
        graph: Where they lead.
        start: A node's id.
        end: Another one's.
        longest: Edges of a path at most, up to 6.
        limit: Paths at most.
    """
    sides: tuple[Ways, Ways] = ({start: []}, {end: []})
    fronts = [[start], [end]]
    looked_at, length = 0, 0
    while start != end and all(fronts) and length < longest:
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        room = MOST_EDGES - looked_at
        edges = await graph.edges(fronts[side], room)
        looked_at += len(edges)
        fronts[side] = _expand_front(sides[side], fronts[side], edges, {start, end})
        length += 1
        if meeting := sorted(sides[0].keys() & sides[1].keys()):
            return Paths(paths=_join_paths(sides, meeting, limit), complete=len(edges) < room)
        if len(edges) >= room:
            return Paths(paths=(), complete=False)
    return Paths(paths=(), complete=True)


def _expand_front(reached: Ways, front: Sequence[str], edges: Sequence[KnowledgeEdge], ends: set[str]) -> list[str]:
    """Add the edges to what was reached, and return the nodes that are new, except runs, which lead nowhere."""
    before, new = set(front), Ways()
    for edge in sorted(edges, key=lambda one: one.id):
        for near, far in ((edge.start, edge.end), (edge.end, edge.start)):
            if near in before and far not in reached and (far in ends or not far.startswith("run-")):
                ways = new.setdefault(far, [])
                if near not in (known for known, _ in ways):
                    ways.append((near, edge))
    reached |= new
    return sorted(new)


def _join_paths(sides: tuple[Ways, Ways], meeting: Sequence[str], limit: int) -> tuple[tuple[KnowledgeEdge, ...], ...]:
    paths: list[tuple[KnowledgeEdge, ...]] = []
    for middle in meeting:
        for first in _trace_ways_back(sides[0], middle, limit):
            for second in _trace_ways_back(sides[1], middle, limit):
                paths.append((*reversed(first), *second))
                if len(paths) == limit:
                    return tuple(paths)
    return tuple(paths)


def _trace_ways_back(
    reached: Mapping[str, list[tuple[str, KnowledgeEdge]]], node: str, limit: int
) -> list[list[KnowledgeEdge]]:
    """The ways back from a node, the edge at it first."""
    if not reached[node]:
        return [[]]
    found: list[list[KnowledgeEdge]] = []
    for before, edge in reached[node]:
        found += ([edge, *rest] for rest in _trace_ways_back(reached, before, limit))
        if len(found) >= limit:
            break
    return found[:limit]
