"""The type of characters of a page of a PDF: size, weight, direction, font, and what clips it."""

import ctypes
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.frames import Frame
from elcano.subjects.documents.pdf.plain_calls import address_of

QUARTER_TOLERANCE: Final = 15
"""Degrees by which text may be slanted and still read as upright or turned by a quarter: scans are skewed a little,
watermarks by 30 to 60."""


class Style(NamedTuple):
    """Common style of the characters of one text object."""

    size: float
    bold: bool
    turn: int
    base: float
    fixed: bool = False
    font: int = 0
    """Identifies a font of a page."""
    clipped: bool = False
    """Whether it is outside the part of the page that its surroundings may paint on."""
    symbols: Mapping[str, str] = {}
    """Characters that its font paints for those that it does not declare."""


class Styles:
    """The styles of the text objects of a page."""

    def __init__(self, text_page: pdfium_c.FPDF_TEXTPAGE, frame: Frame) -> None:
        self._text_page = text_page
        self._frame = frame
        self._matrix, self._x, self._y = pdfium_c.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[bool, bool, Mapping[str, str]]] = {}

    def of(self, thing: int, index: int) -> Style:
        """The style of a text object, of which `index` is a character."""
        return self._styles.get(thing) or self._styles.setdefault(thing, self._measure(thing, index))

    def _measure(self, thing: int, index: int) -> Style:
        matrix, x, y = self._matrix, self._x, self._y
        pdfium_c.FPDFText_GetMatrix(self._text_page, index, matrix)
        nominal = pdfium_c.FPDFText_GetFontSize(self._text_page, index)
        pdfium_c.FPDFText_GetCharOrigin(self._text_page, index, x, y)
        flip = -1 if nominal < 0 else 1  # a negative size turns text round
        turn = (self._frame.rotation - round(math.degrees(math.atan2(flip * matrix.b, flip * matrix.a)))) % 360
        quarter = round(turn / 90) * 90
        if abs(turn - quarter) <= QUARTER_TOLERANCE:
            turn = quarter % 360
        displayed = self._frame.point(x.value, y.value)
        size = abs(nominal) * math.hypot(matrix.c, matrix.d)
        font = pdfium_c.FPDFTextObj_GetFont(ctypes.cast(thing, pdfium_c.FPDF_PAGEOBJECT))
        key = address_of(font)
        bold, fixed, symbols = self._describe_font(font, key)
        base = displayed[0] if turn in (90, 270) else displayed[1]
        return Style(size or 1.0, bold, turn, base, fixed, key, _is_clipped(thing), symbols)

    def _describe_font(self, font: pdfium_c.FPDF_FONT, key: int) -> tuple[bool, bool, Mapping[str, str]]:
        """Whether a font is bold, whether it is one of code, and the symbols that it paints."""
        if not key:
            return False, False, {}
        if key not in self._fonts:
            flags, name = pdfium_c.FPDFFont_GetFlags(font), _font_name(font).rpartition("+")[2].lower()
            self._fonts[key] = (
                is_bold_name(name),
                any(part in name for part in _FIXED_NAMES) or bool(flags & _FIXED_PITCH),
                next((symbols for part, symbols in _SYMBOL_FONTS.items() if part in name), {}),
            )
        return self._fonts[key]


CLIP_PATHS: Final = 20
"""Maximum outlines examined to see what clips a text; pages nest a few."""
CLIP_POINTS: Final = 100


def _is_clipped(thing: int) -> bool:
    """Whether a text object is outside the outlines that it is clipped by: a figure that was cropped keeps all."""
    handle = ctypes.cast(thing, pdfium_c.FPDF_PAGEOBJECT)
    path = pdfium_c.FPDFPageObj_GetClipPath(handle)
    count = pdfium_c.FPDFClipPath_CountPaths(path) if path else 0
    if count <= 0:
        return False
    sides = [ctypes.c_float() for _ in range(4)]
    if not pdfium_c.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, sides)):
        return False
    left, bottom, right, top = (side.value for side in sides)
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(min(count, CLIP_PATHS)):
        points = pdfium_c.FPDFClipPath_CountPathSegments(path, number)
        if not 2 <= points <= CLIP_POINTS:
            continue
        across, down = [], []
        for point in range(points):
            segment = pdfium_c.FPDFClipPath_GetPathSegment(path, number, point)
            if segment and pdfium_c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
                across.append(x.value)
                down.append(y.value)
        if across and (right < min(across) or left > max(across) or top < min(down) or bottom > max(down)):
            return True
    return False


_FIXED_PITCH: Final = 1
_DINGBATS: Final = dict.fromkeys(map(chr, range(0x21, 0x7F)), "\u2022")
_SYMBOL_FONTS: Final[Mapping[str, Mapping[str, str]]] = {
    "wingding": _DINGBATS,
    "dingbat": _DINGBATS,
    "webdings": _DINGBATS,
    "cmsy": {"0": "\u2032"},
}
"""Fonts for which PDFium reports letters: bullets of all kinds, and TeX's prime, which would read as a power of
zero."""
_FIXED_NAMES: Final = ("courier", "mono", "consol", "cmtt", "sftt", "typewriter", "menlo", "inconsolata")
_BOLD_NAMES: Final = ("bold", "black", "heavy", "demi", "medi", "cmbx", "sfbx", "cmssbx")
"""Parts of the names of bold fonts, in lower case; TeX's and URW's too."""


def _font_name(font: pdfium_c.FPDF_FONT) -> str:
    buffer = ctypes.create_string_buffer(200)
    pdfium_c.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    return buffer.value.decode("utf-8", "replace")


def is_bold_name(name: str) -> bool:
    """Whether a font of this name is bold."""
    plain = name.rpartition("+")[2].lower()
    return any(part in plain for part in _BOLD_NAMES) and "medium" not in plain
