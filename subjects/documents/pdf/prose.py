"""Running text, which is never a table: stacks of lines that fill their column."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elcano.subjects.documents.pdf.tables import TextRow, Token
from elcano.subjects.documents.pdf.text_rows import is_number, split_segments

LEAST_WIDTH: Final = 11.0
"""A line of running text is at least as wide as this many times its size; columns of newspapers are 14 to 20."""
LEAST_WORDS: Final = 4
"""Words that a line of running text has at least."""
LETTERS: Final = 0.6
"""The share of words that are mostly letters in running text."""
STEP: Final = 1.9
"""The step between lines of a paragraph is at most this many times their size: double-spaced text has 2.4 and is
found by its width."""
INDENT: Final = 3.0
"""Maximum indent of a line in a paragraph, as a multiple of the size."""
RAGGED: Final = 0.25
"""Maximum difference between line ends, as a share of the widest line."""
LEAST_NUMBERED_LINES: Final = 5
"""Running text next to numbers has at least so many lines, most of them full: fewer are labels of a table."""
FULL_LINE: Final = 28.0
"""Two lines that are both as wide as this are running text, without a third."""


class _Segment(NamedTuple):
    row: int
    left: float
    right: float
    base: float
    size: float
    flowing: bool
    numbered: bool
    """Whether a number is next to it."""
    tokens: tuple[Token, ...]


def find_prose(rows: Sequence[TextRow]) -> set[Token]:
    """The tokens of running text."""
    stacks: list[list[_Segment]] = []
    open_stacks: list[list[_Segment]] = []
    for number, row in enumerate(rows):
        parts = split_segments(row)
        texts = [" ".join(token.text for token in part) for part in parts[1:]]
        numbers = any(map(is_number, texts)) and all(is_number(text) or text.count(" ") < 2 for text in texts)
        segments = [_build_segment(number, part, numbers) for part in parts]
        open_stacks = [stack for stack in open_stacks if row.base - stack[-1].base <= 2.6 * stack[-1].size]
        for segment in segments:
            stack = next((stack for stack in open_stacks if _goes_on(stack, segment, segments)), None)
            if stack is not None:
                stack.append(segment)
            elif segment.flowing:
                stacks.append([segment])
                open_stacks.append(stacks[-1])
    prose: set[Token] = set()
    for stack in stacks:
        if _is_prose(stack):
            prose.update(token for segment in stack for token in segment.tokens)
    return prose


def _build_segment(row: int, tokens: Sequence[Token], numbered: bool) -> _Segment:
    left, right = tokens[0].left, max(token.right for token in tokens)
    size = max(token.size for token in tokens)
    worded = sum(1 for token in tokens if sum(map(str.isalpha, token.text)) > len(token.text) / 2)
    flowing = len(tokens) >= LEAST_WORDS and right - left >= LEAST_WIDTH * size and worded >= LETTERS * len(tokens)
    return _Segment(row, left, right, tokens[0].base, size, flowing, numbered, tuple(tokens))


def _goes_on(stack: Sequence[_Segment], segment: _Segment, neighbours: Sequence[_Segment]) -> bool:
    """Whether a segment is the next line of a paragraph: it begins where its lines begin, and nothing else does."""
    before = stack[-1]
    step = segment.base - before.base
    left, right = min(line.left for line in stack), max(line.right for line in stack)
    if not 0 < step <= STEP * before.size and not (segment.flowing and step <= 2.6 * before.size):
        return False
    if abs(segment.size - before.size) > 0.15 * before.size:
        return False
    if abs(segment.left - left) > INDENT * segment.size or segment.right > right + RAGGED * (right - left):
        return False
    if segment.flowing:
        return True
    return not any(other is not segment and other.left < right and other.right > left for other in neighbours)


def _is_prose(stack: Sequence[_Segment]) -> bool:
    flowing = [segment for segment in stack if segment.flowing]
    widest = max(segment.right - segment.left for segment in flowing)
    full = [segment for segment in flowing if segment.right - segment.left >= (1 - RAGGED) * widest]
    labels = sum(1 for segment in stack if segment.numbered)
    if 2 * labels >= len(stack) and (len(stack) < LEAST_NUMBERED_LINES or len(full) < 0.7 * len(stack)):
        return False  # the labels of rows with numbers
    if len(full) >= 2 and widest >= FULL_LINE * stack[0].size:
        return True
    return len(full) >= 3 and len(flowing) >= 0.5 * len(stack)
