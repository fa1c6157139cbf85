"""The objects of a page of a PDF, those of its forms too: its texts, its images, and what of these is apart."""

import contextlib
import ctypes
import itertools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.frames import Frame, Rectangle
from elcano.subjects.documents.pdf.paths import IDENTITY, Matrix, compose_matrices, read_matrix
from elcano.subjects.documents.pdf.words import Word

MAXIMUM_DEPTH: Final = 12
"""Maximum nesting of forms that are followed; PDFium itself stops drawing at 12 levels."""


class TextObject(NamedTuple):
    """A text of a page."""

    handle: pdfium_c.FPDF_PAGEOBJECT
    matrix: Matrix
    """What the forms around it do to its places."""


Image: TypeAlias = tuple[pdfium_c.FPDF_PAGEOBJECT, Rectangle]
"""An image, and where it is."""


def list_objects(page: pdfium.PdfPage, frame: Frame) -> tuple[list[TextObject], list[Image]]:
    """The text objects and the images of a page."""
    texts: list[TextObject] = []
    images: list[Image] = []
    for handle, kind, matrix in iterate_objects(page.raw):
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            texts.append(TextObject(handle, matrix))
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            images.append((handle, measure_object(handle, matrix, frame)))
    return texts, images


def holds_more(page: pdfium.PdfPage, count: int) -> bool:
    """Whether a page, with the forms on it, holds more objects than this."""
    return next(itertools.islice(iterate_objects(page.raw), count, None), None) is not None


def iterate_objects(page: pdfium_c.FPDF_PAGE) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, int, Matrix]]:
    """The objects of a page and of its forms, their kinds, and the matrix of the forms around them."""
    waiting: list[tuple[pdfium_c.FPDF_PAGEOBJECT | None, Matrix, int]] = [(None, IDENTITY, 0)]
    while waiting:
        form, matrix, depth = waiting.pop()
        count = pdfium_c.FPDFPage_CountObjects(page) if form is None else pdfium_c.FPDFFormObj_CountObjects(form)
        for index in range(count):
            thing = (
                pdfium_c.FPDFPage_GetObject(page, index)
                if form is None
                else pdfium_c.FPDFFormObj_GetObject(form, index)
            )
            kind = pdfium_c.FPDFPageObj_GetType(thing)
            if kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < MAXIMUM_DEPTH:
                waiting.append((thing, compose_matrices(read_matrix(thing), matrix), depth + 1))
            else:
                yield thing, kind, matrix


@contextlib.contextmanager
def switched_off(things: Sequence[pdfium_c.FPDF_PAGEOBJECT]) -> Iterator[None]:
    """Leave objects out of what is drawn meanwhile."""
    for thing in things:
        pdfium_c.FPDFPageObj_SetIsActive(thing, False)
    try:
        yield
    finally:
        for thing in things:
            pdfium_c.FPDFPageObj_SetIsActive(thing, True)


_RASTER: Final = 256
"""Rows and columns of the raster in which places of words and images are compared: a page has thousands of both."""


def find_untouched(images: Sequence[Image], words: Sequence[Word], frame: Frame) -> list[pdfium_c.FPDF_PAGEOBJECT]:
    """The images that are apart from all words."""
    if not images:
        return []
    covered = [0] * _RASTER  # a bit for each column of a row
    for word in words:
        rows, columns = _find_cells((word.left, word.top, word.right, word.bottom), frame)
        for row in rows:
            covered[row] |= columns
    found: list[pdfium_c.FPDF_PAGEOBJECT] = []
    for handle, place in images:
        rows, columns = _find_cells(place, frame)
        if not any(covered[row] & columns for row in rows):
            found.append(handle)
    return found


def _find_cells(place: Rectangle, frame: Frame) -> tuple[range, int]:
    """The rows of the raster that a rectangle touches, and a bit for each of its columns."""
    first, top, last, bottom = (
        min(max(int(min(_RASTER, max(-1.0, edge / length * _RASTER))) + shift, 0), _RASTER)  # also of no number
        for edge, length, shift in zip(place, (frame.width, frame.height) * 2, (-1, -1, 2, 2), strict=True)
    )
    return range(top, bottom), (1 << last) - (1 << first) if first < last else 0


def measure_object(handle: pdfium_c.FPDF_PAGEOBJECT, matrix: Matrix, frame: Frame) -> Rectangle:
    """Measure the bounds of an object within forms that have this matrix together."""
    edges = [ctypes.c_float() for _ in range(4)]
    pdfium_c.FPDFPageObj_GetBounds(handle, *edges)
    left, bottom, right, top = (edge.value for edge in edges)
    if matrix is IDENTITY:  # as nearly always
        return frame.box(left, bottom, right, top)
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    xs, ys = zip(*corners, strict=True)
    return frame.box(min(xs), min(ys), max(xs), max(ys))


_GRID: Final = 24
"""Rows and columns of the raster by which the share of a page that images cover is measured: scans come in strips and
tiles, which overlap."""


def measure_cover(images: Sequence[Rectangle], frame: Frame) -> float:
    """The share of the page that images cover."""
    points = [(x * frame.width / _GRID, y * frame.height / _GRID) for x in range(1, _GRID) for y in range(1, _GRID)]
    for left, top, right, bottom in images:
        points = [(x, y) for x, y in points if not (left <= x <= right and top <= y <= bottom)]
    return 1 - len(points) / (_GRID - 1) ** 2
