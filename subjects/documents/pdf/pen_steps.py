"""Steps of the pen between characters of a PDF: spaces that the boxes of leaning and overhanging letters hide."""

import ctypes
from collections.abc import Sequence
from typing import Final

import pypdfium2.raw as pdfium_c

RUN_SHARE: Final = 0.1
"""Characters that are less than this share of the size apart are directly behind one another; so do kerned ones."""
LEAN_SHARE: Final = 0.06
"""A gap of less than this share of the size may be a space that an italic letter leans into: boxes hold its ink."""
STEP_SHARE: Final = 0.17
"""Step of the pen between such letters that is a space; what TeX adds after capitals of formulas is up to .14."""
SPACE_STEP: Final = 0.22
"""A gap between boxes that is narrower than this share of the size is a space where the pen takes a wider step: an `f`
of a font that is not embedded reaches over the space behind it, and PDFium adds none."""
OVERHANG: Final = 0.15
"""Maximum share of the size by which a box reaches over the width of its character."""


def is_step(text_page: pdfium_c.FPDF_TEXTPAGE, index: int, codes: Sequence[int], right: float, size: float) -> bool:
    """Whether the pen takes a step between two characters as for a space, although their boxes nearly touch.

    Args:
        text_page: where they are.
        index: of the character between them, which PDFium added.
        codes: of all characters.
        right: where the box of the first one ends.
        size: of its type; 0: it is not upright, or has been dealt with.
    """
    box = pdfium_c.FS_RECTF()
    if not size or not pdfium_c.FPDFText_GetLooseCharBox(text_page, index + 1, box):
        return False
    if abs(box.left - right) >= LEAN_SHARE * size:
        return False
    return _measure_step(text_page, index - 1, index + 1, codes[index - 1], size) > STEP_SHARE * size


def find_narrow_space(
    text_page: pdfium_c.FPDF_TEXTPAGE, index: int, codes: Sequence[int], gap: float, size: float
) -> Sequence[bool]:
    """The space before a character of which a letter that reaches over its width leaves only this gap."""
    if not RUN_SHARE * size <= gap < SPACE_STEP * size:
        return ()
    step = _measure_step(text_page, index - 1, index, codes[index - 1], size)
    return (True,) if SPACE_STEP * size < step < gap + OVERHANG * size else ()


def _measure_step(text_page: pdfium_c.FPDF_TEXTPAGE, one: int, other: int, code: int, size: float) -> float:
    """The step of the pen between two upright characters behind the width of the first one, in points; 0: unknown."""
    start, end, height, width = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_float()
    pdfium_c.FPDFText_GetCharOrigin(text_page, one, start, height)
    pdfium_c.FPDFText_GetCharOrigin(text_page, other, end, height)
    font = pdfium_c.FPDFTextObj_GetFont(pdfium_c.FPDFText_GetTextObject(text_page, one))
    known = pdfium_c.FPDFFont_GetGlyphWidth(font, code, size, width)
    return end.value - start.value - width.value if known else 0.0
