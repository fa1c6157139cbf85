"""Segments: stretches of words on one base line that only word spaces part.

A line of a column is one segment, or several where its spaces are wide; a row that is drawn across a gutter is several.
Everything here reads upright text: words that are turned by a quarter are turned back first.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, Protocol, TypeVar

import regex

from elcano.subjects.documents.pdf.chars import ROOT, SUMS
from elcano.subjects.documents.pdf.frames import turn_box
from elcano.subjects.documents.pdf.words import Page, Word

WORD_SPACE: Final = 0.75
"""A gap wider than this share of the size may be a gutter, or part cells."""
APART_SPACE: Final = 0.45
"""The same between segments that were not painted behind one another: gutters may be as narrow."""
SAME_BASE: Final = 0.2
"""Words of one size whose base lines differ by less than this share of it are on one line."""
SHIFT: Final = 0.62
"""The same for a word in smaller type: exponents are raised by .33 to .45, those of exponents more."""
SMALL: Final = 0.86
"""Type that is smaller than this share of its neighbour's may be raised or lowered; footnotes are .8 of their text."""
RAISED: Final = 0.12
LOWERED: Final = 0.06
"""Shift of smaller type, as a share of the line's size, from which it is an exponent or an index."""
MARK_SPACE: Final = 4
"""The mark at the beginning of a note may stand so many times further from its line than other raised words."""
PROSE_WORDS: Final = 4
"""Minimum words of three and more letters that make a line."""
INITIAL: Final = 1.7
"""Minimum size of a chapter's initial, as a multiple of its text."""
_RIGHT_TO_LEFT: Final = regex.compile(r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{NKo}]")


def is_right_to_left(text: str) -> bool:
    """Whether a script that is written from right to left is in `text`."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def turn_word(word: Word, turn: int, width: float, height: float) -> Word:
    """The word as seen in the direction of reading of text that is turned by `turn`; see `turn_box`."""
    if not turn:
        return word
    left, top, right, bottom = turn_box((word.left, word.top, word.right, word.bottom), turn, width, height)
    on_side = word.turn in (90, 270)
    x, y, _, _ = turn_box((word.base if on_side else 0, 0 if on_side else word.base) * 2, turn, width, height)
    base = x if (word.turn - turn) % 180 else y
    return word._replace(left=left, top=top, right=right, bottom=bottom, base=base)


def turn_upright(word: Word, width: float, height: float) -> Word:
    """The word in the frame in which it reads upright; `width` and `height` are those of the displayed page."""
    return turn_word(word, word.turn, width, height) if word.turn in (90, 180, 270) else word


class HasBase(Protocol):
    """Type on a base line."""

    @property
    def base(self) -> float:
        """Position of the base line."""

    @property
    def size(self) -> float:
        """The size of the type."""


OnBase = TypeVar("OnBase", bound=HasBase)


@dataclass(slots=True)
class Segment:
    """Words on one base line, or a thing that takes the place of text, such as a table."""

    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    words: list[Word] = field(default_factory=list)
    thing: Any = None

    @property
    def width(self) -> float:
        """Its width."""
        return self.right - self.left

    def add(self, word: Word) -> None:
        """Take one more word; the largest type says where the base line is."""
        self.words.append(word)
        self.left = word.left if word.left < self.left else self.left
        self.right = word.right if word.right > self.right else self.right
        self.top = word.top if word.top < self.top else self.top
        self.bottom = word.bottom if word.bottom > self.bottom else self.bottom
        if word.size > 1.1 * self.size:
            self.base, self.size = word.base, word.size


def build_segments_by_turn(page: Page) -> dict[int, list[Segment]]:
    """The segments of a page by the turns of their words, in the frames in which these read upright."""
    turned: dict[int, list[Word]] = {}
    for word in page.words:
        turned.setdefault(word.turn, []).append(turn_upright(word, page.width, page.height))
    return {turn: build_segments(words) for turn, words in turned.items()}


def build_segments(words: Iterable[Word]) -> list[Segment]:
    """The segments of upright words, in no order."""
    words = list(words)
    initials = _find_initials(words)
    segments: list[Segment] = []
    current: Segment | None = None
    for word in words:
        alone = bool(initials) and (word in initials or (current is not None and current.words[-1] in initials))
        if current is not None and not alone and _continues(current, word):
            current.add(word)
        else:
            current = Segment(word.left, word.top, word.right, word.bottom, word.base, word.size, [word])
            segments.append(current)
    apart = [one for one in segments if one.words[0] in initials] if initials else []
    merged = _merge_small(_merge_rows([one for one in segments if one.words[0] not in initials] if apart else segments))
    for segment in merged:
        _mark_shifted(segment)
    return _attach_initials(merged, apart)


def find_common_size(words: Iterable[Word]) -> float:
    """The size of most of the characters of words, in tenths of points; 0: there are none."""
    counts: dict[float, int] = {}
    for word in words:
        counts[word.size] = counts.get(word.size, 0) + len(word.text)
    sizes = Counter[float]()
    for size, count in counts.items():
        sizes[round(size, 1)] += count
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _find_initials(words: Sequence[Word]) -> frozenset[Word]:
    """The large first letters of chapters: not those of a title, which words in type of the same size follow.

    They are on the base line of a later line. Taken for words of it, they would make its base line that of the first
    line too, and interlace the two.
    """
    common = find_common_size(words)
    return frozenset(
        word
        for number, word in enumerate(words)
        if word.size > INITIAL * common
        and len(word.text) <= 2
        and word.text[-1:].isupper()
        and not any(
            other != word and abs(other.base - word.base) < SAME_BASE * word.size and other.size * INITIAL > word.size
            for other in words[max(0, number - 1) : number + 2]
        )
    )


def _continues(segment: Segment, word: Word) -> bool:
    before = segment.words[-1]
    size = max(segment.size, word.size)
    small = min(segment.size, word.size) < SMALL * size
    if abs(word.base - segment.base) > (SHIFT if small or word.joined else SAME_BASE) * size:
        return False
    gap = word.left - before.right
    if gap < -0.5 * size and (is_right_to_left(before.text) or is_right_to_left(word.text)):
        gap = before.left - word.right
    return -0.5 * size <= gap <= WORD_SPACE * size


def _merge_rows(segments: list[Segment]) -> list[Segment]:
    """Segments that are next to one another on one base line, in whatever order they were painted."""
    merged: list[Segment] = []
    for row in group_rows(segments, SAME_BASE):
        row.sort(key=lambda segment: segment.left)
        last: Segment | None = None
        for segment in row:
            size = max(segment.size, last.size) if last is not None else 0
            if (
                last is not None
                and -0.3 * size <= segment.left - last.right <= APART_SPACE * size
                and min(segment.size, last.size) > SMALL * size
            ):
                for word in segment.words:
                    last.add(word)
            else:
                merged.append(segment)
                last = segment
    return merged


def group_rows(things: Iterable[OnBase], tolerance: float) -> list[list[OnBase]]:
    """Things by their base lines, from the top; they differ by less than `tolerance`, a share of the smaller size."""
    rows: list[list[OnBase]] = []
    for one in sorted(things, key=attrgetter("base")):
        if rows and one.base - rows[-1][0].base <= tolerance * min(one.size, rows[-1][0].size):
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _merge_small(segments: list[Segment]) -> list[Segment]:
    """Raised and lowered words that were painted apart from their line go back to it."""
    if not segments:
        return segments
    large = max(segment.size for segment in segments)
    ordered = sorted(segments, key=lambda segment: segment.base)
    bases = [segment.base for segment in ordered]
    gone: set[int] = set()
    for segment in ordered:
        if len(segment.words) > 3 or segment.size > SMALL * large:
            continue
        host = _find_host(segment, ordered, bases, min(large, 3 * segment.size))
        if host is not None:
            for word in segment.words:
                host.words.append(word)
            host.left, host.right = min(host.left, segment.left), max(host.right, segment.right)
            gone.add(id(segment))
    return [segment for segment in segments if id(segment) not in gone]


def _find_host(small: Segment, ordered: Sequence[Segment], bases: Sequence[float], reach: float) -> Segment | None:
    from bisect import bisect_left, bisect_right

    low = bisect_left(bases, small.base - 0.4 * reach)
    high = bisect_right(bases, small.base + SHIFT * reach)
    best: Segment | None = None
    nearest = 0.3
    for host in ordered[low:high]:
        if host is small or small.size > SMALL * host.size:
            continue
        shift = (host.base - small.base) / host.size
        if not -0.4 <= shift <= SHIFT:
            continue
        away = max(small.left - host.right, (host.left - small.right) / MARK_SPACE) / host.size
        if -0.3 < away < nearest or (away <= -0.3 and _fits_between(small, host)):
            best, nearest = host, max(away, -0.3)
    return best


def _fits_between(small: Segment, host: Segment) -> bool:
    """Whether there is room for a segment between the words of another."""
    allowed = 0.15 * host.size
    return not any(word.left < small.right - allowed and word.right > small.left + allowed for word in host.words)


def _mark_shifted(segment: Segment) -> None:
    """Mark raised and lowered words, in their order from the left."""
    small = [word for word in segment.words if word.size < SMALL * segment.size]
    if not small:
        return
    large = all(word.text in ROOT + SUMS for word in segment.words if word.size >= SMALL * segment.size)
    if large and sum(len(word.text) > 2 and word.text.isalpha() for word in small) >= PROSE_WORDS:
        return  # a line next to a large root or sum: no index has as many words
    for number, word in enumerate(segment.words):
        if word.size >= SMALL * segment.size or word.estimated:
            continue
        up = segment.base - word.base
        if up > RAISED * segment.size:
            segment.words[number] = word._replace(raised=True)
        elif up < -LOWERED * segment.size:
            segment.words[number] = word._replace(lowered=True)


def _attach_initials(segments: list[Segment], initials: Iterable[Segment]) -> list[Segment]:
    """The large first letter of a chapter goes to the first of the lines that are next to it."""
    left_over: list[Segment] = []
    for initial in initials:
        neighbours = [
            one
            for one in segments
            if initial.size > INITIAL * one.size
            and len(one.words) > 2
            and initial.base - 0.8 * initial.size < one.base < initial.base - 0.5 * one.size
            and -0.5 * one.size <= one.left - initial.right < 1.2 * one.size
        ]
        if neighbours:
            first = min(neighbours, key=lambda one: one.base)
            letter = initial.words[0]
            start = min(range(len(first.words)), key=lambda number: first.words[number].left)
            word = first.words[start]
            glued = letter.text + word.text if word.left - letter.right < 0.5 * word.size else ""
            if glued:
                first.words[start] = word._replace(text=glued, left=letter.left)
            else:
                first.words.insert(start, letter._replace(base=first.base, size=first.size))
        else:
            left_over.append(initial)
    return [*segments, *left_over]
