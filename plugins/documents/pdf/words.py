"""The words of a page of a PDF, with their places on the page as it is displayed.

PDFium gives characters in the order in which they are painted, and where each stands. Here they become words: runs that
no gap, no space, no change of line and no change of base line part. Everything is told in points in the frame of the
displayed page: from its top left corner, with y downwards, after the page's own rotation.
"""

import ctypes
import math
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

QUARTER_TOLERANCE: Final = 15
"""Degrees by which text may be slanted and still read as upright or turned by a quarter: scans are skewed a little,
watermarks by 30 to 60."""
GAP_SHARE: Final = 0.22
"""A gap wider than this share of the size parts words; word spaces are .25 wide and justified ones seldom under .2."""
SPACE_SHARE: Final = 0.06
"""A space that leaves less than this between its neighbours is none: it belongs to letters that are spaced out, or was
painted over."""


class Word(NamedTuple):
    """A run of characters without a space in it."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    base: float
    """Where its base line stands: y for upright text and text upside down, x for text that is turned by a quarter."""
    size: float
    """The size of its type in points, as displayed."""
    bold: bool = False
    turn: int = 0
    """Degrees by which it is turned clockwise on the displayed page: 0, 90, 180, 270, or any other for slanted text."""
    raised: bool = False
    """Whether it stands in small type above the line: an exponent, or the mark of a note."""
    joined: bool = False
    """Whether it follows the word before it without a space: a raised mark, or a part in other type."""
    lowered: bool = False
    """Whether it stands in small type below the line: an index."""
    confidence: float | None = None
    """How sure OCR is of it, 0 to 1; None: its characters stand in the file."""


class Page(NamedTuple):
    """What stands on a page, in points of the displayed page."""

    number: int
    """Counted from 1."""
    width: float
    height: float
    words: tuple[Word, ...] = ()
    """In the order in which they are painted."""


class Frame(NamedTuple):
    """How points of a page's own space become points of the displayed page."""

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
        x, y = self.point(left, bottom)
        other_x, other_y = self.point(right, top)
        return min(x, other_x), min(y, other_y), max(x, other_x), max(y, other_y)


def measure_frame(page: pdfium_c.FPDF_PAGE) -> Frame:
    """The frame of a loaded page."""
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    return Frame(box.left, box.bottom, box.right, box.top, pdfium_c.FPDFPage_GetRotation(page) % 4 * 90)


class _Style(NamedTuple):
    """What the characters of one text object have in common."""

    size: float
    bold: bool
    turn: int
    base: float


class _Char(NamedTuple):
    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: _Style


_SOFT_HYPHENS: Final = ("\ufffe", "\u00ad", "\x02", "\u2010")
"""Characters that are painted as a hyphen: PDFium writes U+FFFE (once U+0002) for one that ends a line; in a PDF a soft
hyphen is a mark on the page like any other."""


def read_words(page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE) -> list[Word]:
    """The words of a loaded page, in the order in which they are painted."""
    builder = _WordBuilder()
    for char in _Characters(page, text_page).read():
        builder.add(char)
    return builder.finish()


_GetUnicode = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_GetObject = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_GetBox = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def _address(pointer: object) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


class _Characters:
    """Reads the characters of a page; one call of C costs a microsecond, and a page has thousands of characters."""

    def __init__(self, page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE) -> None:
        self._text_page = text_page
        self._frame = measure_frame(page)
        self._styles: dict[int, _Style] = {}
        self._fonts: dict[int, bool] = {}

    def read(self) -> list[_Char | None]:
        """The characters; None: a space, or the end of a line."""
        handle = _address(self._text_page)
        unicode_of = _GetUnicode(_address(pdfium_c.FPDFText_GetUnicode))
        object_of = _GetObject(_address(pdfium_c.FPDFText_GetTextObject))
        box_of = _GetBox(_address(pdfium_c.FPDFText_GetLooseCharBox))
        rectangle = pdfium_c.FS_RECTF()
        to = ctypes.addressof(rectangle)
        to_box = self._frame.box
        found: list[_Char | None] = []
        for index in range(pdfium_c.FPDFText_CountChars(self._text_page)):
            code = unicode_of(handle, index)
            if code in _SPACES:
                found.append(None)
                continue
            thing = object_of(handle, index)
            if not thing or not box_of(handle, index, to):
                continue
            style = self._styles.get(thing) or self._style(thing, index)
            text = chr(code) if code < 0x110000 else "\ufffd"
            box = to_box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            found.append(_Char("-" if text in _SOFT_HYPHENS else text, *box, style))
        return found

    def _style(self, thing: int, index: int) -> _Style:
        matrix = pdfium_c.FS_MATRIX()
        pdfium_c.FPDFText_GetMatrix(self._text_page, index, ctypes.byref(matrix))
        nominal = pdfium_c.FPDFText_GetFontSize(self._text_page, index)
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDFText_GetCharOrigin(self._text_page, index, ctypes.byref(x), ctypes.byref(y))
        turn = (self._frame.rotation - round(math.degrees(math.atan2(matrix.b, matrix.a)))) % 360
        quarter = round(turn / 90) * 90
        if abs(turn - quarter) <= QUARTER_TOLERANCE:
            turn = quarter % 360
        displayed = self._frame.point(x.value, y.value)
        style = _Style(
            abs(nominal) * math.hypot(matrix.c, matrix.d) or 1.0,
            self._is_bold(thing),
            turn,
            displayed[0] if turn in (90, 270) else displayed[1],
        )
        self._styles[thing] = style
        return style

    def _is_bold(self, thing: int) -> bool:
        font = pdfium_c.FPDFTextObj_GetFont(ctypes.cast(thing, pdfium_c.FPDF_PAGEOBJECT))
        key = _address(font)
        if not key:
            return False
        if key not in self._fonts:
            self._fonts[key] = _is_bold_name(_font_name(font)) or bool(pdfium_c.FPDFFont_GetFlags(font) & _FORCE_BOLD)
        return self._fonts[key]


_SPACES: Final = frozenset((0, 9, 10, 13, 32, 0xA0, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000, 0xFEFF))
"""Characters that only part words."""
_FORCE_BOLD: Final = 1 << 18
_BOLD_NAMES: Final = ("bold", "black", "heavy", "demi", "medi", "cmbx", "sfbx", "cmssbx")
"""Parts of the names of bold fonts, in lower case; TeX's and URW's too."""


def _font_name(font: pdfium_c.FPDF_FONT) -> str:
    buffer = ctypes.create_string_buffer(200)
    pdfium_c.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    return buffer.value.decode("utf-8", "replace")


def _is_bold_name(name: str) -> bool:
    plain = name.rpartition("+")[2].lower()
    return any(part in plain for part in _BOLD_NAMES) and "medium" not in plain


class _WordBuilder:
    """Puts characters together to words, in the order in which they come."""

    def __init__(self) -> None:
        self._words: list[Word] = []
        self._run: list[_Char] = []
        self._space = True

    def add(self, char: _Char | None) -> None:
        """Take the next character; None: a space."""
        if char is None:
            self._space = True
            return
        if self._run:
            part, joined = _parts(self._run[-1], char, self._space)
            if part:
                self._end()
                self._joined = joined
        else:
            self._joined = False
        self._run.append(char)
        self._space = False

    def finish(self) -> list[Word]:
        """The words."""
        if self._run:
            self._end()
        return self._words

    def _end(self) -> None:
        run, self._run = self._run, []
        style = run[0].style
        text = "".join(char.text for char in run)
        box = (
            min(char.left for char in run),
            min(char.top for char in run),
            max(char.right for char in run),
            max(char.bottom for char in run),
        )
        self._words.append(Word(text, *box, style.base, style.size, style.bold, style.turn, joined=self._joined))


def _parts(before: _Char, char: _Char, space: bool) -> tuple[bool, bool]:
    """Whether a word ends between two characters, and whether the next one follows without a space."""
    old, new = before.style, char.style
    if old.turn != new.turn:
        return True, False
    gap = _gap(before, char)
    size = max(old.size, new.size)
    if gap > GAP_SHARE * size or gap < -size:
        return True, False
    if abs(old.base - new.base) > size:  # on another line
        return True, False
    if space and gap > SPACE_SHARE * size:
        return True, False
    shifted = abs(old.base - new.base) > 0.05 * size or abs(old.size - new.size) > 0.1 * size
    return shifted, shifted


def _gap(before: _Char, char: _Char) -> float:
    """The way from one character to the next in the direction of reading."""
    turn = before.style.turn
    if turn == 90:
        return char.top - before.bottom
    if turn == 180:
        return before.left - char.right
    if turn == 270:
        return before.top - char.bottom
    return char.left - before.right
