"""The frame of a page of a PDF: from points of its own space to points of the page as it is displayed."""

import ctypes
from typing import NamedTuple, TypeAlias

import pypdfium2.raw as pdfium_c

Rectangle: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom in points."""


class Frame(NamedTuple):
    """Transformation from points of a page's own space to points of the displayed page."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int
    """Degrees by which the page is displayed turned clockwise: 0, 90, 180 or 270."""

    @property
    def width(self) -> float:
        """The width of the displayed page."""
        return self.right - self.left if self.rotation in (0, 180) else self.top - self.bottom

    @property
    def height(self) -> float:
        """The height of the displayed page."""
        return self.top - self.bottom if self.rotation in (0, 180) else self.right - self.left

    def point(self, x: float, y: float) -> tuple[float, float]:
        """The point of the displayed page that is (x, y) in the page's own space."""
        if self.rotation == 0:
            return x - self.left, self.top - y
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def box(self, left: float, bottom: float, right: float, top: float) -> Rectangle:
        """The left, top, right and bottom of a rectangle on the displayed page."""
        if self.rotation == 0 and left <= right and bottom <= top:
            return left - self.left, self.top - top, right - self.left, self.top - bottom
        x, y = self.point(left, bottom)
        other_x, other_y = self.point(right, top)
        return min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y)


def turn_box(box: Rectangle, turn: int, width: float, height: float) -> Rectangle:
    """A rectangle of a page as seen in the direction of reading of text that is turned clockwise by quarters.

    Args:
        box: its left, top, right and bottom.
        turn: degrees; any other than 90, 180 and 270 turns nothing.
        width: of the page.
        height: of the page.
    """
    left, top, right, bottom = box
    if turn == 90:  # reads downwards: x is the way down, y the way from the right
        return top, width - right, bottom, width - left
    if turn == 180:
        return width - right, height - bottom, width - left, height - top
    if turn == 270:  # reads upwards
        return height - bottom, left, height - top, right
    return box


def turn_back(box: Rectangle, turn: int, width: float, height: float) -> Rectangle:
    """The rectangle of the page, `width` by `height`, of which `turn_box` makes `box`."""
    return turn_box(box, 360 - turn, *((width, height) if turn == 180 else (height, width)))


def measure_frame(page: pdfium_c.FPDF_PAGE) -> Frame:
    """The frame of a loaded page."""
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    return Frame(box.left, box.bottom, box.right, box.top, pdfium_c.FPDFPage_GetRotation(page) % 4 * 90)
