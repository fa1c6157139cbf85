"""The frame of a page of a PDF: from points of its own space to points of the page as it is displayed."""

import ctypes
from typing import NamedTuple

import pypdfium2.raw as pdfium_c


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

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of a rectangle on the displayed page."""
        if self.rotation == 0 and left <= right and bottom <= top:
            return left - self.left, self.top - top, right - self.left, self.top - bottom
        x, y = self.point(left, bottom)
        other_x, other_y = self.point(right, top)
        return min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y)


def measure_frame(page: pdfium_c.FPDF_PAGE) -> Frame:
    """The frame of a loaded page."""
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    return Frame(box.left, box.bottom, box.right, box.top, pdfium_c.FPDFPage_GetRotation(page) % 4 * 90)
