"""The characters of a page of a PDF, with their places on the page as it is displayed.

PDFium gives them in the order in which they are painted. Everything is given in points in the frame of the displayed
page: from its top left corner, with y downwards, after the page's own rotation.
"""

import ctypes
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.frames import Frame, measure_frame
from elcano.subjects.documents.pdf.pen_steps import RUN_SHARE, find_narrow_space, is_step
from elcano.subjects.documents.pdf.plain_calls import address_of, get_loose_box, get_text_object, is_generated
from elcano.subjects.documents.pdf.styles import Style, Styles

DOUBLE_SHARE: Final = 0.15
"""Text that is painted again less than half this share of its size aside is one: `ll` is .22 wide."""
UNKNOWN: Final = "\ufffd"
"""Replacement for a character that the file does not decode: dropping it would make another word."""
LIGATURE_LETTERS: Final = 4
"""A glyph has so many letters at most: `ffi` has three, the name of God in Arabic four."""
DRAWN: Final = 3
"""A character that is so many times higher than its size has none: boxes of others are 1.1 to 2 times as high."""
ROOT: Final = "\u221a"
SUMS: Final = "\u2211\u220f\u222b\u222e\u22c2\u22c3"
_GROWING: Final = frozenset(ROOT + SUMS + "()[]{}")
"""Signs that are as high as the formula that they belong to, whatever the size of their type."""
ASCENDER: Final = 0.7
"""The height of an `h` in sizes."""


ACCENTS: Final = {
    "\u0060": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303", "\u00af": "\u0304",
    "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b",
    "\u02c7": "\u030c", "\u00b8": "\u0327", "\u02db": "\u0328",
}  # fmt: skip
"""The combining forms of accents that TeX paints by themselves, over the letter."""
_ACCENT_CODES: Final = frozenset(map(ord, ACCENTS))
ACCENT_DISTANCE: Final = 60
"""Characters from an accent within which its letter is reported."""
MOST_ACCENTS: Final = 1_000
"""More on a page are marks of code."""


class Char(NamedTuple):
    """A character with its place on the displayed page."""

    text: str
    """Several characters if they are directly behind one another."""
    left: float
    top: float
    right: float
    bottom: float
    style: Style
    kind: str = ""
    """`r`: it is written from right to left; `m`: it is a mark on the character before it; `a`: an accent by itself;
    `h`: a hyphen that PDFium reports otherwise; `u`: it cannot be decoded."""


_SPACES: Final = frozenset((0, 9, 10, 13, 32, 0xA0, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000, 0xFEFF))
"""Characters that only part words."""
_HYPHEN: Final = 0xFFFE
"""PDFium's character for a hyphen that ends a line; by itself it reports U+0002."""
_FIRST_CUT: Final = 0x2E80
"""From this code on texts may lie: they hold the last 16 bits of codes of four bytes that no font declares."""
_HYPHENS: Final = frozenset((_HYPHEN, 0xAD, 0x2010, 0x2011))
"""Characters that are painted as a hyphen; in a PDF a soft hyphen is a mark on the page like any other."""
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
"""Glyphs that Word's symbol fonts paint for codes that Unicode leaves to them."""


def read_codes(text_page: pdfium_c.FPDF_TEXTPAGE) -> list[int]:
    """The code units in UTF-16 of the characters of a loaded page, one for each."""
    count = max(pdfium_c.FPDFText_CountChars(text_page), 0)
    text = (ctypes.c_ushort * (count + 1))()
    # PDFium leaves out of a text what is none, such as control characters; else it has a unit for each character.
    if pdfium_c.FPDFText_GetText(text_page, 0, count, text) == count + 1:
        codes: list[int] = text[:count]
    else:
        codes = [pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count)]
    for index, code in enumerate(codes):
        if code >= _FIRST_CUT or code == 2:
            codes[index] = pdfium_c.FPDFText_GetUnicode(text_page, index)
            if pdfium_c.FPDFText_IsHyphen(text_page, index) == 1:
                codes[index] = _HYPHEN
            elif code == _HYPHEN:
                codes[index] = 2  # a glyph that the file gives no character for
    return codes


def read_chars(
    page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE, codes: Sequence[int]
) -> list[Char | bool | None]:
    """The characters of a loaded page; None: a space that PDFium adds, or the end of a line; True: a painted space.

    One call of C costs a fifth of a microsecond, and a page has thousands of characters. So those that are directly
    behind one another in type of one height become one, and only the first of them is asked for more than its place.

    Args:
        page: the page.
        text_page: its text.
        codes: of its characters; see `read_codes`.
    """
    handle = address_of(text_page)
    sides = (ctypes.c_float * 4)()  # as in an FS_RECTF, and read at once
    to, box = ctypes.addressof(sides), memoryview(sides).cast("B").cast("f")
    collector = _Collector(text_page, measure_frame(page))
    upright = collector.frame.rotation == 0
    kinds = _Kinds()
    slack = top = bottom = right = 0.0
    run: list[str] = []
    for index in _order_accents(handle, codes):
        code = codes[index]
        text, kind = kinds[code]
        if kind == "s":
            size = slack / RUN_SHARE if run else 0.0
            space = code != 13 and (not is_generated(handle, index) or is_step(text_page, index, codes, right, size))
            if run:
                collector.end(run, right)
                run = []
            collector.found.append(space or None)
            continue
        if kind == "8":
            if not (code := _join_halves(codes, index)):
                continue
            text, kind = _write_char(code)
        get_loose_box(handle, index, to)
        left, upper, end, lower = box
        if run:
            on_line = -slack < lower - bottom < slack and -slack < upper - top < slack
            if not kind and on_line and -slack < left - right < slack:
                run.append(text)
                right = end
                continue
            collector.end(run, right)
            run = []
            size = slack / RUN_SHARE
            collector.found += find_narrow_space(text_page, index, codes, left - right, size) if on_line else ()
        thing = get_text_object(handle, index)
        if not thing:
            continue
        style = collector.begin(thing, index, (left, lower, end, upper), kind)
        if style is not None and upright and not kind and style.turn == 0 and not style.symbols:
            top, bottom, right = upper, lower, end
            slack = RUN_SHARE * style.size
            run = [text]
        elif style is not None:
            collector.end([style.symbols.get(text, text)], end)
    if run:
        collector.end(run, right)
    return _size_drawn_type(collector.found)


def _order_accents(handle: int | None, codes: Sequence[int]) -> Sequence[int]:
    """The order in which to read characters: that of the file, but accents right before the letters below them.

    What TeX paints as a letter and an accent, PDFium may report far apart: `Oguz` with a breve behind the word.
    """
    accents = [index for index, code in enumerate(codes) if code in _ACCENT_CODES]
    if not accents or len(accents) > MOST_ACCENTS:
        return range(len(codes))
    below: dict[int, int] = {}
    for accent in accents:
        left, top, right, bottom = _get_box(handle, accent)
        middle = (left + right) / 2
        near = range(max(accent - ACCENT_DISTANCE, 0), min(accent + ACCENT_DISTANCE, len(codes)))
        for index in sorted(near, key=lambda index: abs(index - accent)):
            if index not in below and chr(codes[index]).isalpha():
                box = _get_box(handle, index)
                if box[0] < middle < box[2] and box[3] < (top + bottom) / 2 < box[1]:
                    below[index] = accent
                    break
    moved = set(below.values())
    order: list[int] = []
    for index in range(len(codes)):
        if index in below:
            order.append(below[index])
        if index not in moved:
            order.append(index)
    return order


def _get_box(handle: int | None, index: int) -> tuple[float, float, float, float]:
    sides = (ctypes.c_float * 4)()
    get_loose_box(handle, index, ctypes.addressof(sides))
    return sides[0], sides[1], sides[2], sides[3]


class _Collector:
    """Collects characters, each once."""

    def __init__(self, text_page: pdfium_c.FPDF_TEXTPAGE, frame: Frame) -> None:
        self.frame = frame
        self.found: list[Char | bool | None] = []
        self._styles = Styles(text_page, frame)
        self._painted: tuple[dict[tuple[str, int, int], int], ...] = ({}, {})
        self._first: tuple[int, tuple[float, float, float, float], Style, str]

    def begin(self, thing: int, index: int, box: tuple[float, float, float, float], kind: str) -> Style | None:
        """Take the first of some characters, and return its style; None: no one sees it.

        Args:
            thing: the address of its text object.
            index: of the character.
            box: its left, bottom, right and top in the page's own space.
            kind: of it; see `Char.kind`.
        """
        style = self._styles.of(thing, index)
        self._first = index, box, style, kind
        return None if style.clipped else style

    def end(self, run: list[str], right: float) -> None:
        """Take the characters that began last, whose right edge is this in the page's own space."""
        index, (left, bottom, end, top), style, kind = self._first
        char = Char("".join(run), *self.frame.box(left, bottom, right if len(run) > 1 else end, top), style, kind)
        if not self._is_painted(char, index):
            self.found.append(char)

    def _is_painted(self, char: Char, index: int) -> bool:
        """Whether a text is where the same one was painted before, to make it bold or to shade it; if not, it is.

        The letters of a ligature are in one place too, but directly behind one another.
        """
        step = DOUBLE_SHARE * char.style.size
        across, down = char.left / step, char.top / step
        one, other = self._painted  # so that one of two cells holds both
        first = one.setdefault((char.text, int(across), int(down)), index)
        second = other.setdefault((char.text, int(across + 0.5), int(down + 0.5)), index)
        return index - min(first, second) > LIGATURE_LETTERS


def _size_drawn_type(chars: list[Char | bool | None]) -> list[Char | bool | None]:
    """Estimate the size of type whose font draws its characters in units of its own, and so states none.

    Their boxes fit the ink: many of them are as high as an `h`. Of signs that grow with their formula they say nothing:
    their type is no larger than the other text.
    """
    heights: defaultdict[tuple[int, float], list[float]] = defaultdict(list)
    signs: defaultdict[tuple[int, float], set[str]] = defaultdict(set)
    for char in chars:
        if isinstance(char, Char):
            height = char.bottom - char.top if char.style.turn in (0, 180) else char.right - char.left
            if height > DRAWN * char.style.size:
                heights[char.style.font, char.style.size].append(height)
                signs[char.style.font, char.style.size].update(char.text or UNKNOWN)
    if not heights:
        return chars
    sizes = {key: sorted(found)[len(found) * 4 // 5] / ASCENDER for key, found in heights.items()}
    known = (char.style for char in chars if isinstance(char, Char))
    common = Counter(sizes.get((one.font, one.size), one.size) for one in known).most_common(1)[0][0]
    sizes = {key: min(size, common) if signs[key] <= _GROWING else size for key, size in sizes.items()}
    return [
        char._replace(style=char.style._replace(size=sizes[key]))
        if isinstance(char, Char) and (key := (char.style.font, char.style.size)) in sizes
        else char
        for char in chars
    ]


def _join_halves(codes: Sequence[int], index: int) -> int:
    """The character of which PDFium gives each half as one; 0 at its second half."""
    half = codes[index]
    if half < 0xDC00:
        after = codes[index + 1] if index + 1 < len(codes) else 0
        return 0x10000 + ((half - 0xD800) << 10) + (after - 0xDC00) if 0xDC00 <= after < 0xE000 else half
    return 0 if index and 0xD800 <= codes[index - 1] < 0xDC00 else half


class _Kinds(dict[int, tuple[str, str]]):
    """Replacements of characters and their kinds, by code: see `_write_char`; `s`: spaces; `8`: halves."""

    def __missing__(self, code: int) -> tuple[str, str]:
        if code in _SPACES:
            self[code] = "", "s"
        elif 0xD800 <= code < 0xE000:
            self[code] = "", "8"
        else:
            self[code] = _write_char(code)
        return self[code]


def _write_char(code: int) -> tuple[str, str]:
    """Return the replacement of a character and its kind; see `Char.kind`. What cannot be decoded is U+FFFD."""
    if code in _HYPHENS:
        return "-", "h"
    if code < 0x20 or 0x7F <= code < 0xA0:
        return UNKNOWN, "u"
    if 0xD800 <= code < 0xE000 or code >= 0xF0000:
        return "", "u"  # half a character, or one of private use
    letter = chr(code)
    if 0x1D400 <= code < 0x1D800:  # a letter or figure of a formula in its own type, which no one types
        return unicodedata.normalize("NFKC", letter), ""
    if code < 0x0300:
        return letter, "a" if letter in ACCENTS else ""
    if unicodedata.category(letter) == "Mn":
        return letter, "m"
    right_to_left = 0x0590 <= code < 0x0900 or 0xFB1D <= code < 0xFDFF or 0xFE70 <= code < 0xFEFF
    return _SYMBOLS.get(code, letter), "r" if right_to_left else ""
