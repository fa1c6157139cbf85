"""Finds the headings of a document by the size and weight of their type, by their numbers, and by their position."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import regex

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.packed_lists import PackedList
from elcano.subjects.documents.pdf.paragraph_signs import SENTENCE_ENDS, TABULAR, Paragraph, sign_of

HEADING_SIZE: Final = 1.09
"""Type that is larger than the text's by this is that of a heading."""
HEADING_LENGTH: Final = 180
HEADING_LINES: Final = 4
"""A heading has fewer lines."""
LEADING: Final = 1.6
"""The step between the lines of a heading is at most so many times their size."""

_NUMBERED_HEADING: Final = regex.compile(
    r"(?:(\d{1,2}(?:\.\d{1,2}){0,4})\.?|[IVX]{1,5}\.|[A-Z]\.(?:\d{1,2}\.?)*|(?:Appendix|Chapter|Section|Part|Kapitel|Anhang)\s[\dA-Z]{1,3}[.:]?)\s+\p{L}"
)
_LETTER: Final = regex.compile(r"\p{L}")
_Style: TypeAlias = tuple[float, int]


def find_headings(pages: Iterable[Sequence[Paragraph]], body_size: float) -> Iterator[Paragraph]:
    """The paragraphs of pages, the headings named, and their levels by the size and weight of their type."""
    bold = whole = 0
    held: deque[PackedList[Paragraph]] = deque()
    styles: dict[bool, set[_Style]] = {True: set(), False: set()}
    for paragraphs in pages:
        for one in paragraphs:
            length = len(one.text)
            whole += length
            bold += length if one.lines[0].bold else 0
            for weighty, found in styles.items():
                if _is_heading(one, body_size, weighty):
                    found.add(_style_of(one))
        held.append(PackedList(paragraphs))
    weighty = bold < 0.4 * (whole or 1)  # where most is bold, weight tells nothing
    levels = _rank_styles(styles[weighty])
    while held:
        for one in held.popleft():
            if _is_heading(one, body_size, weighty):
                one.kind, one.item = "heading", False
                one.level = levels[_style_of(one)]
            yield one


def join_headings(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Join the lines of headings that were set in the middle, or with a hanging indent."""
    last: Paragraph | None = None
    for paragraph in paragraphs:
        if last is not None and paragraph.kind == last.kind == "heading" and _goes_on(last, paragraph):
            last.lines += paragraph.lines
            continue
        if last is not None:
            yield last
        last = paragraph
    if last is not None:
        yield last


def _goes_on(heading: Paragraph, after: Paragraph) -> bool:
    """Whether a heading goes on in the next line of its type: its own had no room for one more word."""
    last, line = heading.lines[-1], after.lines[0]
    if (last.page, last.column, last.turn, last.bold) != (line.page, line.column, line.turn, line.bold):
        return False
    if abs(last.size - line.size) > 0.04 * last.size or not 0 < line.base - last.base <= LEADING * line.size:
        return False
    if len(heading.lines) + len(after.lines) >= HEADING_LINES or is_numbered(after.text):
        return False
    return not has_room(last, line)


def has_room(before: TextLine, line: TextLine) -> bool:
    """Whether the first word of a line had room at the end of the one before; not where lines are set in the middle."""
    first = abs(line.edges[1] - line.edges[0]) if len(line.edges) > 1 else line.right - line.left
    return before.room > first + 0.6 * line.size and abs(before.start - before.room) > before.size


def begins_small(text: str) -> bool:
    """Whether the first letter of a text is a small one."""
    letter = _LETTER.search(text)
    return letter is not None and letter[0].islower()


def is_numbered(text: str) -> bool:
    """Whether a text begins with the number of a section."""
    return _NUMBERED_HEADING.match(text[:60]) is not None


def _rank_styles(styles: Iterable[_Style]) -> dict[_Style, int]:
    """The level of each style; sizes that nearly equal one another are one."""
    levels: dict[_Style, int] = {}
    level, before = 0, None
    for style in sorted(styles, key=lambda style: (-style[0], style[1])):
        if before is None or style[0] < 0.93 * before[0] or style[1] != before[1]:
            level, before = min(level + 1, 6), style
        levels[style] = level
    return levels


def _style_of(heading: Paragraph) -> _Style:
    """What tells the level of a heading: its size, and how deep its number is."""
    numbered = _NUMBERED_HEADING.match(heading.text[:60])
    return heading.size, numbered[1].count(".") if numbered and numbered[1] else 0


def _is_heading(paragraph: Paragraph, body_size: float, weighty: bool) -> bool:
    if paragraph.kind != "text" or len(paragraph.lines) >= HEADING_LINES:
        return False
    text, first = paragraph.text, paragraph.lines[0]
    if len(text) > HEADING_LENGTH or not _LETTER.search(text) or first.pieces >= TABULAR or first.turn:
        return False
    if len(_LETTER.findall(text)) < 2 or text[-1] in ",;" or (sign_of(first) == "bullet"):
        return False
    if first.pieces > 1 and first.tokens[-1].isdecimal():  # of a table of contents
        return False
    numbered = is_numbered(text)
    if SENTENCE_ENDS.search(text) and not numbered and text.endswith("."):
        return False
    if paragraph.size > HEADING_SIZE * body_size:
        return True
    if all(line.bold for line in paragraph.lines) and weighty and (numbered or not begins_small(text)):
        return paragraph.size > 0.9 * body_size
    capitals = text.isupper() and len(text) > 4 and len(paragraph.lines) == 1
    return (capitals or (numbered and len(paragraph.lines) == 1)) and _is_alone(paragraph, body_size)


def _is_alone(paragraph: Paragraph, body_size: float) -> bool:
    line = paragraph.lines[0]
    return line.size > 0.95 * body_size and line.room > 2 * line.size
