"""Finds pages whose letters cannot be decoded: their fonts draw words, and say wrongly or not which letters these are.

Two signs are looked for. Many codes are of no character at all. Or what should be words looks like none, and letters
are not as wide as in other fonts: an `i` is wide and an `m` narrow, since they are drawn as something else. The second
sign clears formulas, identifiers, names and code, which look like no words either; their letters are as wide as letters
are. Other scripts than the Latin one are judged by the first sign alone.
"""

import ctypes
import math
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import regex

from elcano.subjects.documents.pdf.words import Word

NO_CHARACTERS: Final = 0.15
"""The share of codes that are no characters from which on a page is not text. Pages of formulas in old fonts have up to
.13; pages without letter maps .15 to .97."""
WORDS: Final = 0.3
"""The share of letters in words of a language that clears a page all the same: its codes without characters are
symbols."""
UNLIKELY: Final = 0.12
"""The share of letters in what is no word from which on their widths are looked at. Prose has .02, code and formulas .1
to .3, pages with wrong letter maps .37 to 1."""
LEAST_LETTERS: Final = 40
"""Pages with fewer Latin letters are not judged by them."""
SAMPLE: Final = 1_200
"""Characters sampled across the page; a dense page has 6,000."""
WIDTHS: Final = 4_000
"""Characters measured, only on pages that look wrong."""
SAMPLE_WORDS: Final = 250
LEAST_CODES: Final = 20
"""Pages with fewer characters are not judged by them: a mark of a check box is in a font of symbols."""
KINDRED: Final = 0.4
"""The correlation of the widths of letters with those of Times below which they are not these letters. Of 850 pages the
right ones have .54 to 1, the wrong ones -.65 to .29."""
LEAST_KINDS: Final = 10
"""Minimum different letters for a correlation."""
LEAST_VARIATION: Final = 0.1
"""The relative deviation of the widths: in fonts like those of typewriters they say nothing."""
MOST_VARIATION: Final = 1.0
"""More is no variation of letters: the sizes of their fonts are not known."""

_TIMES: Final = {
    letter: int(width)
    for letters, widths in (
        ("abcdefghijklm", "444 500 444 500 444 333 500 500 278 278 500 278 778"),
        ("nopqrstuvwxyz", "500 500 500 500 333 389 278 500 500 722 500 500 444"),
        ("ABCDEFGHIJKLM", "722 667 667 722 611 556 722 722 333 389 722 611 889"),
        ("NOPQRSTUVWXYZ", "722 722 556 722 667 556 611 722 722 944 722 722 611"),
    )
    for letter, width in zip(letters, widths.split(), strict=True)
}
"""The widths of letters in Times, in thousandths of its size."""
_WORD: Final = regex.compile(r"[^\w]*(\p{Latin}+(?:['\u2019-]\p{Latin}+)*)[^\w]*\d{0,3}[^\w]*")
_VOWEL: Final = regex.compile(
    r"[aeiouy\u00e0-\u00e6\u00e8-\u00ef\u00f2-\u00f6\u00f8-\u00fd\u0101-\u0131\u014d-\u0173]", regex.I
)
_CLUSTER: Final = regex.compile(r"[bcdfghjklmnpqrstvwxz]{7}", regex.I)
_LATIN: Final = regex.compile(r"\p{Latin}")
_NONE: Final = frozenset(("Cc", "Cn", "Co", "Cs"))


def is_undecodable(text_page: pdfium.PdfTextPage, codes: Sequence[int], words: Sequence[Word]) -> bool:
    """Whether the letters of a page cannot be decoded.

    Args:
        text_page: the text of the page as PDFium reads it.
        codes: of its characters; see `chars.read_codes`.
        words: the words that were made of it.
    """
    likely, unlikely = _count_letters(words)
    marks = _count_marks(codes)
    count = marks.total()
    nothing = sum(marks[char] for char in marks if char == "\ufffd" or unicodedata.category(char) in _NONE)
    if count >= LEAST_CODES and nothing > NO_CHARACTERS * count and likely < WORDS * count:
        return True
    if unlikely < UNLIKELY * (likely + unlikely) or likely + unlikely < LEAST_LETTERS:
        return False
    kinship = _correlate_widths(text_page, codes)
    return kinship is not None and kinship < KINDRED


_HYPHEN: Final = "\ufffe"
"""PDFium's character for a hyphen at the end of a line."""


def _count_marks(codes: Sequence[int]) -> Counter[str]:
    """Characters of a page as its fonts declare them, without spaces."""
    sample = Counter(codes[:: len(codes) // SAMPLE + 1])
    chars = {chr(code) if code < 0x110000 else "\ufffd": count for code, count in sample.items()}
    return Counter({char: count for char, count in chars.items() if not char.isspace() and char != _HYPHEN})


def _count_letters(words: Sequence[Word]) -> tuple[int, int]:
    """The number of Latin letters in what looks like a word of some language, and in what does not."""
    likely = unlikely = 0
    for word in words[:: len(words) // SAMPLE_WORDS + 1]:
        letters = len(word.text) if word.text.isascii() and word.text.isalpha() else len(_LATIN.findall(word.text))
        if len(word.text) < 3 or letters < 2:
            continue
        if _is_word(word.text):
            likely += letters
        else:
            unlikely += letters
    return likely, unlikely


@lru_cache(4_000)
def _is_word(text: str) -> bool:
    found = _WORD.fullmatch(text)
    if found is None or _CLUSTER.search(text) or not _VOWEL.search(text):
        return False
    return all(part[1:].islower() or part.isupper() or len(part) == 1 for part in regex.split(r"['\u2019-]", found[1]))


def _correlate_widths(text_page: pdfium.PdfTextPage, codes: Sequence[int]) -> float | None:
    """Correlate the widths of a page's letters with those of Times, -1 to 1; None: they say nothing."""
    widths = _measure_letters(text_page, codes)
    points = [(statistics.median(found), _TIMES[letter], math.sqrt(len(found))) for letter, found in widths.items()]
    if len(points) < LEAST_KINDS:
        return None
    weight = sum(point[2] for point in points)
    mean = sum(width * share for width, _, share in points) / weight
    usual = sum(width * share for _, width, share in points) / weight
    spread = math.sqrt(sum((width - mean) ** 2 * share for width, _, share in points) / weight)
    if mean <= 0 or not LEAST_VARIATION < spread / mean < MOST_VARIATION:
        return None
    usual_spread = math.sqrt(sum((width - usual) ** 2 * share for _, width, share in points) / weight)
    common = sum((width - mean) * (other - usual) * share for width, other, share in points) / weight
    return common / (spread * usual_spread) if usual_spread else None


def _measure_letters(text_page: pdfium.PdfTextPage, codes: Sequence[int]) -> dict[str, list[float]]:
    """The widths of the Latin letters of upright text that occur more than once, as shares of their size."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    box, matrix = pdfium_c.FS_RECTF(), pdfium_c.FS_MATRIX()
    for index, code in enumerate(codes[:WIDTHS]):
        letter = chr(code) if code < 0x80 else ""
        if letter not in _TIMES:
            continue
        pdfium_c.FPDFText_GetMatrix(text_page.raw, index, ctypes.byref(matrix))
        size = pdfium_c.FPDFText_GetFontSize(text_page.raw, index) * math.hypot(matrix.c, matrix.d)
        if (
            size > 0
            and abs(matrix.b) < 1e-6
            and pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, index, ctypes.byref(box))
        ):
            found[letter].append((box.right - box.left) / size)
    return {letter: widths for letter, widths in found.items() if len(widths) > 1}
