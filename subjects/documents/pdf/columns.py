"""The reading order of segments: columns next to one another, parted by gutters, in bands that wide segments part.

A gutter is a place at which many segments begin, and which few cross. What crosses it, such as a title above two
columns, ends a band; columns of a band are read one after the other. Columns may have gutters of their own. What has
none is read row by row: so are tables, of which both sides have the same base lines and are not full.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from elcano.subjects.documents.pdf.segments import Segment, group_rows

FULL: Final = 0.6
"""Share of a column's width that most of its rows fill if it is prose."""
VERY_FULL: Final = 0.78
"""The same where both sides have the same base lines, as in a table."""
NARROW: Final = 7
"""Prose is wider than so many times its size."""
LONG: Final = 12
"""Rows so many sizes long are prose, though they do not fill their column: they are lists, or two columns again."""
TABLE: Final = 0.9
"""Share of rows on common base lines from which two sides may be cells of a table."""
LEAST_ROWS: Final = 3
"""Minimum rows that show that two sides are columns."""
ALIGNED: Final = 0.6
"""Share of a side's rows that share base lines with the other side, and are not full, from which they are a table's."""
OVERHANG: Final = 1.5
"""By how many times its size a segment may reach over a gutter without crossing it."""
CANDIDATES: Final = 12
"""Maximum gutter candidates; a page of text has one or two."""
DEPTH: Final = 6
"""Maximum depth of columns within columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """Segments that are read row by row."""

    left: float
    right: float
    segments: list[Segment]


def find_columns(segments: Sequence[Segment], *, right_to_left: bool = False) -> list[Column]:
    """The columns of a page in reading order."""
    return [_column(group) for group in _order(list(segments), right_to_left, DEPTH)]


def _column(segments: list[Segment]) -> Column:
    return Column(min(one.left for one in segments), max(one.right for one in segments), segments)


def _order(segments: list[Segment], right_to_left: bool, depth: int) -> list[list[Segment]]:
    if not segments:
        return []
    gutter = _find_gutter(segments) if depth and len(segments) >= 2 * LEAST_ROWS else None
    if gutter is None:
        return [segments]
    ordered: list[list[Segment]] = []
    waiting: list[Segment] = []  # crossing segments, and bands that are no columns
    bands = _split_bands(segments, gutter)
    widths = _measure_columns(bands, gutter)
    for band in bands:
        if band.crossing or not (band.are_columns(gutter) or _continue_columns(band, widths)):
            waiting += band.all
            continue
        ordered += _order(waiting, right_to_left, depth - 1)
        waiting = []
        sides = (band.right, band.left) if right_to_left else (band.left, band.right)
        for side in sides:
            ordered += _order(side, right_to_left, depth - 1)
    return ordered + _order(waiting, right_to_left, depth - 1)


@dataclass(slots=True)
class _Band:
    """Region between two crossing segments: a left and a right side, or a crossing segment alone."""

    left: list[Segment]
    right: list[Segment]
    crossing: list[Segment]
    _are_columns: bool | None = None

    def are_columns(self, gutter: float) -> bool:
        """Whether its sides, between which this gutter is, are columns by themselves."""
        if self._are_columns is None:
            self._are_columns = _are_columns(self, gutter)
        return self._are_columns

    @property
    def all(self) -> list[Segment]:
        return self.left + self.right + self.crossing


def _crosses(segment: Segment, gutter: float) -> bool:
    over = OVERHANG * segment.size
    return segment.left < gutter - over and segment.right > gutter + over


def _split_bands(segments: Sequence[Segment], gutter: float) -> list[_Band]:
    bands: list[_Band] = []
    current = _Band([], [], [])
    rows = group_rows(segments, 0.35)
    crossing = {id(one) for row in rows if any(_crosses(other, gutter) for other in row) for one in row}
    for segment in (one for row in rows for one in row):
        if id(segment) in crossing:
            if current.left or current.right:
                bands.append(current)
                current = _Band([], [], [])
            if bands and bands[-1].crossing:
                bands[-1].crossing.append(segment)
            else:
                bands.append(_Band([], [], [segment]))
        elif (segment.left + segment.right) / 2 < gutter:
            current.left.append(segment)
        else:
            current.right.append(segment)
    if current.left or current.right:
        bands.append(current)
    return bands


def _find_gutter(segments: Sequence[Segment], *, nested: bool = True) -> float | None:
    """Find the start of the right one of two columns; None: there are no columns."""
    starts = Counter(round(one.left / 2) for one in segments)
    counted = {place: count + starts[place - 1] + starts[place + 1] for place, count in starts.items()}
    lowest = min(one.left for one in segments) / 2
    best, most = None, 0.0
    places = [place for place, count in counted.items() if count >= LEAST_ROWS and place > lowest + 8]
    for place in sorted(places, key=lambda place: -counted[place])[:CANDIDATES]:
        gutter = min(one.left for one in segments if abs(one.left / 2 - place) <= 1.5) - 0.5
        score = sum(
            min(_area(band.left), _area(band.right))
            for band in _split_bands(segments, gutter)
            if _are_columns(band, gutter, nested=nested)
        )
        if score > 1.02 * most:
            best, most = gutter, score
    return best


def _area(segments: Sequence[Segment]) -> float:
    return sum(one.width * one.size for one in segments)


def _are_columns(band: _Band, gutter: float, *, nested: bool = True) -> bool:
    """Whether the sides of a band are columns by themselves; `nested`: or one of them is several columns."""
    if band.crossing or not band.left or not band.right:
        return False
    left, right = _Side(band.left), _Side(band.right)
    if min(len(left.rows), len(right.rows)) < LEAST_ROWS or min(left.bottom, right.bottom) < max(left.top, right.top):
        return False
    edge = sorted(one.right for one in band.left)[-max(1, len(band.left) // 4)]
    size = min(one.size for one in band.left)
    if gutter - edge < 0.4 * size:
        return False
    aligned = _share_aligned(left, right)
    prose = [side.is_prose(aligned) for side in (left, right)]
    if all(prose) or (any(prose) and aligned < ALIGNED):
        return True
    return any(prose) and nested and _find_gutter(band.right if prose[0] else band.left, nested=False) is not None


def _measure_columns(bands: Sequence[_Band], gutter: float) -> tuple[float, float]:
    """The widths of the columns on both sides of a gutter."""
    good = [band for band in bands if not band.crossing and band.are_columns(gutter)]
    left = min((one.left for band in good for one in band.left), default=gutter)
    right = max((one.right for band in good for one in band.right), default=gutter)
    return gutter - left, right - gutter


def _continue_columns(band: _Band, widths: tuple[float, float]) -> bool:
    """Whether a band of few rows is part of columns that are known: its rows are as wide as theirs."""
    sides = [(_Side(side), width) for side, width in zip((band.left, band.right), widths, strict=True) if side]
    return all(max(side.widths) >= 0.5 * width for side, width in sides) or len(sides) == 1


class _Side:
    """One side of a gutter in one band."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.rows = group_rows(segments, 0.35)
        few = len(segments) // 10  # a head and a foot, or lines that protrude
        left, right = sorted(one.left for one in segments)[few], sorted(one.right for one in segments)[-1 - few]
        self.top, self.bottom = min(one.top for one in segments), max(one.bottom for one in segments)
        self.right, self.size = right, median(one.size for one in segments)
        self.widths = [
            max(one.width for one in row) if len(row) > 2 else sum(one.width for one in row) for row in self.rows
        ]
        self.usual = _find_usual(self.widths)
        self.full = self.usual / max(right - left, 1.0)

    def is_prose(self, aligned: float) -> bool:
        """Whether its rows are lines of prose; `aligned`: the share of them that are next to the other side's."""
        if self.usual < NARROW * self.size:
            return False
        needed = FULL if aligned < ALIGNED else VERY_FULL
        return self.full >= needed or (aligned < TABLE and self.usual >= LONG * self.size)


def _find_usual(widths: Sequence[float]) -> float:
    """The width above and below which rows hold as much text: labels of a chart are many, and short."""
    left = sum(widths) / 2
    for width in sorted(widths):
        left -= width
        if left <= 0:
            break
    return width


def _share_aligned(one: _Side, other: _Side) -> float:
    """The share of the rows of the shorter side that have a row on the same base line next to them."""
    few, many = sorted((one, other), key=lambda side: len(side.rows))
    bases = [row[0].base for row in many.rows]
    return sum(any(abs(row[0].base - base) <= 0.15 * row[0].size for base in bases) for row in few.rows) / len(few.rows)
