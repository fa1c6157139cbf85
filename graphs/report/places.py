"""Positions of a text's words in its document: on lines of pages, in cells of tables.

Offsets count characters of the text that they belong to. Boxes are shares of a page's width and height, measured from
the top left corner of the page as it is displayed, so they fit a picture of the page of any size.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from elcano.graphs.frozen import Frozen


class Box(NamedTuple):
    """A rectangle on a page."""

    left: float
    top: float
    right: float
    bottom: float


class Line(NamedTuple):
    """One printed line of a text; in a table, the part of a line that belongs to one cell."""

    start: int
    end: int
    page: int
    """Counted from 1."""
    box: Box
    edges: tuple[float, ...] = ()
    """Positions at which each word (`str.split`) of the line begins in reading direction: shares of the page's width,
    of its height for text that is turned by 90 or 270 degrees. Empty: unknown."""
    turn: int = 0
    """Degrees by which the text is turned clockwise on the displayed page: 0, 90, 180 or 270."""


class Cell(NamedTuple):
    """One cell of a table; empty cells have `start == end`."""

    start: int
    end: int
    row: int
    """Counted from 0."""
    column: int
    """Counted from 0."""
    rows: int = 1
    """Number of rows that it spans."""
    columns: int = 1
    """Number of columns that it spans."""
    head: bool = False
    """Whether it names what is below or next to it."""


class Places(Frozen):
    """Positions of a text; empty where its format has neither pages nor tables."""

    lines: tuple[Line, ...] = ()
    cells: tuple[Cell, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything of it is known."""
        return bool(self.lines or self.cells)

    def cut(self, start: int, end: int) -> "Places":
        """The places of the characters `start` to `end`, with the same offsets."""
        return Places(
            lines=tuple(line for line in self.lines if line.start < end and line.end > start),
            cells=tuple(cell for cell in self.cells if cell.start < end and cell.end > start),
        )


NOWHERE: Final = Places()
"""The places of a text whose format has neither pages nor tables."""


class Mark(NamedTuple):
    """A rectangle that marks words on a page."""

    page: int
    box: Box


def find_marks(text: str, places: Places, start: int, end: int) -> tuple[Mark, ...]:
    """The rectangles that cover the characters `start` to `end` of `text`, one for each line, in reading order."""
    return tuple(
        Mark(line.page, _cut_box(text, line, max(start, line.start), min(end, line.end)))
        for line in places.lines
        if line.start < end and line.end > start
    )


def _cut_box(text: str, line: Line, start: int, end: int) -> Box:
    """The part of a line's box that the words from `start` to `end` cover; whole words are marked."""
    words = list(_iterate_words(text, line.start, line.end))
    touched = [number for number, (begin, stop) in enumerate(words) if begin < end and stop > start]
    box = line.box
    if len(words) != len(line.edges) or not touched or len(words) == 1:
        return box
    upright = line.turn in (0, 180)
    low, high = (box.left, box.right) if upright else (box.top, box.bottom)
    last_edge = high if line.edges[-1] >= line.edges[0] else low
    edges = (*line.edges, last_edge)
    low, high = sorted((edges[touched[0]], edges[touched[-1] + 1]))
    return box._replace(left=low, right=high) if upright else box._replace(top=low, bottom=high)


def _iterate_words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for space, group in groupby(text[start:end], key=str.isspace):
        length = sum(1 for _ in group)
        if not space:
            yield at, at + length
        at += length


def group_marks_by_page(marks: Sequence[Mark]) -> dict[int, list[Box]]:
    """The boxes of marks by the number of their page, in order."""
    ordered = sorted(marks, key=attrgetter("page"))
    return {page: [mark.box for mark in found] for page, found in groupby(ordered, key=attrgetter("page"))}
