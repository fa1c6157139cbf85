"""The shapes of glyphs, compared with those of the fonts that PDFium brings along.

Times, Helvetica, Courier and Symbol are the references: a glyph of any text font resembles the same letter in one of
them, and a sign of mathematics the same sign in Symbol.
"""

import ctypes
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.plain_calls import (
    get_glyph_segment,
    get_segment_point,
    get_segment_type,
)

GRID: Final = 28
"""Rows and columns of the raster in which shapes are compared, each in its own box."""
SUBROWS: Final = 2
"""Lines examined per row: a bar may be thinner than a row."""
MOST_SEGMENTS: Final = 400
"""Outlines of more segments are drawings: letters have 10 to 80."""
LARGEST: Final = 20.0
"""Coordinates beyond this, in sizes of the type, are none of a letter."""
THINNEST: Final = 0.02
"""A box that is thinner than this, in sizes, is taken to be so thick: a rule has no height."""
SLANT: Final = 0.21
"""Slant of italic type, as a share of its height."""

_TEXT_FONTS: Final = (
    "Times-Roman",
    "Times-Italic",
    "Times-Bold",
    "Times-BoldItalic",
    "Helvetica",
    "Helvetica-Bold",
    "Helvetica-Oblique",
    "Helvetica-BoldOblique",
    "Courier",
)
_SYMBOL: Final = "Symbol"
_SIGNS: Final = (
    "<>=+\u00b1\u00d7\u00f7\u2212\u223c\u2248\u2260\u2264\u2265\u00b0\u00b7\u2022\u221e\u2192\u2032\u2033*\u00b5\u00a9"
    "\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9\u03ba\u03bb\u03bd\u03be\u03c0\u03c1\u03c3\u03c2\u03c4\u03c5\u03c6\u03c7\u03c8\u03c9"
    "\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9"
)
"""Characters of symbol fonts: mathematical signs, and Greek except for capitals that look like Latin ones."""
_SIGN_FONTS: Final = ("Times-Roman", "Helvetica", _SYMBOL)
_IN_SYMBOL: Final = {"\u0394": "\u2206", "\u03a9": "\u2126", "\u00b7": "\u22c5", "*": "\u2217", "\u03bc": "\u00b5"}
"""Symbol's codes of characters that Unicode has twice."""
_ALIKE: Final = {"1": "1lI|", "0": "0Oo", "\u2212": "\u2212\u2013-", "-": "-\u2013\u2212"}
"""Characters that some fonts draw as others."""

Point = tuple[float, float]


class Shape(NamedTuple):
    """A glyph: which cells of its box it covers, and where this box is, in sizes of its type."""

    cells: int
    """A bit for each, row by row."""
    left: float
    bottom: float
    right: float
    top: float

    def compare(self, other: "Shape") -> float:
        """Return its similarity to another one: 1 is the same, less than .4 another letter."""
        common = (self.cells & other.cells).bit_count() / ((self.cells | other.cells).bit_count() or 1)
        wide, high = max(self.right - self.left, THINNEST), max(self.top - self.bottom, THINNEST)
        other_wide, other_high = max(other.right - other.left, THINNEST), max(other.top - other.bottom, THINNEST)
        stretched = abs(math.log(wide / high * other_high / other_wide))
        raised = abs(self.bottom + self.top - other.bottom - other.top) / 2
        enlarged = abs(math.log(max(wide, high) / max(other_wide, other_high)))
        return common - 0.25 * max(0, stretched - 0.2) - 0.8 * max(0, raised - 0.08) - 0.2 * max(0, enlarged - 0.3)


Outline = tuple[tuple[Point, ...], ...]
"""The closed parts of a glyph."""


def read_outline(font: pdfium_c.FPDF_FONT, code: int) -> Outline | None:
    """The outline of the glyph by which a font draws a character; None: it has none, or one that is no letter's."""
    path = pdfium_c.FPDFFont_GetGlyphPath(font, code, 1.0)
    count = pdfium_c.FPDFGlyphPath_CountGlyphSegments(path) if path else 0
    if not 2 < count <= MOST_SEGMENTS:
        return None
    handle = ctypes.cast(path, ctypes.c_void_p).value
    point = (ctypes.c_float * 2)()
    to = ctypes.addressof(point)
    parts: list[list[Point]] = []
    curve: list[Point] = []
    for index in range(count):
        segment = get_glyph_segment(handle, index)
        kind = get_segment_type(segment)
        get_segment_point(segment, to, to + 4)
        place = (point[0], point[1])
        if not (abs(place[0]) < LARGEST and abs(place[1]) < LARGEST):
            return None
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO or not parts:
            parts.append([place])
            curve = []
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO:
            parts[-1].append(place)
        else:
            curve.append(place)
            if len(curve) == 3:
                parts[-1] += _flatten_curve(parts[-1][-1], curve)
                curve = []
    return tuple(tuple(part) for part in parts if len(part) > 2)


def _flatten_curve(start: Point, ends: Sequence[Point]) -> Iterator[Point]:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = start, *ends
    for t in (0.25, 0.5, 0.75, 1.0):
        u = 1 - t
        a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def measure_shape(outline: Outline) -> Shape | None:
    """The shape of an outline; None: it is empty."""
    points = list(chain.from_iterable(outline))
    if not points:
        return None
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    bottom, top = min(y for _, y in points), max(y for _, y in points)
    wide, high = max(right - left, 1e-3), max(top - bottom, 1e-3)
    cells = 0
    for line, crossings in enumerate(_find_crossings(outline, bottom, high)):
        crossings.sort()
        winding = 0
        for (start, turn), (end, _) in pairwise(crossings):
            winding += turn
            if winding:
                first = max(0, math.floor((start - left) / wide * GRID))
                last = min(GRID, math.ceil((end - left) / wide * GRID))
                cells |= ((1 << last) - (1 << first)) << (line // SUBROWS * GRID)
    return Shape(cells, left, bottom, right, top)


def _find_crossings(outline: Outline, bottom: float, high: float) -> list[list[tuple[float, int]]]:
    """Find where an outline crosses each level line, from the bottom, and whether upwards (1) or downwards (-1)."""
    count = GRID * SUBROWS
    crossings: list[list[tuple[float, int]]] = [[] for _ in range(count)]
    step = high / count
    for part in outline:
        for (x, y), (other_x, other_y) in pairwise((*part, part[0])):
            lower, upper = (y, other_y) if y < other_y else (other_y, y)
            first, end = (max(math.ceil((edge - bottom) / step - 0.5), 0) for edge in (lower, upper))
            for line in range(first, min(end, count)):
                at = x + (bottom + (line + 0.5) * step - y) * (other_x - x) / (other_y - y)
                crossings[line].append((at, 1 if other_y > y else -1))
    return crossings


@lru_cache(1)
def _load_fonts() -> dict[str, pdfium_c.FPDF_FONT]:
    document = pdfium_c.FPDF_CreateNewDocument()  # never closed: its fonts serve all documents
    return {name: pdfium_c.FPDFText_LoadStandardFont(document, name.encode()) for name in (*_TEXT_FONTS, _SYMBOL)}


@lru_cache(2_000)
def _load_reference(name: str, char: str, slanted: bool = False) -> Shape | None:
    outline = read_outline(_load_fonts()[name], ord(_IN_SYMBOL.get(char, char) if name == _SYMBOL else char))
    if outline and slanted:
        outline = tuple(tuple((x + SLANT * y, y) for x, y in part) for part in outline)
    return measure_shape(outline) if outline else None


def resemble(shape: Shape, char: str) -> float | None:
    """Return how well a shape resembles a character, capital or not; None: no reference has it."""
    wanted = {char, char.upper(), *_ALIKE.get(char, "")}
    references = [
        reference
        for one in wanted
        if len(one) == 1
        for name in (*_TEXT_FONTS, _SYMBOL)
        if name != _SYMBOL or not one.isascii() or not one.isalpha()
        if (reference := _load_reference(name, one)) is not None
    ]
    return max((shape.compare(reference) for reference in references), default=None)


def find_sign(shape: Shape) -> tuple[str, float, float]:
    """The sign or Greek letter that a shape resembles most, how well, and how well it resembles the next one."""
    found = sorted((_resemble_sign(shape, sign), sign) for sign in _SIGNS)
    (next_best, _), (best, sign) = found[-2:]
    return sign, best, next_best


def _resemble_sign(shape: Shape, sign: str) -> float:
    references = [_load_reference(name, sign, slanted) for name in _SIGN_FONTS for slanted in (False, True)]
    return max((shape.compare(reference) for reference in references if reference is not None), default=0.0)
