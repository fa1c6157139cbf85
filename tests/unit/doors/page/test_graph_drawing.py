"""Graphs as pictures: nothing lies on anything else, nothing is missing, and what a run did is seen."""

import re
from itertools import combinations

import pytest

from benchmarks.server import chain_of_noops
from elcano.doors.page.graph_drawing import BOX_WIDTH, LARGE, MOST_DRAWN, MOST_LANES, Box, Progress, draw_graph
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph

VISITS = {"first_search": {"count": 1, "last_step": 1, "failed": False}}


def find_boxes(graph: ResearchGraph, progress: Progress) -> dict[str, Box]:
    return {box.id: box for box in draw_graph(graph, progress).boxes}


@pytest.mark.parametrize("mode", MODES)
def test_every_node_of_a_mode_has_a_place_of_its_own(mode: str) -> None:
    graph = MODES[mode]
    drawing = draw_graph(graph, Progress())
    assert [box.id for box in drawing.boxes] == [node.id for node in graph.nodes]
    for one, other in combinations(drawing.boxes, 2):
        beside = abs(one.x - other.x) >= BOX_WIDTH
        assert beside or one.y + one.height <= other.y or other.y + other.height <= one.y, (one.id, other.id)
    ways = [edge for node in graph.nodes for edge in (*graph.routes_from(node.id), *graph.error_edges_from(node.id))]
    assert len(drawing.arrows) == len(ways)
    for arrow in drawing.arrows:
        numbers = [float(number) for number in re.findall(r"-?\d+", arrow.path)]
        assert all(-1 <= number <= max(drawing.width, drawing.height) for number in numbers), arrow
    assert max(box.y + box.height for box in drawing.boxes) <= drawing.height


def test_ways_lead_down_and_loops_lead_back() -> None:
    graph = MODES["iterative"]
    boxes = find_boxes(graph, Progress())
    for edge in graph.edges:
        if edge.kind != "parallel" and not edge.loop:
            assert boxes[edge.from_node].y < boxes[edge.to_node].y
    assert "loop" in {arrow.kind for arrow in draw_graph(graph, Progress()).arrows}


def test_states_of_nodes_are_those_of_the_run() -> None:
    graph = MODES["iterative"]
    boxes = find_boxes(graph, Progress(here="thinking", visits=VISITS))
    assert (boxes["first_search"].state, boxes["thinking"].state, boxes["writer"].state) == ("done", "now", "")
    assert find_boxes(graph, Progress(here="thinking", held=True))["thinking"].state == "held"
    assert find_boxes(graph, Progress(failed="writer"))["writer"].state == "failed"


def test_branches_are_lanes_of_their_node_and_many_are_counted() -> None:
    graph = MODES["deep"]
    branches = [{"section": f"S{n}", "status": "running", "run_id": f"r.{n}"} for n in range(MOST_LANES + 192)]
    box = find_boxes(graph, Progress(branches=branches, branches_node="parallel_loops"))["parallel_loops"]
    assert (len(box.lanes), box.more_lanes) == (MOST_LANES, 192)
    assert box.lanes[-1].y < box.height


def test_a_large_graph_is_drawn_without_the_ways_not_taken() -> None:
    graph = MODES["auto"]
    assert len(graph.nodes) > LARGE
    visits = {graph.entry_node: {"count": 1, "last_step": 1, "failed": False}}
    first = graph.list_possible_nodes(graph.entry_node)[0]
    done = draw_graph(graph, Progress(visits={**visits, first: {"count": 1, "last_step": 2, "failed": False}}))
    assert [box.id for box in done.boxes] == [graph.entry_node, first]
    assert done.left_out == len(graph.nodes) - 2


def test_a_huge_graph_is_drawn_around_the_latest_node() -> None:
    graph = chain_of_noops(2_000)
    visits = {f"n{step:03d}": {"count": 1, "last_step": step, "failed": False} for step in range(1_000)}
    drawing = draw_graph(graph, Progress(here="n1000", visits=visits))
    names = [box.id for box in drawing.boxes]
    assert (len(names), drawing.left_out) == (MOST_DRAWN, 2_000 - MOST_DRAWN)
    assert names.index("n1000") == MOST_DRAWN // 2
    assert draw_graph(graph, Progress()).boxes[0].id == "n000"
