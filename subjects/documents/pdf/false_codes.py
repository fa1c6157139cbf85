"""Finds characters that a font draws as others than it declares, and corrects their codes.

Typesetters of journals kept the signs of mathematics in fonts of their own, such as `AdvP4C4E74` or MathematicalPi, at
the codes of letters and figures: `P<0.001` is declared as `P,0.001`, `7±5` as `7+5`. Neither the names of glyphs nor a
map to Unicode need say otherwise: only what is drawn does. So the glyphs of fonts of which a page has few characters
are compared with the letters that they are said to be. A sign that is known by its shape takes the place of its code;
what resembles nothing becomes a character that cannot be decoded. Fonts of TeX name their glyphs, by names that PDFium
does not know.
"""

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Final

import pypdfium2.raw as pdfium_c

from elcano.subjects.documents.pdf.glyph_shapes import Outline, find_sign, measure_shape, read_outline, resemble
from elcano.subjects.documents.pdf.plain_calls import address_of, get_text_object

UNDECODABLE: Final = 0x1A
"""Replacement for a meaningless code: the control character that Unicode calls a substitute."""
FEW: Final = 8
"""Fonts of more different characters on a page are fonts of text, and not looked at. Those of signs have 1 to 5."""
MOST_BYTES: Final = 1_000_000
"""Larger fonts are none of signs."""
MOST_GLYPHS: Final = 300
"""Maximum glyphs examined per page; pages of papers have up to 40."""
RIGHT: Final = 0.45
"""A glyph that resembles its letter at least so much is right. Of 33,000 letters of text fonts .985 do."""
FALSE: Final = 0.15
"""A glyph that resembles its letter less is another one, whatever it is."""
SURE: Final = 0.72
MARGIN: Final = 0.12
"""A glyph is a sign that it resembles so much, and so much more than any other."""
BETTER: Final = 0.3
"""By how much it has to resemble the sign more than the letter that it is said to be."""
SAME_WIDTH: Final = 0.03
"""Sizes by which the width of a glyph may differ from what a character takes: else the character has another glyph."""

_NAMED: Final = {
    "prime": "\u2032", "lessmuch": "\u226a", "greatermuch": "\u226b", "angbracketleft": "\u27e8",
    "angbracketright": "\u27e9", "negationslash": "\u0338", "circlecopyrt": "\u20dd", "summation": "\u2211",
    "integral": "\u222b", "product": "\u220f", "union": "\u22c3", "intersection": "\u22c2", "parenleft": "(",
    "parenright": ")", "bracketleft": "[", "bracketright": "]", "braceleft": "{", "braceright": "}", "bar": "|",
    "bardbl": "\u2016", "lessorsimilar": "\u2272", "greaterorsimilar": "\u2273", "triangleleft": "\u25c1",
    "notexistential": "\u2204", "similarequal": "\u2243", "precedesequal": "\u2aaf", "followsequal": "\u2ab0",
}  # fmt: skip
"""Glyphs of TeX by their names in its fonts, without a size."""
_GLYPH_NAME: Final = re.compile(rb"dup\s+(\d{1,3})\s*/([A-Za-z]+?)(?:big|Big|bigg|Bigg|text|display)?\s+put")
_HEADER_BYTES: Final = 20_000
"""Bytes at the beginning of a Type 1 font that have its names in the clear."""
_FIRST_FORMULA: Final = 0x250
"""End of Latin letters and what is among them: brackets and roots of formulas have all shapes."""
_NO_GLYPHS: Final = frozenset((*range(0x21), *range(0x7F, 0xA1), 0xAD, 0xFFFE, *range(0xD800, 0xE000)))
"""Spaces, hyphens at the ends of lines, control characters and halves."""


def correct_codes(text_page: pdfium_c.FPDF_TEXTPAGE, codes: Sequence[int]) -> Sequence[int]:
    """The codes of the characters of a page, corrected where others are drawn."""
    things = list(map(get_text_object, repeat(address_of(text_page)), range(len(codes))))
    places = dict(zip(zip(things, codes, strict=True), range(len(codes)), strict=True))  # the last one of each
    fonts = {thing: _find_font(thing) for thing in set(things)}
    glyphs: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for (thing, code), index in places.items():
        if fonts[thing]:
            glyphs[fonts[thing]][code] = index
    drawn: dict[tuple[int, int], int] = {}
    for font, found in glyphs.items():
        drawn |= {(font, code): sign for code, sign in _find_named(font, found, text_page)}
        found = {code: index for code, index in found.items() if code not in _NO_GLYPHS and (font, code) not in drawn}
        if len(found) <= FEW and len(drawn) < MOST_GLYPHS:
            drawn |= {(font, code): _find_drawn(font, code, text_page, index) for code, index in found.items()}
    if all(code == declared for (_, declared), code in drawn.items()):
        return codes
    return [drawn.get((fonts[thing], code), code) for thing, code in zip(things, codes, strict=True)]


def _find_font(thing: int | None) -> int:
    """The address of the font of a text object; 0: there is none."""
    return address_of(pdfium_c.FPDFTextObj_GetFont(ctypes.cast(thing, pdfium_c.FPDF_PAGEOBJECT))) if thing else 0


def _find_named(font: int, found: Mapping[int, int], text_page: pdfium_c.FPDF_TEXTPAGE) -> Iterator[tuple[int, int]]:
    """The codes of characters that a font only has a name for, each with that of its sign; `found`: where they are."""
    undeclared = [code for code, at in found.items() if pdfium_c.FPDFText_HasUnicodeMapError(text_page, at) == 1]
    if not undeclared:
        return
    header = _load_font(ctypes.cast(font, pdfium_c.FPDF_FONT))[:_HEADER_BYTES]
    names = {int(code): name.decode() for code, name in _GLYPH_NAME.findall(header)}
    for code in undeclared:
        if sign := _NAMED.get(names.get(code, "")):
            yield code, ord(sign)


def _find_drawn(font: int, code: int, text_page: pdfium_c.FPDF_TEXTPAGE, index: int) -> int:
    """The code of what a font draws for a character.

    Args:
        font: its address.
        code: of the character, as it is declared.
        text_page: where it is.
        index: where it is there.
    """
    handle = ctypes.cast(font, pdfium_c.FPDF_FONT)
    if pdfium_c.FPDFFont_GetIsEmbedded(handle) != 1:
        return code
    # The font does not say which character its glyph is, and PDFium takes its code for one.
    undeclared = pdfium_c.FPDFText_HasUnicodeMapError(text_page, index) == 1
    outline = read_outline(handle, code)
    if outline is None or not _is_of(outline, handle, code, text_page, index):
        return UNDECODABLE if undeclared and _is_simple(handle) else code
    return _judge_outline(outline, code, undeclared=undeclared)


def _is_simple(font: pdfium_c.FPDF_FONT) -> bool:
    """Whether a font has named glyphs, of which PDFium knows none: Type 1 or compact. Others are often read right."""
    return _load_font(font)[:2] in (b"%!", b"\x80\x01", b"\x01\x00")


def _load_font(font: pdfium_c.FPDF_FONT) -> bytes:
    """The file of a font; empty: it has none, or a large one."""
    size = ctypes.c_size_t()
    if not pdfium_c.FPDFFont_GetFontData(font, None, 0, size) or not 4 < size.value <= MOST_BYTES:
        return b""
    data = (ctypes.c_uint8 * size.value)()
    pdfium_c.FPDFFont_GetFontData(font, data, size.value, size)
    return bytes(data)


def _is_of(
    outline: Outline, font: pdfium_c.FPDF_FONT, code: int, text_page: pdfium_c.FPDF_TEXTPAGE, index: int
) -> bool:
    """Whether the glyph that a font has for a code is as wide as the character: one code may have many glyphs."""
    width, box, matrix = ctypes.c_float(), pdfium_c.FS_RECTF(), pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(text_page, index, matrix)
    scale = math.hypot(matrix.a, matrix.b) * abs(pdfium_c.FPDFText_GetFontSize(text_page, index))
    if not scale or not pdfium_c.FPDFFont_GetGlyphWidth(font, code, 1.0, width):
        return False
    pdfium_c.FPDFText_GetLooseCharBox(text_page, index, box)
    turned = abs(matrix.b) > abs(matrix.a)
    across: float = (box.top - box.bottom if turned else box.right - box.left) / scale
    edges = [x for part in outline for x, _ in part]
    # The box holds the glyph, which may be wider than what it takes.
    takes: float = max(width.value, *edges) - min(0.0, *edges)
    return abs(across - takes) <= SAME_WIDTH


@lru_cache(500)
def _judge_outline(outline: Outline, code: int, *, undeclared: bool) -> int:
    """The code of what an outline shows that is declared to be this one."""
    shape, declared = measure_shape(outline), chr(code) if code < 0x110000 else ""
    if shape is None:
        return code
    likeness = resemble(shape, declared)
    if likeness is None and not undeclared:
        return code  # a letter of another script
    if likeness is not None and likeness >= RIGHT:
        return code
    sign, best, next_best = find_sign(shape)
    if best >= SURE and best - next_best >= MARGIN and best - (likeness or 0.0) >= BETTER:
        return ord(sign)
    if undeclared or (likeness is not None and likeness < FALSE and code < _FIRST_FORMULA):
        return UNDECODABLE
    return code
