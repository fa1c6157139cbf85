"""Grids of ruling lines: where lines connect, and which cells they bound.

Lines that cross or touch belong to one grid. Their places are the bounds of its columns and rows; where no line stands
between two cells of that lattice, they are one cell.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elcano.plugins.documents.pdf.edges import Edge, Edges
from elcano.plugins.documents.pdf.tables import Rectangle

TOUCH: Final = 3.0
"""Lines whose ends miss each other by not more than this, in points, touch."""
THINNEST: Final = 4.0
"""Bounds nearer to one another than this are one: no type fits between them."""
COVERED: Final = 0.6
"""A line that covers this share of the side between two cells parts them."""
MAX_LATTICE: Final = 60_000
"""Cells of a lattice that are looked at; 200 rows of 300 columns."""


class Area(NamedTuple):
    """A cell of a grid, in places of its lattice: rows and columns from 0, ends excluded."""

    top: int
    left: int
    bottom: int
    right: int


class Grid(NamedTuple):
    """Cells bounded by lines."""

    across: tuple[float, ...]
    """The bounds of its columns."""
    down: tuple[float, ...]
    """The bounds of its rows."""
    areas: tuple[Area, ...]
    horizontal: tuple[Edge, ...]
    vertical: tuple[Edge, ...]

    @property
    def box(self) -> Rectangle:
        """What it covers."""
        return self.across[0], self.down[0], self.across[-1], self.down[-1]


def find_grids(edges: Edges) -> list[Grid]:
    """The grids of a page that have more than one cell, the larger ones first.

    Backgrounds make grids only where lines make none: within ruled cells they are painted line by line, or with a
    margin.
    """
    found = _build_grids(edges)
    fills = tuple(fill for fill in edges.fills if not any(_holds(grid.box, fill) for grid in found))
    if fills:
        outlined = _build_grids(edges._replace(fills=fills).outline_fills())
        found += [grid for grid in outlined if not any(_holds(other.box, grid.box) for other in found)]
    return sorted(found, key=lambda grid: -_measure(grid.box))


def _build_grids(edges: Edges) -> list[Grid]:
    grids = [_build_grid(horizontal, vertical) for horizontal, vertical in _connect(edges)]
    return [grid for grid in grids if grid and len(grid.areas) > 1]


def _holds(box: Rectangle, other: Rectangle) -> bool:
    """Whether a box holds at least half of another one."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    return wide > 0 and high > 0 and wide * high >= 0.5 * _measure(other)


def _measure(box: Rectangle) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _connect(edges: Edges) -> Iterator[tuple[list[Edge], list[Edge]]]:
    """The lines that touch each other, directly or by others."""
    horizontal, vertical = edges.horizontal, edges.vertical
    parents = list(range(len(horizontal) + len(vertical)))

    def find(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    places = [edge.at for edge in vertical]
    for number, level in enumerate(horizontal):
        first = bisect_left(places, level.low - TOUCH)
        last = bisect_right(places, level.high + TOUCH)
        for other in range(first, last):
            upright = vertical[other]
            if upright.low - TOUCH <= level.at <= upright.high + TOUCH:
                parents[find(len(horizontal) + other)] = find(number)
    groups: dict[int, tuple[list[Edge], list[Edge]]] = {}
    for number in range(len(parents)):
        group = groups.setdefault(find(number), ([], []))
        if number < len(horizontal):
            group[0].append(horizontal[number])
        else:
            group[1].append(vertical[number - len(horizontal)])
    for group in groups.values():
        if group[0] and group[1] and len(group[0]) + len(group[1]) >= 3:
            yield group


def _build_grid(horizontal: Sequence[Edge], vertical: Sequence[Edge]) -> Grid | None:
    """The cells between connected lines; the ends of lines close a table that is open at its sides."""
    ends_across = [end for edge in horizontal for end in (edge.low, edge.high)]
    ends_down = [end for edge in vertical for end in (edge.low, edge.high)]
    across = _find_bounds([edge.at for edge in vertical], ends_across)
    down = _find_bounds([edge.at for edge in horizontal], ends_down)
    if len(across) < 2 or len(down) < 2 or (len(across) - 1) * (len(down) - 1) > MAX_LATTICE:
        return None
    return Grid(
        tuple(across),
        tuple(down),
        tuple(_find_areas(across, down, horizontal, vertical)),
        tuple(horizontal),
        tuple(vertical),
    )


def _find_bounds(places: Sequence[float], ends: Sequence[float]) -> list[float]:
    bounds: list[float] = []
    for place in sorted(places):
        if not bounds or place - bounds[-1] > THINNEST:
            bounds.append(place)
    low, high = min(ends), max(ends)
    if low < bounds[0] - THINNEST:
        bounds.insert(0, low)
    if high > bounds[-1] + THINNEST:
        bounds.append(high)
    return bounds


def _find_areas(
    across: Sequence[float], down: Sequence[float], horizontal: Sequence[Edge], vertical: Sequence[Edge]
) -> list[Area]:
    columns, rows = len(across) - 1, len(down) - 1
    right_walls = _find_walls(across, down, vertical)
    lower_walls = _find_walls(down, across, horizontal)
    names = [[row * columns + column for column in range(columns)] for row in range(rows)]
    parents = list(range(rows * columns))

    def find(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for row in range(rows):
        for column in range(columns):
            if column + 1 < columns and (column + 1, row) not in right_walls:
                parents[find(names[row][column + 1])] = find(names[row][column])
            if row + 1 < rows and (row + 1, column) not in lower_walls:
                parents[find(names[row + 1][column])] = find(names[row][column])
    groups: dict[int, list[tuple[int, int]]] = {}
    for row in range(rows):
        for column in range(columns):
            groups.setdefault(find(names[row][column]), []).append((row, column))
    areas: list[Area] = []
    for members in groups.values():
        areas.extend(_split_rectangles(members))
    return sorted(areas)


def _find_walls(places: Sequence[float], along: Sequence[float], edges: Sequence[Edge]) -> set[tuple[int, int]]:
    """The sides that lines cover: the number of the bound, and of the interval along it."""
    covered: dict[tuple[int, int], float] = {}
    for edge in edges:
        bound = bisect_left(places, edge.at - THINNEST)
        if bound == len(places) or abs(places[bound] - edge.at) > THINNEST:
            continue
        if bound + 1 < len(places) and abs(places[bound + 1] - edge.at) < abs(places[bound] - edge.at):
            bound += 1
        first = max(bisect_right(along, edge.low) - 1, 0)
        for interval in range(first, len(along) - 1):
            low, high = along[interval], along[interval + 1]
            if low >= edge.high:
                break
            part = (min(high, edge.high) - max(low, edge.low)) / (high - low)
            covered[bound, interval] = covered.get((bound, interval), 0.0) + part
    return {place for place, share in covered.items() if share >= COVERED}


def _split_rectangles(members: Sequence[tuple[int, int]]) -> Iterator[Area]:
    """The rectangle that cells make together, or, where they make none, one for each of their rows."""
    top, bottom = members[0][0], members[-1][0] + 1
    left = min(column for _, column in members)
    right = max(column for _, column in members) + 1
    if len(members) == (bottom - top) * (right - left):
        yield Area(top, left, bottom, right)
        return
    start = members[0]
    for before, after in pairwise([*members, (-1, -1)]):
        if after != (before[0], before[1] + 1):
            yield Area(start[0], start[1], before[0] + 1, before[1] + 1)
            start = after
