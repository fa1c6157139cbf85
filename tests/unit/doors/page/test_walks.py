"""Walks on the page: the way of a dry run in its graph, and the things beside one in the knowledge graph."""

from typing import Any

from elcano.doors.page.graph_drawing import draw_graph
from elcano.doors.page.graph_pages import trace_walk
from elcano.doors.page.knowledge_pages import RELATIONS, gather_relations
from elcano.graphs.mode_choice import MODES
from elcano.subjects.knowledge.graph import EDGE_KINDS


def step(number: int, node: str, following: str, **more: Any) -> dict[str, Any]:
    return {"number": number, "node": node, "next": following, "path": "", "outcome": "completed", **more}


def test_only_edges_that_a_walk_took_are_drawn_as_taken() -> None:
    nodes = [node.id for node in MODES["simple"].nodes]
    steps = [
        step(at, node, following) for at, (node, following) in enumerate(zip(nodes, [*nodes[1:], ""], strict=True), 1)
    ]
    progress = trace_walk({"steps": [*steps, step(1, nodes[1], nodes[0], path="loop.0")]})
    assert progress.visits[nodes[1]] == {"count": 1, "last_step": 2, "failed": False}
    drawing = draw_graph(MODES["simple"], progress)
    assert {arrow.kind for arrow in drawing.arrows if arrow.taken} == {"way"}
    assert {arrow.taken for arrow in drawing.arrows if arrow.kind == "loop"} == {False}


def test_neighbours_are_gathered_by_relation_with_their_runs() -> None:
    assert RELATIONS.keys() == set(EDGE_KINDS)
    edges = [
        ("cites", "c", "d", "r1"),
        ("cites", "c", "d", "r2"),
        ("found", "r", "d", "r1"),
        ("written_by", "d", "a", "r1"),
    ]
    beside = [
        {
            "edge": {"kind": kind, "start": start, "end": end, "run": run, "support": "supported"},
            "node": {"id": end if start == "d" else start},
        }
        for kind, start, end, run in edges
    ]
    found = [(one.words, one.outward, one.node["id"], one.runs) for one in gather_relations("d", beside)]
    assert found == [
        ("cited by", False, "c", ["r1", "r2"]),
        ("found by", False, "r", ["r1"]),
        ("written by", True, "a", ["r1"]),
    ]
