"""The ruling lines of a page of a PDF: strokes, thin filled rectangles, and the borders of filled ones.

Untrusted: a page may paint a million paths, so only so many objects are looked at, and only so much of each.
"""

import ctypes
import math
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.frames import Frame, Rectangle, measure_frame, turn_box
from elcano.subjects.documents.pdf.page_objects import iterate_objects, measure_object
from elcano.subjects.documents.pdf.paths import (
    Color,
    Matrix,
    Point,
    compose_matrices,
    is_oblique,
    is_rectangle,
    iterate_subpaths,
    read_fill_color,
    read_matrix,
)

MAX_OBJECTS: Final = 20_000
"""Objects of a page, nested ones too, that are looked at: a table of 200 rows and 100 columns whose cells are filled
one by one fits, and a map costs a quarter of a second."""
MAX_SEGMENTS: Final = 3_000
"""Segments of one path that are looked at: more are a drawing, not a grid."""
MAX_LINES: Final = 1_500
"""Lines in one direction that are kept, the longest: hatching has thousands."""
LEAST_DRAWING: Final = 8.0
"""Smaller drawings, in points, are check marks, bullets and rounded corners."""
RULE_WIDTH: Final = 3.0
"""A filled rectangle thinner than this is a line; boxes for text are higher than type."""
SHORTEST: Final = 4.0
"""Shorter lines, in points, are dots, ticks and parts of letters."""
SNAP: Final = 2.5
"""Lines nearer to one another than this are one line: double rules, and borders drawn by each of two neighbours."""
BRIDGE: Final = 3.0
"""Parts of a line whose gap is not wider than this are one line: corners are often left to the crossing line."""
ABUTTING: Final = 0.3
"""Backgrounds of one colour that are not farther apart than this, in points, show no line between them."""
PAPER: Final = 0.85
"""A rectangle that covers this share of the page in both directions is its background."""


class Edge(NamedTuple):
    """A horizontal or vertical line: where it is, and from where to where it reaches."""

    at: float
    low: float
    high: float

    @property
    def length(self) -> float:
        """Return its length."""
        return self.high - self.low


class Edges(NamedTuple):
    """The ruling lines of a page, in points of the displayed page, each direction in order."""

    horizontal: tuple[Edge, ...] = ()
    """At y, from left to right."""
    vertical: tuple[Edge, ...] = ()
    """At x, from top to bottom."""
    fills: tuple[Rectangle, ...] = ()
    """Filled rectangles that are no lines: backgrounds of cells, rows, heads, or of anything else."""
    drawings: tuple[Rectangle, ...] = ()
    """Bounds of each other line and curve: they make charts and diagrams, not tables."""

    def outline_fills(self) -> "Edges":
        """The lines, and with them the sides of the filled rectangles."""
        horizontal, vertical = list(self.horizontal), list(self.vertical)
        for left, top, right, bottom in self.fills:
            horizontal += (Edge(top, left, right), Edge(bottom, left, right))
            vertical += (Edge(left, top, bottom), Edge(right, top, bottom))
        return self._replace(horizontal=tuple(merge_edges(horizontal)), vertical=tuple(merge_edges(vertical)))


def read_edges(page: pdfium_c.FPDF_PAGE) -> Edges:
    """The ruling lines of a loaded page; lines that overlap or continue each other are one."""
    found = _Collector(measure_frame(page))
    found.read_page(page)
    return Edges(
        tuple(merge_edges(found.horizontal)),
        tuple(merge_edges(found.vertical)),
        tuple(_merge_fills(found.fills)),
        tuple(found.drawings[:MAX_LINES]),
    )


def _merge_fills(fills: list[tuple[Color, Rectangle]]) -> list[Rectangle]:
    """Filled rectangles; those of one colour that continue each other downwards are one, painted line by line."""
    if len(fills) > MAX_LINES:
        return []
    merged: list[Rectangle] = []
    open_ones: dict[tuple[Color, int, int], int] = {}
    for color, (left, top, right, bottom) in sorted(fills, key=lambda fill: fill[1][1]):
        key = (color, round(left), round(right))
        number = open_ones.get(key)
        if number is not None and top <= merged[number][3] + ABUTTING:
            before = merged[number]
            merged[number] = (before[0], before[1], before[2], max(before[3], bottom))
        else:
            open_ones[key] = len(merged)
            merged.append((left, top, right, bottom))
    return merged


def merge_edges(edges: Iterable[Edge]) -> list[Edge]:
    """Put lines that are at the same place together, and join those that overlap or nearly touch."""
    merged: list[Edge] = []
    for group in _group_by_place(sorted(edges)):
        at = sum(edge.at * edge.length for edge in group) / sum(edge.length for edge in group)
        low, high = math.inf, -math.inf
        for edge in sorted(group, key=attrgetter("low")):
            if edge.low > high + BRIDGE and high > low:
                merged.append(Edge(at, low, high))
                low, high = edge.low, edge.high
            else:
                low, high = min(low, edge.low), max(high, edge.high)
        merged.append(Edge(at, low, high))
    kept = [edge for edge in merged if edge.length >= SHORTEST]
    if len(kept) > MAX_LINES:
        kept = sorted(sorted(kept, key=attrgetter("length"))[-MAX_LINES:])
    return kept


def _group_by_place(edges: list[Edge]) -> Iterator[list[Edge]]:
    group: list[Edge] = []
    for edge in edges:
        if group and edge.at - group[0].at > SNAP:
            yield group
            group = []
        group.append(edge)
    if group:
        yield group


class _Collector:
    """Collects lines from the objects of a page."""

    def __init__(self, frame: Frame) -> None:
        self.horizontal: list[Edge] = []
        self.vertical: list[Edge] = []
        self.fills: list[tuple[Color, Rectangle]] = []
        self.drawings: list[Rectangle] = []
        self._frame = frame
        self._mode, self._stroked = ctypes.c_int(), ctypes.c_int()

    def read_page(self, page: pdfium_c.FPDF_PAGE) -> None:
        for thing, kind, matrix in islice(iterate_objects(page), MAX_OBJECTS):
            if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
                self._read_path(thing, matrix)

    def _read_path(self, path: pdfium_c.FPDF_PAGEOBJECT, matrix: Matrix) -> None:
        pdfium_c.FPDFPath_GetDrawMode(path, self._mode, self._stroked)
        filling, stroked = bool(self._mode.value), bool(self._stroked.value)
        if not filling and not stroked:
            return  # only clips
        left, top, right, bottom = measure_object(path, matrix, self._frame)
        wide, high = right - left, bottom - top
        if max(wide, high) < SHORTEST and not stroked:
            return
        if min(wide, high) <= RULE_WIDTH:
            self._add(left, top, right, bottom)
            return
        count = pdfium_c.FPDFPath_CountSegments(path)
        if count > MAX_SEGMENTS:
            self.drawings.append((left, top, right, bottom))
        if not 2 <= count <= MAX_SEGMENTS or len(self.drawings) > MAX_LINES:
            return  # more than enough of a drawing
        color = read_fill_color(path) if filling and not stroked else None
        if color is None and not stroked:
            return
        own = compose_matrices(read_matrix(path), matrix)
        drawn = False
        for part, curved in iterate_subpaths(path, count):
            points = [self._place(point, own) for point in part]
            self._read_subpath(points, color)
            drawn = drawn or curved or is_oblique(points)
        if drawn and max(wide, high) >= LEAST_DRAWING:
            self.drawings.append((left, top, right, bottom))

    def _place(self, point: Point, matrix: Matrix) -> Point:
        x, y = point
        a, b, c, d, e, f = matrix
        return self._frame.point(a * x + c * y + e, b * x + d * y + f)

    def _read_subpath(self, points: list[Point], color: Color | None) -> None:
        """Take a rectangle, or its sides; of other strokes, the upright and level parts.

        Args:
            points: where the pen goes.
            color: of what is filled; None: it is stroked.
        """
        if len(points) < 2:
            return
        across, down = [x for x, _ in points], [y for _, y in points]
        left, top, right, bottom = min(across), min(down), max(across), max(down)
        if min(right - left, bottom - top) <= RULE_WIDTH:
            self._add(left, top, right, bottom)
        elif not is_rectangle(points, (left, top, right, bottom)):
            if color is None:
                for (x, y), (other_x, other_y) in pairwise(points):
                    if abs(x - other_x) < 0.5 or abs(y - other_y) < 0.5:
                        self._add(min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y))
        elif color is not None:
            wide, high = self._frame.width, self._frame.height
            paper = right - left > PAPER * wide and bottom - top > PAPER * high
            if not paper and right > 0 and bottom > 0 and left < wide and top < high:
                self.fills.append((color, (left, top, right, bottom)))
        else:
            for side in (
                (left, top, right, top),
                (left, bottom, right, bottom),
                (left, top, left, bottom),
                (right, top, right, bottom),
            ):
                self._add(*side)

    def _add(self, left: float, top: float, right: float, bottom: float) -> None:
        if right < 0 or bottom < 0 or left > self._frame.width or top > self._frame.height:
            return  # next to the page
        left, right = max(left, 0.0), min(right, self._frame.width)
        top, bottom = max(top, 0.0), min(bottom, self._frame.height)
        if right - left >= bottom - top:
            if right > left:
                self.horizontal.append(Edge((top + bottom) / 2, left, right))
        else:
            self.vertical.append(Edge((left + right) / 2, top, bottom))


def turn_edges(edges: Edges, turn: int, width: float, height: float) -> Edges:
    """The lines of a page as seen in the direction of reading of turned text; see `turn_box`."""
    if not turn:
        return edges
    boxes = [(edge.low, edge.at, edge.high, edge.at) for edge in edges.horizontal]
    boxes += [(edge.at, edge.low, edge.at, edge.high) for edge in edges.vertical]
    level, upright, fills, drawings = (
        [turn_box(box, turn, width, height) for box in some]
        for some in (boxes[: len(edges.horizontal)], boxes[len(edges.horizontal) :], edges.fills, edges.drawings)
    )
    if turn != 180:
        level, upright = upright, level
    return Edges(
        tuple(sorted(Edge(top, left, right) for left, top, right, _ in level)),
        tuple(sorted(Edge(left, top, bottom) for left, top, _, bottom in upright)),
        tuple(fills),
        tuple(drawings),
    )
