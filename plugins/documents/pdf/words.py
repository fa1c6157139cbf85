"""The words of a page of a PDF, with their places on the page as it is displayed.

PDFium gives characters in the order in which they are painted, and where each stands. Here they become words: runs that
no gap, no space, no change of line and no change of base line part. Everything is told in points in the frame of the
displayed page: from its top left corner, with y downwards, after the page's own rotation.
"""

import ctypes
import math
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import normalize_text

QUARTER_TOLERANCE: Final = 15
"""Degrees by which text may be slanted and still read as upright or turned by a quarter: scans are skewed a little,
watermarks by 30 to 60."""
GAP_SHARE: Final = 0.22
"""A gap wider than this share of the size parts words; word spaces are .25 wide and justified ones seldom under .2."""
SPACE_SHARE: Final = 0.06
"""Where PDFium adds a space that leaves less than this, there is none."""
SHIFT_SHARE: Final = 0.05
"""A base line that changes by more than this share of the size begins a part of another kind, such as an exponent."""


DOUBLE_SHARE: Final = 0.15
"""A character that is painted again less than half this share of its size aside is one: `ll` is .22 wide."""
LIGATURE_LETTERS: Final = 4
DRAWN: Final = 3
"""A character that is so many times higher than its size has none: boxes of others are 1.1 to 2 times as high."""
ASCENDER: Final = 0.7
"""The height of an `h` in sizes."""


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
    fixed: bool = False
    """Whether all characters of its type are of one width, as in code."""


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


class Style(NamedTuple):
    """What the characters of one text object have in common."""

    size: float
    bold: bool
    turn: int
    base: float
    fixed: bool = False
    font: int = 0
    """Tells fonts of a page apart."""
    symbols: Mapping[str, str] = {}
    """What its font paints for characters that it does not declare."""


class Char(NamedTuple):
    """A character with its place on the displayed page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style
    kind: str = ""
    """`r`: it is written from right to left; `m`: it is a mark on the character before it; `a`: an accent by itself."""


def read_words(page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE) -> list[Word]:
    """The words of a loaded page, in the order in which they are painted."""
    return build_words(read_chars(page, text_page))


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
_ACCENTS: Final = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303", "\u00af": "\u0304",
    "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b",
    "\u02c7": "\u030c", "\u00b8": "\u0327", "\u02db": "\u0328",
}  # fmt: skip
"""The combining forms of accents that TeX paints by themselves, over the letter."""


def _address(pointer: object) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def read_chars(page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE) -> list[Char | bool | None]:
    """The characters of a loaded page; None: a space that PDFium adds, or the end of a line; True: a painted space.

    One call of C costs a microsecond, and a page has thousands of characters: what they have in common is asked once
    for each text object.
    """
    handle = _address(text_page)
    unicode_of = _GetUnicode(_address(pdfium_c.FPDFText_GetUnicode))
    object_of = _GetObject(_address(pdfium_c.FPDFText_GetTextObject))
    box_of = _GetBox(_address(pdfium_c.FPDFText_GetLooseCharBox))
    rectangle = pdfium_c.FS_RECTF()
    to = ctypes.addressof(rectangle)
    frame = measure_frame(page)
    styles = _Styles(text_page, frame)
    painted = _Painted()
    found: list[Char | bool | None] = []
    for index in range(pdfium_c.FPDFText_CountChars(text_page)):
        code = unicode_of(handle, index)
        if code in _SPACES:
            found.append(True if code != 13 and not pdfium_c.FPDFText_IsGenerated(text_page, index) else None)
            continue
        thing = object_of(handle, index)
        if not thing or not box_of(handle, index, to) or _is_control(code):
            continue
        if code == 2 and not pdfium_c.FPDFText_IsHyphen(text_page, index):
            continue
        box = frame.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        style = styles.of(thing, index)
        if painted.holds(code, index, box[0], box[1], style.size):
            continue
        if 2 < code < 0x7F:
            letter = chr(code)
            found.append(Char(style.symbols.get(letter, letter) if style.symbols else letter, *box, style))
        else:
            found.append(Char(_write_char(code), *box, style, _kind_of(code)))
    return _size_drawn_type(found)


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


class _Painted:
    """Knows what was painted where: some programs paint text twice, a little aside, to make it bold or to shade it."""

    def __init__(self) -> None:
        self._cells: tuple[dict[tuple[int, int, int], int], ...] = ({}, {})

    def holds(self, code: int, index: int, x: float, y: float, size: float) -> bool:
        """Whether a character stands where the same one was painted before; if not, it is now.

        The letters of a ligature stand in one place too, but directly behind one another.
        """
        step = DOUBLE_SHARE * size
        across, down = x / step, y / step
        found = False
        for shift, cells in zip((0.0, 0.5), self._cells, strict=True):
            key = (code, int(across + shift), int(down + shift))
            found = found or index - cells.get(key, index) > LIGATURE_LETTERS
            cells.setdefault(key, index)
        return found


def _is_control(code: int) -> bool:
    return (code < 0x20 and code != 2) or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF


def _write_char(code: int) -> str:
    if code in _HYPHENS:
        return "-"
    return _SYMBOLS.get(code) or chr(code)


def _kind_of(code: int) -> str:
    if code < 0x0300:
        return "a" if chr(code) in _ACCENTS else ""
    if 0x0590 <= code < 0x0900 or 0xFB1D <= code < 0xFDFF or 0xFE70 <= code < 0xFEFF:
        return "m" if unicodedata.category(chr(code)) == "Mn" else "r"
    return "m" if unicodedata.category(chr(code)) == "Mn" else ""


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
        return Style(size or 1.0, bold, turn, base, fixed, key, symbols)

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


def build_words(chars: list[Char | bool | None]) -> list[Word]:
    """The words that characters make in the order in which they come."""
    words: list[Word] = []
    run: list[Char] = []
    space: bool | None = False  # None: one that PDFium adds; True: one that is painted
    joined = False
    swapped = _are_ligatures_swapped(chars)
    for char in chars:
        if not isinstance(char, Char):
            space = space or char
            continue
        if run:
            part, close = _parts(run[-1], char, space)
            if part:
                words.append(_build_word(run, joined, swapped))
                run, joined = [], close
        run.append(char)
        space = False
    if run:
        words.append(_build_word(run, joined, swapped))
    return [word for word in words if word.text]


def _parts(before: Char, char: Char, space: bool | None) -> tuple[bool, bool]:
    """Whether a word ends between two characters, and whether the next one follows without a space."""
    old, new = before.style, char.style
    if old.turn != new.turn:
        return True, False
    size = max(old.size, new.size)
    right_to_left = "r" in (before.kind, char.kind)
    gap = _gap(before, char)
    if right_to_left:
        gap = max(gap, _gap(char, before))
    if abs(old.base - new.base) > size or gap < -size:  # on another line
        return True, False
    if (char.kind == "m" or before.kind == "a") and gap < 0:
        return False, False
    if gap > GAP_SHARE * size or space or (space is None and gap > SPACE_SHARE * size):
        return True, False
    shifted = abs(old.base - new.base) > SHIFT_SHARE * size or abs(old.size - new.size) > 2 * SHIFT_SHARE * size
    return shifted, shifted


def _gap(before: Char, char: Char) -> float:
    """The way from one character to the next in the direction of reading."""
    turn = before.style.turn
    if turn == 90:
        return char.top - before.bottom
    if turn == 180:
        return before.left - char.right
    if turn == 270:
        return before.top - char.bottom
    return char.left - before.right


def _build_word(run: list[Char], joined: bool, swapped: bool) -> Word:
    style = max(run, key=lambda char: char.style.size).style if len(run) > 1 else run[0].style
    plain = True
    for char in run:
        if char.kind or not char.text.isascii():
            plain = False
    text = "".join([char.text for char in run]) if plain else _write_word(run, swapped)
    return Word(
        text,
        min(char.left for char in run),
        min(char.top for char in run),
        max(char.right for char in run),
        max(char.bottom for char in run),
        style.base,
        style.size,
        style.bold,
        style.turn,
        joined=joined,
        fixed=style.fixed,
    )


def _write_word(run: list[Char], swapped: bool) -> str:
    """The text of a word with accents over their letters and without compatibility forms."""
    if swapped:
        run = _swap_ligatures(run)
    parts: list[str] = []
    waiting = ""
    for number, char in enumerate(run):
        if char.kind == "a" and number + 1 < len(run) and _stands_over(char, run[number + 1]):
            waiting = _ACCENTS[char.text]
        elif char.kind == "a" and number and _stands_over(char, run[number - 1]):
            parts.append(_ACCENTS[char.text])
        else:
            letter = {"\u0131": "i", "\u0237": "j"}.get(char.text, char.text) if waiting else char.text
            parts.append(letter + waiting)
            waiting = ""
    return "".join(normalize_text("".join(parts)).split())


def _stands_over(accent: Char, letter: Char) -> bool:
    shared = min(accent.right, letter.right) - max(accent.left, letter.left)
    return letter.text.isalpha() and shared > 0.5 * min(accent.right - accent.left, letter.right - letter.left)


_ALEFS: Final = "\u0622\u0623\u0625\u0627\u0671"
_LAM: Final = "\u0644"


def _are_ligatures_swapped(chars: list[Char | bool | None]) -> bool:
    """Whether the letters of ligatures come in the wrong order: an alef never stands before a lam in one glyph.

    PDFium turns text that is painted from the left around letter by letter, those of one glyph too.
    """
    before: Char | None = None
    for char in chars:
        if not isinstance(char, Char) or char.kind != "r":
            before = None
            continue
        if before is not None and char.text == _LAM and before.text in _ALEFS and _is_same_glyph(before, char):
            return True
        before = char
    return False


def _is_same_glyph(one: Char, other: Char) -> bool:
    return one.left == other.left and one.right == other.right


def _swap_ligatures(run: list[Char]) -> list[Char]:
    ordered: list[Char] = []
    group: list[Char] = []
    for char in run:
        if group and not (char.kind == "r" and _is_same_glyph(group[-1], char)):
            ordered += reversed(group)
            group = []
        group.append(char)
    return ordered + group[::-1]
