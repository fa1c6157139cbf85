"""The words of a page of a PDF, with their places on the page as it is displayed.

Characters become words: runs that no gap, no space, no change of line and no change of base line part.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import normalize_text
from elcano.subjects.documents.pdf.chars import ACCENTS, ROOT, SUMS, UNKNOWN, Char, read_chars

GAP_SHARE: Final = 0.22
"""A gap wider than this share of the size parts words; word spaces are .25 wide and justified ones seldom under .2."""
TIGHT_SHARE: Final = 0.12
"""A gap wider than this parts the words of a line that was set so tight that all its spaces are narrower."""
TIGHT_LETTERS: Final = 24
"""Such a line looks like one word of at least so many characters; words of its own have three and more each."""
SPACE_SHARE: Final = 0.06
"""Minimum width of a space that PDFium adds; narrower ones are dropped."""
SHIFT_SHARE: Final = 0.05
"""A base line that changes by more than this share of the size begins a part of another kind, such as an exponent."""


DIAGONAL: Final = 0.25
"""Difference of cosine and sine below which the two sides of a slanted character cannot be told from its box."""
HEIGHT_SHARE: Final = 1.15
"""The height of the box of most characters, in sizes."""
ROOT_REACH: Final = 0.12
SUM_REACH: Final = 2.5
"""How far what is below a root, or behind a sum, may be away from its sign, in sizes."""
DROP: Final = 0.6, 1.1
"""How far the base line of that is below the sign's, in sizes: TeX's fonts have .8 for roots, .75 and .95 for sums."""
SMALL_LIMIT: Final = 0.86
"""Type that is smaller than this share of a sum's is one of its limits."""
AFTER_SHARE: Final = 1.0
"""A character that cannot be decoded is a sign of its line if it follows another word within so many sizes; else it is
a bullet, an icon, or what fills a cell."""


class Word(NamedTuple):
    """A run of characters without a space in it."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    base: float
    """Position of its base line: y for upright text and text upside down, x for text turned by a quarter."""
    size: float
    """The size of its type in points, as displayed."""
    bold: bool = False
    turn: int = 0
    """Degrees by which it is turned clockwise on the displayed page: 0, 90, 180, 270, or any other for slanted text."""
    raised: bool = False
    """Whether it is in small type above the line: an exponent, or the mark of a note."""
    joined: bool = False
    """Whether it follows the word before it without a space: a raised mark, or a part in other type."""
    lowered: bool = False
    """Whether it is in small type below the line: an index."""
    confidence: float | None = None
    """OCR's confidence, 0 to 1; None: its characters are in the file."""
    fixed: bool = False
    """Whether all characters of its type are of one width, as in code."""
    estimated: bool = False
    """Whether its place within a field is estimated, so that its base line tells nothing."""


class Page(NamedTuple):
    """Content of a page, in points of the displayed page."""

    number: int
    """Counted from 1."""
    width: float
    height: float
    words: tuple[Word, ...] = ()
    """In the order in which they are painted."""


def read_words(page: pdfium_c.FPDF_PAGE, text_page: pdfium_c.FPDF_TEXTPAGE, codes: Sequence[int]) -> list[Word]:
    """The words of a loaded page, in the order in which they are painted; `codes` are those of `read_codes`."""
    return build_words(read_chars(page, text_page, codes))


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
                words += _build_parts(run, joined, swapped)
                run, joined = [], close
        run.append(char)
        space = False
    if run:
        words += _build_parts(run, joined, swapped)
    words = [word for number, word in enumerate(words) if word.text and not _is_bullet(words, number)]
    return [_lower_sign(word, words[number + 1 : number + 6]) for number, word in enumerate(words)]


def _lower_sign(word: Word, following: Sequence[Word]) -> Word:
    """The sign of a root or a sum on the base line of what it is of: TeX's hang from base lines of their own."""
    if word.text != ROOT and word.text not in SUMS:
        return word
    size = word.size
    if word.text != ROOT:  # its limits are in smaller type
        following = [after for after in following if after.size > SMALL_LIMIT * size]
    for after in following[:1]:
        gap = after.left - word.right
        near = abs(gap) < ROOT_REACH * size if word.text == ROOT else -ROOT_REACH < gap / size < SUM_REACH
        same = after.turn == word.turn == 0 and abs(after.size - size) < ROOT_REACH * size
        if near and same and DROP[0] * size < after.base - word.base < DROP[1] * size:
            return word._replace(base=after.base)
    return word


def _is_bullet(words: list[Word], number: int) -> bool:
    """Whether a word is nothing but a sign that cannot be decoded, and follows no other: then it says nothing."""
    word = words[number]
    if word.text.strip(UNKNOWN):
        return False
    before = words[number - 1] if number else word
    if before is word or not before.text.strip(UNKNOWN):
        return True
    on_line = before.turn == word.turn and abs(before.base - word.base) <= SHIFT_SHARE * word.size
    ahead = word.left - before.right if word.turn in (0, 180) else word.top - before.bottom
    return not on_line or not -word.size < ahead <= AFTER_SHARE * word.size


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
    if gap < 0 and (char.kind in ("m", "a") or before.kind == "a"):
        return False, False
    # An accent begins further right than the letter below it.
    if gap > GAP_SHARE * size or space or (space is None and gap > SPACE_SHARE * size and char.kind != "a"):
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
    if turn:
        angle = math.radians(turn)
        across = char.left + char.right - before.left - before.right
        down = char.top + char.bottom - before.top - before.bottom
        ahead = (across * math.cos(angle) + down * math.sin(angle)) / 2
        return ahead - (_measure_slanted(before) + _measure_slanted(char)) / 2
    return char.left - before.right


def _measure_slanted(char: Char) -> float:
    """The width of a slanted character, whose upright box holds it as a turned one."""
    angle = math.radians(char.style.turn)
    cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
    wide, high = char.right - char.left, char.bottom - char.top
    if abs(cosine - sine) > DIAGONAL:
        return (wide * cosine - high * sine) / (cosine * cosine - sine * sine)
    return (wide + high) / (cosine + sine) - HEIGHT_SHARE * char.style.size


def _build_parts(run: list[Char], joined: bool, swapped: bool) -> Iterator[Word]:
    """The word of a run; several if it is a tight line, where all gaps are narrow ones between words of letters."""
    cuts = [0]
    if len(run) > 2 and sum(len(char.text) for char in run) >= TIGHT_LETTERS:
        gap = TIGHT_SHARE * run[0].style.size
        cuts += [n for n in range(1, len(run)) if _gap(run[n - 1], run[n]) > gap]
    parts = ["".join(char.text for char in run[start:end]) for start, end in pairwise([*cuts, len(run)])]
    if len(parts) < 3 or sum(len(part) > 2 and part.strip(".,;:()-").isalpha() for part in parts) < 0.6 * len(parts):
        cuts = [0]
    for start, end in pairwise([*cuts, len(run)]):
        yield _build_word(run[start:end], joined and not start, swapped)


def _build_word(run: list[Char], joined: bool, swapped: bool) -> Word:
    style = max(run, key=lambda char: char.style.size).style if len(run) > 1 else run[0].style
    text = "".join([char.text for char in run])
    if not text.isascii() or any(char.kind for char in run):
        text = _write_word(run, swapped)
    if len(run) == 1:  # as nearly always
        _, left, top, right, bottom, _, _ = run[0]
    else:
        left, top = min(char.left for char in run), min(char.top for char in run)
        right, bottom = max(char.right for char in run), max(char.bottom for char in run)
    return Word(
        text,
        left,
        top,
        right,
        bottom,
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
        if char.kind == "a" and number + 1 < len(run) and _is_over(char, run[number + 1], 0):
            waiting = ACCENTS[char.text]
        elif char.kind == "a" and number and _is_over(char, run[number - 1], -1):
            parts.append(ACCENTS[char.text])
        elif waiting:
            first = {"\u0131": "i", "\u0237": "j"}.get(char.text[0], char.text[0])
            parts += [first, waiting, char.text[1:]]
            waiting = ""
        else:
            parts.append(char.text)
    text = _NEGATED.sub("\\1\u0338", "".join(parts)).replace("c\u20dd", "\u00a9")
    return "".join(normalize_text(text).split())


_NEGATED: Final = re.compile("\u0338([=<>\u2208\u223c\u2248\u2261\u2264\u2265\u2282-\u2287])")
"""TeX paints the stroke before the sign that it negates; Unicode has it behind."""


def _is_over(accent: Char, letters: Char, which: int) -> bool:
    """Whether an accent is over the first or last of some letters."""
    width = (letters.right - letters.left) / len(letters.text)
    left = letters.left if which == 0 else letters.right - width
    shared = min(accent.right, left + width) - max(accent.left, left)
    return letters.text[which].isalpha() and shared > 0.5 * min(accent.right - accent.left, width)


_ALEFS: Final = "\u0622\u0623\u0625\u0627\u0671"
_LAM: Final = "\u0644"


def _are_ligatures_swapped(chars: list[Char | bool | None]) -> bool:
    """Whether the letters of ligatures come in the wrong order: an alef is never before a lam in one glyph.

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
