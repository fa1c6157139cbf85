"""Grids of ruling lines: where lines connect, and which cells they bound.

Lines that cross or touch belong to one grid. Their places are the bounds of its columns and rows; where no line stands
between two cells of that lattice, they are one cell.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elcano.subjects.documents.pdf.edges import Edge, Edges
from elcano.subjects.documents.pdf.frames import Rectangle
from elcano.subjects.documents.pdf.tables import Token

TOUCH: Final = 3.0
"""Lines whose ends miss each other by not more than this, in points, touch."""
THINNEST: Final = 4.0
"""Bounds nearer to one another than this are one: no type fits between them."""
MARGIN: Final = 11.0
"""A strip narrower than this, in points, with no word in it lies between a border and the background within it."""
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
        """Return its bounds."""
        return self.across[0], self.down[0], self.across[-1], self.down[-1]


def find_grids(edges: Edges, tokens: Sequence[Token]) -> list[Grid]:
    """The grids of a page that have more than one cell, the larger ones first.

    Args:
        edges: the lines and backgrounds of the page.
        tokens: its words: a strip between two lines with none in it is a margin between a border and a background.
    """
    grids = _build_grids(edges, tokens)
    fills = tuple(fill for fill in edges.fills if not _is_backdrop(fill, grids, tokens))
    if fills:
        grids = _build_grids(edges._replace(fills=fills).outline_fills(), tokens)
    return sorted(grids, key=lambda grid: -_measure(grid.box))


def _build_grids(edges: Edges, tokens: Sequence[Token]) -> list[Grid]:
    grids = [_build_grid(horizontal, vertical, tokens) for horizontal, vertical in _connect(edges)]
    return [grid for grid in grids if grid and len(grid.areas) > 1]


def _is_backdrop(fill: Rectangle, grids: Sequence[Grid], tokens: Sequence[Token]) -> bool:
    """Whether a background lies behind cells that lines bound, and parts none of them."""
    left, top, right, bottom = fill
    for grid in grids:
        if not _holds(grid.box, fill):
            continue
        touched = [
            (grid.across[area.left], grid.down[area.top], grid.across[area.right], grid.down[area.bottom])
            for area in grid.areas
            if grid.across[area.left] < right - TOUCH
            and grid.across[area.right] > left + TOUCH
            and grid.down[area.top] < bottom - TOUCH
            and grid.down[area.bottom] > top + TOUCH
        ]
        inside = [_is_in(token, fill) for token in tokens if any(_is_in(token, box) for box in touched)]
        return all(inside) or not any(inside)
    return False


def _is_in(token: Token, box: Rectangle) -> bool:
    return box[0] <= (token.left + token.right) / 2 <= box[2] and box[1] <= token.base - 0.3 * token.size <= box[3]


def _holds(box: Rectangle, other: Rectangle) -> bool:
    """Whether a box holds most of another one."""
    wide = min(box[2], other[2]) - max(box[0], other[0])
    high = min(box[3], other[3]) - max(box[1], other[1])
    return wide > 0 and high > 0 and wide * high >= 0.8 * _measure(other)


def _measure(box: Rectangle) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


class _Sets:
    """Numbers that are joined to sets."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def find(self, number: int) -> int:
        """The number that names the set of `number`."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Make the sets of two numbers one."""
        self._parents[self.find(other)] = self.find(one)


def _connect(edges: Edges) -> Iterator[tuple[list[Edge], list[Edge]]]:
    """The lines that touch each other, directly or by others."""
    horizontal, vertical = edges.horizontal, edges.vertical
    sets = _Sets(len(horizontal) + len(vertical))
    places = [edge.at for edge in vertical]
    for number, level in enumerate(horizontal):
        first = bisect_left(places, level.low - TOUCH)
        last = bisect_right(places, level.high + TOUCH)
        for other in range(first, last):
            upright = vertical[other]
            if upright.low - TOUCH <= level.at <= upright.high + TOUCH:
                sets.join(number, len(horizontal) + other)
    groups: dict[int, tuple[list[Edge], list[Edge]]] = {}
    for number, edge in enumerate(horizontal + vertical):
        group = groups.setdefault(sets.find(number), ([], []))
        group[number >= len(horizontal)].append(edge)
    for group in groups.values():
        if group[0] and group[1] and len(group[0]) + len(group[1]) >= 3:
            yield group


Bound = tuple[float, float]
"""Start and end of a bound: some are double lines, or a line and the background next to it."""


def _build_grid(horizontal: Sequence[Edge], vertical: Sequence[Edge], tokens: Sequence[Token]) -> Grid | None:
    """The cells between connected lines; the ends of lines close a table that is open at its sides."""
    ends_across = [end for edge in horizontal for end in (edge.low, edge.high)]
    ends_down = [end for edge in vertical for end in (edge.low, edge.high)]
    left, right = min(ends_across), max(ends_across)
    top, bottom = min(ends_down), max(ends_down)
    inside = [
        token
        for token in tokens
        if left <= (token.left + token.right) / 2 <= right and top <= token.base - 0.3 * token.size <= bottom
    ]
    if not inside:
        return None
    across = _find_bounds(
        [edge.at for edge in vertical], (left, right), [(token.left + token.right) / 2 for token in inside]
    )
    down = _find_bounds(
        [edge.at for edge in horizontal], (top, bottom), [token.base - 0.3 * token.size for token in inside]
    )
    if len(across) < 2 or len(down) < 2 or (len(across) - 1) * (len(down) - 1) > MAX_LATTICE:
        return None
    return Grid(
        tuple((low + high) / 2 for low, high in across),
        tuple((low + high) / 2 for low, high in down),
        tuple(_find_areas(across, down, horizontal, vertical)),
        tuple(horizontal),
        tuple(vertical),
    )


def _find_bounds(places: Sequence[float], ends: tuple[float, float], printed: Sequence[float]) -> list[Bound]:
    """The bounds of rows or columns: strips that are too narrow for type, or narrow and empty, are none."""
    bounds: list[Bound] = []
    ordered = sorted(printed)
    for place in sorted([*places, *ends]):
        if bounds:
            width = place - bounds[-1][1]
            if width <= THINNEST or (
                width <= MARGIN and bisect_left(ordered, place) == bisect_right(ordered, bounds[-1][1])
            ):
                bounds[-1] = (bounds[-1][0], place)
                continue
        bounds.append((place, place))
    return bounds


def _find_areas(
    across: Sequence[Bound], down: Sequence[Bound], horizontal: Sequence[Edge], vertical: Sequence[Edge]
) -> list[Area]:
    columns, rows = len(across) - 1, len(down) - 1
    right_walls = _find_walls(across, down, vertical)
    lower_walls = _find_walls(down, across, horizontal)
    sets = _Sets(rows * columns)
    for row in range(rows):
        for column in range(columns):
            number = row * columns + column
            if column + 1 < columns and (column + 1, row) not in right_walls:
                sets.join(number, number + 1)
            if row + 1 < rows and (row + 1, column) not in lower_walls:
                sets.join(number, number + columns)
    groups: dict[int, list[tuple[int, int]]] = {}
    for number in range(rows * columns):
        groups.setdefault(sets.find(number), []).append(divmod(number, columns))
    areas: list[Area] = []
    for members in groups.values():
        areas.extend(_split_rectangles(members))
    return sorted(areas)


def _find_walls(places: Sequence[Bound], along: Sequence[Bound], edges: Sequence[Edge]) -> set[tuple[int, int]]:
    """The sides that lines cover: the number of the bound, and of the interval along it."""
    covered: dict[tuple[int, int], float] = {}
    starts = [low for low, _ in places]
    lows = [high for _, high in along]
    for edge in edges:
        bound = bisect_right(starts, edge.at + 0.01) - 1
        for interval in range(max(bisect_right(lows, edge.low) - 1, 0), len(along) - 1):
            low, high = along[interval][1], along[interval + 1][0]
            if low >= edge.high:
                break
            part = (min(high, edge.high) - max(low, edge.low)) / max(high - low, 0.01)
            covered[bound, interval] = covered.get((bound, interval), 0.0) + max(part, 0.0)
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
