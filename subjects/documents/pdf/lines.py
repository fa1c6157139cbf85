"""The lines of a page in reading order, each with its words and with the edges of its column."""

import itertools
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import regex

from elcano.subjects.documents.pdf.columns import Column, find_columns
from elcano.subjects.documents.pdf.segments import (
    Segment,
    build_segments,
    find_common_size,
    group_rows,
    is_right_to_left,
    turn_upright,
)
from elcano.subjects.documents.pdf.words import GAP_SHARE, Page, Word
from elcano.text.words import lower_text, raise_text

SAME_ROW: Final = 0.35
"""Segments of one column whose base lines differ by less than this share of their size are read as one line."""
PIECE_GAP: Final = 1.8
"""A gap that is wider than this many sizes parts cells; few justified lines have such."""
JUSTIFIED: Final = 1.25
"""The widest gap of a justified line is this many times its narrowest at most."""
GLUED: Final = 0.12
"""A raised or lowered word that is closer than this share of the size belongs to the word before it."""
_LATIN: Final = regex.compile(r"\p{L}")
LEADING: Final = 4
"""Number of single dots in a row that lead to a page number."""
_LEADER: Final = regex.compile(r"\.{5,}|\u2026{2,}|(?:\u00b7){5,}")
_MARKS: Final = regex.compile(r"([,;*\u2013\u2020-\u2022\u00a7\u00b6#\p{So}-]+)")


@dataclass(slots=True)
class TextLine:
    """One line of a column, in the frame in which it reads upright."""

    page: int
    turn: int
    tokens: list[str]
    edges: Sequence[float]
    """Start of each token in its reading direction."""
    left: float
    top: float
    right: float
    bottom: float
    base: float
    size: float
    bold: bool
    column: int
    """Counts the columns of its page, bands of one column apart."""
    column_left: float = 0.0
    column_right: float = 0.0
    pieces: int = 1
    """Number of parts into which wide gaps divide it."""
    marked: bool = False
    """Whether it begins with a raised mark."""
    right_to_left: bool = False
    fixed: bool = False
    """Whether it is in type of one width, as code does."""
    confidence: float | None = None
    lean: float = 0.0
    """By how much it falls for each point to the right."""
    thing: Any = None

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(self.tokens)

    @property
    def start(self) -> float:
        """Return its distance from the side at which lines begin."""
        return self.column_right - self.right if self.right_to_left else self.left - self.column_left

    @property
    def room(self) -> float:
        """The room between its end and the edge of its column."""
        return self.left - self.column_left if self.right_to_left else self.column_right - self.right


def read_lines(
    page: Page, things: Iterable[tuple[int, Segment]] = (), known: Mapping[int, list[Segment]] | None = None
) -> list[TextLine]:
    """The lines of a page: those in the direction of most of its text first, slanted ones last.

    Args:
        page: its words.
        things: what takes the place of text, such as tables, with their turns; their words are not among the page's.
        known: the segments of all of its words by their turns, where these are known.
    """
    lines: list[TextLine] = []
    turns = Counter[int]()
    for word in page.words:
        turns[word.turn] += len(word.text)
    placed: dict[int, list[Segment]] = {}
    for turn, thing in things:
        placed.setdefault(turn, []).append(thing)
        turns[turn] += THING_CHARACTERS
    main = turns.most_common(1)[0][0] if turns else 0
    for turn in sorted(turns, key=lambda turn: (turn % 90 > 0, turn != main, -turns[turn])):
        words = [turn_upright(word, page.width, page.height) for word in page.words if word.turn == turn]
        kept = drop_line_numbers(words) if turn == main else words
        ready = known.get(turn) if known and len(kept) == len(words) else None
        segments = (build_segments(kept) if ready is None else ready) + placed.get(turn, [])
        lines += _read_frame(segments, page.number, turn, len(lines))
    return lines


def _read_frame(segments: list[Segment], page: int, turn: int, first: int) -> list[TextLine]:
    letters = [is_right_to_left(word.text) for one in segments for word in one.words if _LATIN.search(word.text)]
    right_to_left = sum(letters) * 2 > len(letters)
    found: list[TextLine] = []
    for number, column in enumerate(find_columns(segments, right_to_left=right_to_left), start=first):
        found += _read_column(column, page, turn, number)
    return found


def _read_column(column: Column, page: int, turn: int, number: int) -> list[TextLine]:
    lines = [build_line(row, page, turn, number) for row in _split_things(group_rows(column.segments, SAME_ROW))]
    lefts = sorted(line.left for line in lines if line.thing is None)
    rights = sorted(-line.right for line in lines if line.thing is None)
    left, right = _find_edge(lefts, column.left), -_find_edge(rights, -column.right)
    for line in lines:
        line.column_left, line.column_right = left, right
    return lines


def _split_things(rows: Iterable[list[Segment]]) -> Iterable[list[Segment]]:
    """Rows in which what is no text is by itself."""
    for row in rows:
        if text := [one for one in row if one.thing is None]:
            yield text
        for one in row:
            if one.thing is not None:
                yield [one]


def _find_edge(values: Sequence[float], default: float) -> float:
    """The first of sorted values that another one nearly equals: one line alone may protrude."""
    for one, other in itertools.pairwise(values):
        if other - one < 2:
            return one
    return values[0] if values else default


def build_line(row: list[Segment], page: int, turn: int, column: int) -> TextLine:
    """The line that segments on one base line make."""
    words = [word for segment in row for word in segment.words]
    box = (
        min(segment.left for segment in row),
        min(segment.top for segment in row),
        max(segment.right for segment in row),
        max(segment.bottom for segment in row),
    )
    if not words:
        return TextLine(page, turn, [], [], *box, row[0].base, row[0].size, False, column, thing=row[0].thing)
    letters = [word for word in words if _LATIN.search(word.text)]
    mirrored = sum(is_right_to_left(word.text) for word in letters) * 2 > len(letters)
    ordered = order_words(words, mirrored)
    if turn % 90 and 90 < turn < 270:  # slanted and upside down, in the frame of the page
        ordered.reverse()
    tokens, edges = build_tokens(ordered, mirrored)
    read = [word.confidence for word in words if word.confidence is not None]
    large = max(row, key=lambda segment: segment.size)
    capitals = any(map(str.isalpha, tokens)) and not any(token.upper() != token for token in tokens)
    return TextLine(
        page,
        turn,
        list(map(sys.intern, tokens)),  # all lines of a document are held, and their words recur
        array("d", edges),
        *box,
        large.base,
        large.size if capitals else find_common_size(words),  # small capitals are as large as those before them
        bool(letters) and all(word.bold for word in letters),
        column,
        pieces=_count_pieces(row),
        marked=ordered[0].raised,
        right_to_left=mirrored,
        fixed=all(word.fixed for word in words),
        confidence=sum(read) / len(read) if read else None,
    )


def _count_pieces(row: list[Segment]) -> int:
    """Count the parts that wide gaps divide a row into; those of a line that was justified are wide and equal."""
    ordered = sorted(row, key=lambda segment: segment.left)
    gaps = [(after.left - before.right) / after.size for before, after in itertools.pairwise(ordered)]
    if len(gaps) > 1 and max(gaps) < JUSTIFIED * min(gaps):
        words = sum(any(word.text[-1:].islower() or word.raised for word in segment.words) for segment in ordered)
        if words > 0.6 * len(ordered):
            return 1
    return 1 + sum(gap > PIECE_GAP for gap in gaps)


def order_words(words: list[Word], mirrored: bool) -> list[Word]:
    """Words in reading order: from the right in a line of such script, but runs of other words from the left."""
    if not mirrored:
        return sorted(words, key=lambda word: word.left)
    ordered: list[Word] = []
    run: list[Word] = []
    for word in sorted(words, key=lambda word: -word.right):
        if _LATIN.search(word.text) and not is_right_to_left(word.text):
            run.append(word)
            continue
        ordered += run[::-1]
        run = []
        ordered.append(word)
    return ordered + run[::-1]


def build_tokens(words: Sequence[Word], mirrored: bool = False) -> tuple[list[str], list[float]]:
    """Build the tokens between the spaces of a line, each with its start; exponents and indices as they are written."""
    tokens: list[str] = []
    edges: list[float] = []
    before: Word | None = None
    for word in _join_shifted(words):
        text = _write_shifted(word)
        if before is not None and is_glued(before, word):
            tokens[-1] += text
        else:
            tokens.append(text)
            edges.append(word.right if mirrored else word.left)
        before = word
    return _drop_leaders(tokens, edges, words)


def _join_shifted(words: Sequence[Word]) -> Iterable[Word]:
    """The words, those of one exponent or index as one: its minus is often a word of its own."""
    last: Word | None = None
    for word in words:
        if (
            last is not None
            and (word.raised or word.lowered)
            and (last.raised, last.lowered) == (word.raised, word.lowered)
            and -GLUED * word.size <= word.left - last.right <= 2 * GLUED * word.size
        ):
            last = last._replace(text=last.text + word.text, right=word.right)
            continue
        if last is not None:
            yield last
        last = word
    if last is not None:
        yield last


def _drop_leaders(tokens: list[str], edges: list[float], words: Sequence[Word]) -> tuple[list[str], list[float]]:
    """Leave out the dots that lead the eye from a title to its page number."""
    if not any(_LEADER.search(token) for token in tokens) and not any(
        tokens[at : at + LEADING] == ["."] * LEADING for at in range(len(tokens) - LEADING)
    ):
        return tokens, edges
    kept: list[str] = []
    begins: list[float] = []
    for number, (token, edge) in enumerate(zip(tokens, edges, strict=True)):
        until = edges[number + 1] if number + 1 < len(edges) else words[-1].right
        at = 0
        for leader in (*_LEADER.finditer(token), None):
            part = token[at : leader.start() if leader else len(token)]
            if part and not (part == "." and tokens[max(0, number - 1) : number + 2].count(".") > 1):
                kept.append(part)
                begins.append(edge + (until - edge) * at / len(token))
            at = leader.end() if leader else at
    return (kept, begins) if kept else (tokens, edges)


def is_glued(before: Word, word: Word) -> bool:
    """Whether a word follows another one without a space."""
    size = max(before.size, word.size)
    gap = max(word.left - before.right, before.left - word.right)
    if word.joined:
        return gap <= GAP_SHARE * size
    shifted = word.raised or word.lowered or before.raised or before.lowered
    return shifted and gap <= GLUED * size


def _write_shifted(word: Word) -> str:
    if word.raised:
        parts = _MARKS.split(word.text) if not word.text.startswith(("-", "\u2013")) else [word.text]
        return "".join(part if _MARKS.fullmatch(part) else raise_text(part) for part in parts)
    return lower_text(word.text) if word.lowered else word.text


THING_CHARACTERS: Final = 200
"""Weight of a table when the direction of most text is determined."""
LEAST_NUMBERED: Final = 8
"""Minimum lines in a row with numbers in the margin."""


def drop_line_numbers(words: list[Word]) -> list[Word]:
    """The words without the numbers that are next to the lines of a manuscript.

    They are below one another at the left or right of everything else, and count the lines, each or every fifth.
    """
    numbers = [word for word in words if word.text.isascii() and word.text.isdigit() and len(word.text) <= 4]
    if len(numbers) < LEAST_NUMBERED:
        return words
    dropped: set[int] = set()
    for edge in (_right_edge, _left_edge):
        for place, count in Counter(map(edge, numbers)).items():
            if count >= LEAST_NUMBERED:
                column = [word for word in numbers if abs(edge(word) - place) <= 1]
                if _counts_lines(column, words):
                    dropped.update(map(id, column))
    return [word for word in words if id(word) not in dropped]


def _left_edge(word: Word) -> int:
    return round(word.left / 3)


def _right_edge(word: Word) -> int:
    return round(word.right / 3)


def _counts_lines(column: list[Word], words: list[Word]) -> bool:
    column.sort(key=lambda word: word.base)
    steps = Counter(int(after.text) - int(before.text) for before, after in itertools.pairwise(column))
    step, often = steps.most_common(1)[0]
    if step not in (1, 2, 5, 10) or often < 0.8 * (len(column) - 1):
        return False
    left, right = min(word.left for word in column), max(word.right for word in column)
    inside = set(map(id, column))
    others = [word for word in words if id(word) not in inside]
    if not others:
        return False
    space = 0.8 * column[0].size
    outside = max(sum(word.left > right + space for word in others), sum(word.right < left - space for word in others))
    top, bottom = column[0].base, column[-1].base
    rows = {round(word.base / 3) for word in others if top - 2 <= word.base <= bottom + 2}
    return outside >= 0.97 * len(others) and len(column) * step >= 0.5 * len(rows)
