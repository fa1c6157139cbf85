"""Words of a page as rows of tokens, in the direction in which they are read, and what the tokens say of themselves."""

import re
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from elcano.plugins.documents.pdf.lines import build_tokens, is_glued
from elcano.plugins.documents.pdf.segments import build_segments, turn_upright
from elcano.plugins.documents.pdf.tables import TextRow, Token
from elcano.plugins.documents.pdf.words import Word

BASE_TOLERANCE: Final = 0.35
"""Tokens whose base lines differ by less than this share of their size stand on one line."""
SEGMENT_GAP: Final = 0.9
"""A gap wider than this share of the size parts a line into segments; justified text seldom has one."""


def collect_tokens(words: Iterable[Word], turn: int, width: float, height: float) -> list[Token]:
    """What stands between spaces among the words that are turned by `turn`, in the frame in which they are read."""
    upright = [turn_upright(word, width, height) for word in words if word.turn == turn]
    tokens = []
    for segment in build_segments(upright):
        group: list[Word] = []
        for word in sorted(segment.words, key=lambda word: word.left):
            if group and not is_glued(group[-1], word):
                tokens.append(_build_token(group))
                group = []
            group.append(word)
        tokens.append(_build_token(group))
    return tokens


def _build_token(words: Sequence[Word]) -> Token:
    main = max(words, key=lambda word: (word.size, len(word.text)))
    return Token(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
        main.base,
        main.size,
        main.bold,
        words[0].text if len(words) == 1 else "".join(build_tokens(words)[0]),
        tuple(words),
    )


def build_rows(tokens: Iterable[Token]) -> list[TextRow]:
    """Tokens by base line, from the top; small ones that stand a little higher or lower join the line beside them."""
    groups: list[list[Token]] = []
    anchor = 0.0
    for token in sorted(tokens, key=lambda token: token.base):
        if groups and token.base - anchor <= BASE_TOLERANCE * min(token.size, groups[-1][0].size):
            groups[-1].append(token)
        else:
            groups.append([token])
            anchor = token.base
    return [build_row(group) for group in groups]


def build_row(tokens: Iterable[Token]) -> TextRow:
    """The row of some tokens on one line."""
    ordered = tuple(sorted(tokens, key=lambda token: token.left))
    return TextRow(
        max(ordered, key=lambda token: token.size).base,
        min(token.base - 0.75 * token.size for token in ordered),
        max(token.base + 0.25 * token.size for token in ordered),
        median(token.size for token in ordered),
        ordered,
    )


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


_NUMBER_LIKE: Final = re.compile(r"[\d\s⁰-₎¹²³.,·'’%‰°$€£¥±+\-−–—<>≤≥=~≈×/:;()\[\]*†‡§]+")
"""Numbers with their signs, intervals and marks."""
_UNIT_LIKE: Final = re.compile(r"[^\W\d_]{1,7}")
_PLACEHOLDER: Final = re.compile(
    r"[-–—−.…*+x✓✔✗✘·?/]{1,4}|n\.? ?[ads]\.?|n/[ad]|n\.?r\.?|ref\.?|nil|none|yes|no", re.IGNORECASE
)


def is_number(text: str) -> bool:
    """Whether the text of a cell is a number, with its unit, interval and marks, or stands for one."""
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
