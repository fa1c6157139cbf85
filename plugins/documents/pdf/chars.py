"""The characters of a page of a PDF, with their places on the page as it is displayed.

PDFium gives them in the order in which they are painted. Everything is told in points in the frame of the displayed
page: from its top left corner, with y downwards, after the page's own rotation.
"""

import ctypes
import math
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

QUARTER_TOLERANCE: Final = 15
"""Degrees by which text may be slanted and still read as upright or turned by a quarter: scans are skewed a little,
watermarks by 30 to 60."""
DOUBLE_SHARE: Final = 0.15
"""Text that is painted again less than half this share of its size aside is one: `ll` is .22 wide."""
RUN_SHARE: Final = 0.1
"""Characters that are less than this share of the size apart stand directly behind one another; so do kerned ones."""
UNKNOWN: Final = "\ufffd"
"""What stands for a character that the file does not decode: left out, it would leave another word."""
LIGATURE_LETTERS: Final = 4
"""A glyph stands for so many letters at most: `ffi` has three, the name of God in Arabic four."""
DRAWN: Final = 3
"""A character that is so many times higher than its size has none: boxes of others are 1.1 to 2 times as high."""
ASCENDER: Final = 0.7
"""The height of an `h` in sizes."""


ACCENTS: Final = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303", "\u00af": "\u0304",
    "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b",
    "\u02c7": "\u030c", "\u00b8": "\u0327", "\u02db": "\u0328",
}  # fmt: skip
"""The combining forms of accents that TeX paints by themselves, over the letter."""


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


class Style(NamedTuple):
    """What the characters of one text object have in common."""

    size: float
    bold: bool
    turn: int
    base: float
    fixed: bool = False
    font: int = 0
    """Tells fonts of a page apart."""
    clipped: bool = False
    """Whether it stands outside the part of the page that its surroundings may paint on."""
    symbols: Mapping[str, str] = {}
    """What its font paints for characters that it does not declare."""


class Char(NamedTuple):
    """A character with its place on the displayed page."""

    text: str
    """Several characters if they stand directly behind one another."""
    left: float
    top: float
    right: float
    bottom: float
    style: Style
    kind: str = ""
    """`r`: it is written from right to left; `m`: it is a mark on the character before it; `a`: an accent by itself;
    `h`: a hyphen that PDFium tells otherwise; `u`: it cannot be decoded."""


_GetUnicode = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_GetObject = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_GetBox = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_SPACES: Final = frozenset((0, 9, 10, 13, 32, 0xA0, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000, 0xFEFF))
"""Characters that only part words."""
_HYPHENS: Final = frozenset((0x02, 0xAD, 0x2010, 0x2011, 0xFFFE))
"""Characters that are painted as a hyphen: PDFium writes U+FFFE (once U+0002) for one that ends a line; in a PDF a soft
hyphen is a mark on the page like any other."""
_SYMBOLS: Final = {
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0D8: "➢",
    0xF0FC: "✓",
    0xF0E0: "→",
    0xF06E: "■",
    0xF0A8: "□",
    0xF0B0: "°",
}
"""What Word's symbol fonts paint for codes that Unicode leaves to them."""


def _address(pointer: object) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def read_chars(page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE) -> list[Char | bool | None]:
    """The characters of a loaded page; None: a space that PDFium adds, or the end of a line; True: a painted space.

    One call of C costs a microsecond, and a page has thousands of characters. So those that stand directly behind one
    another in type of one height are told as one, and only the first of them is asked for more than its place.
    """
    handle = _address(text_page)
    unicode_of = _GetUnicode(_address(pdfium_c.FPDFText_GetUnicode))
    object_of = _GetObject(_address(pdfium_c.FPDFText_GetTextObject))
    box_of = _GetBox(_address(pdfium_c.FPDFText_GetLooseCharBox))
    sides = (ctypes.c_float * 4)()  # as in an FS_RECTF, and read at once
    to = ctypes.addressof(sides)
    collector = _Collector(text_page, measure_frame(page))
    upright = collector.frame.rotation == 0
    kinds: dict[int, tuple[str, str]] = {}
    slack = top = bottom = right = 0.0
    run: list[str] = []
    for index in range(pdfium_c.FPDFText_CountChars(text_page)):
        code = unicode_of(handle, index)
        if 0xD800 <= code < 0xE000 and not (code := _join_halves(unicode_of, handle, index)):
            continue
        if code in _SPACES:
            if run:
                collector.end(run, right)
                run = []
            collector.add_space(painted=code != 13 and not pdfium_c.FPDFText_IsGenerated(text_page, index))
            continue
        text, kind = kinds.get(code) or kinds.setdefault(code, _write_char(code))
        box_of(handle, index, to)
        left, upper, end, lower = sides[:]
        if run:
            if (
                not kind
                and -slack < left - right < slack
                and -slack < lower - bottom < slack
                and -slack < upper - top < slack
            ):
                run.append(text)
                right = end
                continue
            collector.end(run, right)
            run = []
        thing = object_of(handle, index)
        if not thing:
            continue
        if code == 2 and not pdfium_c.FPDFText_IsHyphen(text_page, index):
            text, kind = UNKNOWN, "u"
        style = collector.begin(thing, index, (left, lower, end, upper), text, kind)
        if style is not None and upright and not kind and style.turn == 0 and not style.symbols:
            top, bottom, right = upper, lower, end
            slack = RUN_SHARE * style.size
            run = [text]
        elif style is not None:
            collector.end([text], end)
    if run:
        collector.end(run, right)
    return _size_drawn_type(collector.found)


class _Collector:
    """Collects characters, each once."""

    def __init__(self, text_page: pdfium_c.FPDF_TEXTPAGE, frame: Frame) -> None:
        self.frame = frame
        self.found: list[Char | bool | None] = []
        self._styles = _Styles(text_page, frame)
        self._painted: dict[float, dict[tuple[str, int, int], int]] = {0.0: {}, 0.5: {}}
        self._first = Char("", 0.0, 0.0, 0.0, 0.0, Style(1.0, False, 0, 0.0))
        self._index = 0

    def add_space(self, *, painted: bool) -> None:
        """Take a space."""
        self.found.append(True if painted else None)

    def begin(
        self, thing: int, index: int, box: tuple[float, float, float, float], text: str, kind: str
    ) -> Style | None:
        """Take the first of some characters, and tell its style; None: nobody sees it.

        Args:
            thing: the address of its text object.
            index: of the character.
            box: its left, bottom, right and top in the page's own space.
            text: what it is written as.
            kind: of it; see `Char.kind`.
        """
        style = self._styles.of(thing, index)
        if style.clipped:
            return None
        text = style.symbols.get(text, text) if style.symbols else text
        self._first = Char(text, *self.frame.box(*box), style, kind)
        self._index = index
        return style

    def end(self, run: list[str], right: float) -> None:
        """Take the characters that began last, whose right edge is this in the page's own space."""
        char = self._first
        if len(run) > 1:
            char = char._replace(text="".join(run), right=right - self.frame.left)
        if not self._is_painted(char):
            self.found.append(char)

    def _is_painted(self, char: Char) -> bool:
        """Whether a text stands where the same one was painted before, to make it bold or to shade it; if not, it is.

        The letters of a ligature stand in one place too, but directly behind one another.
        """
        step = DOUBLE_SHARE * char.style.size
        across, down = char.left / step, char.top / step
        twice = False
        for shift in (0.0, 0.5):  # so that one of two cells holds both
            key = (char.text, int(across + shift), int(down + shift))
            twice = twice or self._index - self._painted[shift].get(key, self._index) > LIGATURE_LETTERS
            self._painted[shift].setdefault(key, self._index)
        return twice


def _size_drawn_type(chars: list[Char | bool | None]) -> list[Char | bool | None]:
    """Estimate the size of type whose font draws its characters in units of its own, and so tells none.

    Their boxes fit the ink: many of them are as high as an `h`.
    """
    heights: defaultdict[tuple[int, float], list[float]] = defaultdict(list)
    for char in chars:
        if isinstance(char, Char):
            height = char.bottom - char.top if char.style.turn in (0, 180) else char.right - char.left
            if height > DRAWN * char.style.size:
                heights[char.style.font, char.style.size].append(height)
    if not heights:
        return chars
    sizes = {key: sorted(found)[len(found) * 4 // 5] / ASCENDER for key, found in heights.items()}
    return [
        char._replace(style=char.style._replace(size=sizes[key]))
        if isinstance(char, Char) and (key := (char.style.font, char.style.size)) in sizes
        else char
        for char in chars
    ]


def _join_halves(unicode_of: Callable[[int, int], int], handle: int, index: int) -> int:
    """The character of which PDFium tells each half as one; 0 at its second half."""
    half = unicode_of(handle, index)
    if half < 0xDC00:
        after = unicode_of(handle, index + 1)
        return 0x10000 + ((half - 0xD800) << 10) + (after - 0xDC00) if 0xDC00 <= after < 0xE000 else half
    return 0 if index and 0xD800 <= unicode_of(handle, index - 1) < 0xDC00 else half


def _write_char(code: int) -> tuple[str, str]:
    """What a character is written as, and its kind; see `Char.kind`. What cannot be decoded is U+FFFD."""
    if code in _HYPHENS:
        return "-", "h"
    if code < 0x20 or 0x7F <= code < 0xA0:
        return UNKNOWN, "u"
    if 0xD800 <= code < 0xE000 or code >= 0xF0000:
        return "", "u"  # half a character, or one of private use
    letter = chr(code)
    if 0x1D400 <= code < 0x1D800:  # a letter or figure of a formula in its own type, which nobody types
        return unicodedata.normalize("NFKC", letter), ""
    if code < 0x0300:
        return letter, "a" if letter in ACCENTS else ""
    if unicodedata.category(letter) == "Mn":
        return letter, "m"
    right_to_left = 0x0590 <= code < 0x0900 or 0xFB1D <= code < 0xFDFF or 0xFE70 <= code < 0xFEFF
    return _SYMBOLS.get(code, letter), "r" if right_to_left else ""


class _Styles:
    """The styles of the text objects of a page."""

    def __init__(self, text_page: pdfium_c.FPDF_TEXTPAGE, frame: Frame) -> None:
        self._text_page = text_page
        self._frame = frame
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[bool, bool, Mapping[str, str]]] = {}

    def of(self, thing: int, index: int) -> Style:
        """The style of a text object, of which `index` is a character."""
        return self._styles.get(thing) or self._styles.setdefault(thing, self._measure(thing, index))

    def _measure(self, thing: int, index: int) -> Style:
        matrix = pdfium_c.FS_MATRIX()
        pdfium_c.FPDFText_GetMatrix(self._text_page, index, ctypes.byref(matrix))
        nominal = pdfium_c.FPDFText_GetFontSize(self._text_page, index)
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDFText_GetCharOrigin(self._text_page, index, ctypes.byref(x), ctypes.byref(y))
        flip = -1 if nominal < 0 else 1  # a negative size turns text round
        turn = (self._frame.rotation - round(math.degrees(math.atan2(flip * matrix.b, flip * matrix.a)))) % 360
        quarter = round(turn / 90) * 90
        if abs(turn - quarter) <= QUARTER_TOLERANCE:
            turn = quarter % 360
        displayed = self._frame.point(x.value, y.value)
        size = abs(nominal) * math.hypot(matrix.c, matrix.d)
        font = pdfium_c.FPDFTextObj_GetFont(ctypes.cast(thing, pdfium_c.FPDF_PAGEOBJECT))
        key = _address(font)
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
                is_bold_name(name) or bool(flags & _FORCE_BOLD),
                any(part in name for part in _FIXED_NAMES) or bool(flags & _FIXED_PITCH),
                next((symbols for part, symbols in _SYMBOL_FONTS.items() if part in name), {}),
            )
        return self._fonts[key]


CLIP_PATHS: Final = 20
"""So many outlines are looked at to see what a text is clipped by; pages nest a few."""
CLIP_POINTS: Final = 100


def _is_clipped(thing: int) -> bool:
    """Whether a text object stands outside the outlines that it is clipped by: a figure that was cropped keeps all."""
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


_FORCE_BOLD: Final = 1 << 18
_FIXED_PITCH: Final = 1
_DINGBATS: Final = dict.fromkeys(map(chr, range(0x21, 0x7F)), "\u2022")
_SYMBOL_FONTS: Final[Mapping[str, Mapping[str, str]]] = {
    "wingding": _DINGBATS,
    "dingbat": _DINGBATS,
    "webdings": _DINGBATS,
    "cmsy": {"0": "\u2032"},
}
"""Fonts of which PDFium tells letters: bullets of all kinds, and TeX's prime, which would read as a power of zero."""
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
