"""Words of a page as rows of tokens, in the direction in which they are read, and what the tokens say of themselves."""

import re
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final

from elcano.subjects.documents.pdf.edges import Edge
from elcano.subjects.documents.pdf.lines import build_tokens, is_glued
from elcano.subjects.documents.pdf.segments import Segment, group_rows
from elcano.subjects.documents.pdf.tables import TextRow, Token
from elcano.subjects.documents.pdf.words import Word

BASE_TOLERANCE: Final = 0.35
"""Tokens whose base lines differ by less than this share of their size are on one line."""
SEGMENT_GAP: Final = 0.9
"""A gap wider than this share of the size parts a line into segments; justified text seldom has one."""


def collect_tokens(segments: Iterable[Segment]) -> list[Token]:
    """Collect the tokens between spaces in segments."""
    tokens: list[Token] = []
    group: list[Word] = []
    for segment in segments:
        for word in sorted(segment.words, key=_LEFT):
            if group and not (
                (word.joined or word.raised or word.lowered or group[-1].raised) and is_glued(group[-1], word)
            ):
                tokens.append(_build_token(group))
                group = []
            group.append(word)
        tokens.append(_build_token(group))
        group = []
    return tokens


_LEFT: Final = attrgetter("left")


def _build_token(words: Sequence[Word]) -> Token:
    main = words[0]
    if len(words) == 1:  # as nearly always
        box = (main.left, main.top, main.right, main.bottom)
        return Token(*box, main.base, main.size, main.bold, main.text, (main,))
    main = max(words, key=lambda word: (word.size, len(word.text)))
    return Token(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
        main.base,
        main.size,
        main.bold,
        "".join(build_tokens(words)[0]),
        tuple(words),
    )


def build_rows(tokens: Iterable[Token]) -> list[TextRow]:
    """Tokens by base line, from the top."""
    return [build_row(group) for group in group_rows(tokens, BASE_TOLERANCE)]


def build_row(tokens: Iterable[Token]) -> TextRow:
    """The row of some tokens on one line."""
    ordered = tuple(sorted(tokens, key=_LEFT))
    sizes = sorted([token.size for token in ordered])
    bases = [token.base for token in ordered]
    largest, usual = sizes[-1], sizes[len(sizes) // 2]
    base = next(token.base for token in ordered if token.size == largest)
    return TextRow(base, min(bases) - 0.75 * largest, max(bases) + 0.25 * largest, usual, ordered)


def split_segments(row: TextRow, gap: float = SEGMENT_GAP) -> list[list[Token]]:
    """The parts of a row between gaps wider than `gap` times its size."""
    segments = [[row.tokens[0]]]
    reach = row.tokens[0].right
    for token in row.tokens[1:]:
        if token.left - reach > gap * row.size:
            segments.append([])
        segments[-1].append(token)
        reach = max(reach, token.right)
    return segments


_NUMBER_LIKE: Final = re.compile(r"[\d\s⁰-₎¹²³.,·'\u2019%‰°$€£¥±+\-\u2212\u2013\u2014<>≤≥=~≈\u00d7/:;()\[\]*†‡§]+")
"""Numbers with their signs, intervals and marks."""
_UNIT_LIKE: Final = re.compile(r"[^\W\d_]{1,7}")
_PLACEHOLDER: Final = re.compile(
    r"[-\u2013\u2014\u2212.\u2026*+x✓✔✗✘·?/]{1,4}|n\.? ?[ads]\.?|n/[ad]|n\.?r\.?|ref\.?|nil|none|yes|no", re.IGNORECASE
)


def is_number(text: str) -> bool:
    """Whether the text of a cell is a number, with its unit, interval and marks, or takes the place of one."""
    if _PLACEHOLDER.fullmatch(text):
        return True
    digits = sum(map(str.isdigit, text))
    if not digits or len(text) > 40:
        return False
    if _NUMBER_LIKE.fullmatch(text):
        return True
    units = _UNIT_LIKE.findall(text)
    rest = _UNIT_LIKE.sub("", text)
    letters = len(text) - len(rest)
    return (
        len(units) <= 3 and letters <= max(3, digits) and bool(_NUMBER_LIKE.fullmatch(rest)) and not text[0].isalpha()
    )


def is_between(rule: Edge, above: TextRow, below: TextRow) -> bool:
    """Whether a rule is between two rows: below the base line of the one, above the small letters of the other."""
    return above.base - 0.1 * above.size < rule.at < below.base - 0.3 * below.size


def find_middle_height(token: Token) -> float:
    """The height at which the middle of its small letters is."""
    return token.base - 0.3 * token.size
