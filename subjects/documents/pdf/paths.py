"""Paths of a page of a PDF: their matrices, colours and parts."""

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.plain_calls import (
    address_of,
    closes_path,
    get_path_segment,
    get_segment_point,
    get_segment_type,
)

WHITE: Final = 250
"""A filling whose channels are all at least this bright is paper, not the background of a cell."""

Color = tuple[int, int, int]
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Final[Matrix] = (1, 0, 0, 1, 0, 0)


def compose_matrices(first: Matrix, second: Matrix) -> Matrix:
    """The matrix that applies `first`, then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def read_matrix(thing: pdfium_c.FPDF_PAGEOBJECT) -> Matrix:
    """The matrix of an object; of one that has none, the one that changes nothing."""
    matrix = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(thing, ctypes.byref(matrix)):
        return IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


Point = tuple[float, float]


def read_fill_color(path: pdfium_c.FPDF_PAGEOBJECT) -> Color | None:
    """The colour that a path is filled with; None: like paper."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetFillColor(path, red, green, blue, alpha):
        return (0, 0, 0)  # a pattern
    if not alpha.value or min(red.value, green.value, blue.value) >= WHITE:
        return None
    return red.value, green.value, blue.value


def iterate_subpaths(path: pdfium_c.FPDF_PAGEOBJECT, count: int) -> Iterator[tuple[list[Point], bool]]:
    """The points of each part of a path that is drawn without lifting the pen, and whether a curve ends it."""
    points: list[Point] = []
    handle = address_of(path)
    point = (ctypes.c_float * 2)()
    to = ctypes.addressof(point)
    for index in range(count):
        segment = get_path_segment(handle, index)
        kind = get_segment_type(segment)
        get_segment_point(segment, to, to + 4)
        if kind != pdfium_c.FPDF_SEGMENT_LINETO:
            if points:
                yield points, kind == pdfium_c.FPDF_SEGMENT_BEZIERTO
            points = []
        points.append((point[0], point[1]))
        if closes_path(segment):
            points.append(points[0])
    if points:
        yield points, False


def is_oblique(points: list[Point]) -> bool:
    """Whether any part of a path is neither upright nor level."""
    return any(min(abs(x - other_x), abs(y - other_y)) > 2 for (x, y), (other_x, other_y) in pairwise(points))


def is_rectangle(points: list[Point], box: tuple[float, float, float, float]) -> bool:
    """Whether the points are corners of their box, all four of them."""
    if not 4 <= len(points) <= 6:
        return False
    left, top, right, bottom = box
    corners = set()
    for x, y in points:
        if min(x - left, right - x) > 0.5 or min(y - top, bottom - y) > 0.5:
            return False
        corners.add((x - left < right - x, y - top < bottom - y))
    return len(corners) == 4
