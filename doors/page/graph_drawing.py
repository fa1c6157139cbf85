"""A graph as a picture: where its boxes and arrows are. Pure; the template draws them as SVG.

Nodes stand in rows by the longest way that leads to them, so arrows lead downwards; those of loops lead back up at the
right edge. Within rows, nodes stand near those they come from. A large graph, as that of `auto`, is drawn without
the ways that a run has not taken, and of a huge one what is around the latest node.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from elcano.graphs.spec.graph import ErrorEdge, Node, ResearchGraph, SequentialEdge, find_reachable

BOX_WIDTH: Final = 196
BOX_HEIGHT: Final = 50
LANE_HEIGHT: Final = 22
ROW_GAP: Final = 34
COLUMN_GAP: Final = 28
BEND_WIDTH: Final = 14
"""The room of an arrow that passes a row."""
LOOP_GAP: Final = 16
MARGIN: Final = 12
MOST_LANES: Final = 8
LARGE: Final = 24
"""Nodes of a graph from which on the ways not taken are left out."""
MOST_DRAWN: Final = 120
"""Nodes that a picture has at most: those around the latest one."""
MOST_WAYS: Final = 4
"""Ways from a node of a large graph from which on they are drawn only once one is taken."""
NAME_CHARACTERS: Final = 23
SWEEPS: Final = 4


@dataclass
class Lane:
    """A branch of a parallel node."""

    title: str
    status: str
    run_id: str
    y: float


@dataclass
class Box:
    """A node where it is drawn."""

    id: str
    title: str
    kind: str
    description: str
    state: str
    """`done`, `now`, `held`, `failed`, or empty: not visited yet."""
    visits: int
    last_step: int
    lanes: tuple[Lane, ...]
    more_lanes: int
    x: float = 0.0
    y: float = 0.0
    height: float = BOX_HEIGHT

    @property
    def name(self) -> str:
        """The title as far as there is room."""
        return self.title if len(self.title) <= NAME_CHARACTERS else f"{self.title[: NAME_CHARACTERS - 1]}…"


@dataclass
class Arrow:
    """A way from a node to another."""

    path: str
    kind: str
    """`way`, `loop` or `error`."""
    taken: bool
    label: str


@dataclass
class Drawing:
    """The boxes and arrows, and the size of all."""

    boxes: list[Box]
    arrows: list[Arrow]
    width: float
    height: float
    left_out: int
    """Nodes that are not drawn: the run has not gone their way, or there are too many."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run in its graph."""

    here: str = ""
    """The node that it is at; empty: it has ended, or has not reported it."""
    held: bool = False
    failed: str = ""
    """The node that failed for good."""
    visits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ways: Collection[tuple[str, str]] | None = None
    """The edges that were taken, by the nodes at their ends; None: not known, then those between visited nodes."""
    branches: Sequence[Mapping[str, Any]] = ()
    branches_node: str = ""
    """The node that the branches belong to."""

    def has_taken(self, start: str, end: str) -> bool:
        """Whether the edge between two nodes was taken, as far as is known."""
        if self.ways is not None:
            return (start, end) in self.ways
        return start in self.visits and (end in self.visits or end == self.here)


def draw_graph(graph: ResearchGraph, progress: Progress) -> Drawing:
    """Place the nodes and arrows of a graph."""
    drawn = _choose_nodes(graph, progress)
    ways = [
        (edge.from_node, edge.to_node, edge)
        for node in drawn
        for edge in (*graph.routes_from(node), *graph.error_edges_from(node), *_lead_to_appendix(graph, node))
        if edge.to_node in drawn
    ]
    forward = _without_cycles([(start, end) for start, end, edge in ways if not edge.loop], graph.entry_node)
    ranks = _rank_nodes(drawn, forward)
    boxes = {node.id: _build_box(node, progress) for node in graph.nodes if node.id in drawn}
    bends, rows = _order_rows(ranks, forward)
    width = _place_boxes(boxes, bends, rows)
    arrows = []
    loops = 0
    for start, end, edge in ways:
        taken, label = progress.has_taken(start, end), edge.label or ""
        kind = "error" if isinstance(edge, ErrorEdge) else "loop" if (start, end) not in bends else "way"
        if (start, end) in bends:
            path = _bend_downwards(boxes[start], boxes[end], bends[start, end])
        else:
            path = _bend_back(boxes[start], boxes[end], width + LOOP_GAP * loops)
            loops += 1
        arrows.append(Arrow(path=path, kind=kind, taken=taken, label=label))
    height = max(box.y + box.height for box in boxes.values()) + MARGIN
    return Drawing(
        boxes=list(boxes.values()),
        arrows=arrows,
        width=width + LOOP_GAP * max(loops, 1) + MARGIN,
        height=height,
        left_out=len(graph.nodes) - len(drawn),
    )


def _lead_to_appendix(graph: ResearchGraph, node: str) -> tuple[SequentialEdge, ...]:
    """The way from an exit to the appendix of its graph, which is no edge; none from elsewhere."""
    if graph.appendix is None or node not in graph.exit_nodes:
        return ()
    return (SequentialEdge(from_node=node, to_node=graph.appendix),)


def _choose_nodes(graph: ResearchGraph, progress: Progress) -> list[str]:
    """The nodes to draw: all, or of a large graph those that were visited and those that can still come."""
    names = [node.id for node in graph.nodes]
    visited = {*progress.visits, *filter(None, (progress.here,))}
    latest = graph.entry_node
    if len(names) > LARGE and visited:
        latest = progress.here or max(progress.visits, key=lambda node: int(progress.visits[node]["last_step"]))
        coming = find_reachable([latest], lambda node: _list_likely_nodes(graph, node)) if progress.here else set()
        names = [name for name in names if name in visited or name in coming or name == graph.entry_node]
    first = max(min(names.index(latest) - MOST_DRAWN // 2, len(names) - MOST_DRAWN), 0)
    return names[first : first + MOST_DRAWN]


def _list_likely_nodes(graph: ResearchGraph, node: str) -> list[str]:
    """The nodes that can follow; none where so many can that the choice says nothing yet, as of a mode."""
    following = graph.list_possible_nodes(node)
    return following if len(set(following)) <= MOST_WAYS else []


def _build_box(node: Node, progress: Progress) -> Box:
    visited = progress.visits.get(node.id)
    state = "done" if visited else ""
    if node.id == progress.failed or (visited and visited["failed"]):
        state = "failed"
    if node.id == progress.here:
        state = "held" if progress.held else "now"
    branches = progress.branches if node.id == progress.branches_node else ()
    lanes = tuple(
        Lane(title=one["section"], status=one["status"], run_id=one["run_id"], y=BOX_HEIGHT + LANE_HEIGHT * place)
        for place, one in enumerate(branches[:MOST_LANES])
    )
    more = max(len(branches) - MOST_LANES, 0)
    rows = len(lanes) + bool(more)
    return Box(
        id=node.id,
        title=node.title,
        kind=node.kind,
        description=node.description,
        state=state,
        visits=visited["count"] if visited else 0,
        last_step=visited["last_step"] if visited else 0,
        lanes=lanes,
        more_lanes=more,
        height=BOX_HEIGHT + LANE_HEIGHT * rows + (8 if rows else 0),
    )


def _without_cycles(edges: Iterable[tuple[str, str]], entry: str) -> list[tuple[str, str]]:
    """The edges without those that lead back to a node on the way to themselves; ways after an error may."""
    onward: dict[str, list[str]] = defaultdict(list)
    for start, end in dict.fromkeys(edges):
        onward[start].append(end)
    kept: list[tuple[str, str]] = []
    seen: set[str] = set()
    for root in (entry, *list(onward)):
        if root in seen:
            continue
        seen.add(root)
        way, open_ends = [root], [iter(onward[root])]
        while way:
            end = next(open_ends[-1], "")
            if not end:
                way.pop()
                open_ends.pop()
            elif end not in way:
                kept.append((way[-1], end))
                if end not in seen:
                    seen.add(end)
                    way.append(end)
                    open_ends.append(iter(onward[end]))
    return kept


def _rank_nodes(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The row of each node: one below the lowest of those that lead to it."""
    ranks = dict.fromkeys(names, 0)
    for _ in names:
        moved = False
        for start, end in edges:
            if ranks[end] <= ranks[start]:
                ranks[end] = ranks[start] + 1
                moved = True
        if not moved:
            break
    return ranks


@dataclass
class _Place:
    """Content of a row: a node, or an arrow that passes it."""

    name: str
    width: float
    near: list["_Place"] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0


def _order_rows(
    ranks: Mapping[str, int], edges: Sequence[tuple[str, str]]
) -> tuple[dict[tuple[str, str], list[_Place]], list[list[_Place]]]:
    """The rows with everything in them in order, and the places by which each arrow passes."""
    rows: list[list[_Place]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
    places = {name: _Place(name, BOX_WIDTH) for name in ranks}
    for name, rank in ranks.items():
        rows[rank].append(places[name])
    bends: dict[tuple[str, str], list[_Place]] = {}
    for start, end in edges:
        passed = [_Place("", BEND_WIDTH) for _ in range(ranks[start] + 1, ranks[end])]
        for rank, place in enumerate(passed, ranks[start] + 1):
            rows[rank].append(place)
        bends[start, end] = passed
        for above, below in pairwise([places[start], *passed, places[end]]):
            above.near.append(below)
            below.near.append(above)
    for _ in range(SWEEPS):
        for row in rows:
            _spread_row(row)
            row.sort(key=lambda place: sum(one.x for one in place.near) / len(place.near) if place.near else place.x)
            _spread_row(row)
    return bends, rows


def _spread_row(row: list[_Place]) -> None:
    """Give every place of a row its x, the row's middle being 0."""
    whole = sum(place.width for place in row) + COLUMN_GAP * (len(row) - 1)
    x = -whole / 2
    for place in row:
        place.x = x + place.width / 2
        x += place.width + COLUMN_GAP


def _place_boxes(
    boxes: Mapping[str, Box], bends: Mapping[tuple[str, str], Sequence[_Place]], rows: Sequence[Sequence[_Place]]
) -> float:
    """Turn places into positions; returns the width of all rows."""
    left = min((place.x - place.width / 2 for row in rows for place in row), default=0.0)
    right = max((place.x + place.width / 2 for row in rows for place in row), default=0.0)
    y = float(MARGIN)
    for row in rows:
        height = max((boxes[place.name].height for place in row if place.name), default=BOX_HEIGHT)
        for place in row:
            place.x += MARGIN - left
            place.y = y + height / 2
            if place.name:
                box = boxes[place.name]
                box.x, box.y = place.x - BOX_WIDTH / 2, y
        y += height + ROW_GAP
    return right - left + 2 * MARGIN


def _bend_downwards(start: Box, end: Box, passed: Sequence[_Place]) -> str:
    """An arrow from the lower edge of a box to the upper edge of another, by the places that it passes."""
    top, bottom = start.y + start.height, end.y
    x = start.x + BOX_WIDTH / 2
    path = [f"M{x:.0f} {top:.0f}"]
    y = top
    for place in passed:
        half = (y + place.y) / 2
        path.append(f"C{x:.0f} {half:.0f} {place.x:.0f} {half:.0f} {place.x:.0f} {place.y:.0f}")
        x, y = place.x, place.y
    last = end.x + BOX_WIDTH / 2
    path.append(f"C{x:.0f} {(y + bottom) / 2:.0f} {last:.0f} {(y + bottom) / 2:.0f} {last:.0f} {bottom:.0f}")
    return "".join(path)


def _bend_back(start: Box, end: Box, edge: float) -> str:
    """An arrow of a loop: out at the right, up or down along the edge, and back in."""
    out, back = start.y + BOX_HEIGHT / 2 + 6, end.y + BOX_HEIGHT / 2 - 6
    right, target = start.x + BOX_WIDTH, end.x + BOX_WIDTH
    turn = 10 if back < out else -10
    return (
        f"M{right:.0f} {out:.0f}H{edge - 10:.0f}Q{edge:.0f} {out:.0f} {edge:.0f} {out - turn:.0f}"
        f"V{back + turn:.0f}Q{edge:.0f} {back:.0f} {edge - 10:.0f} {back:.0f}H{target:.0f}"
    )
