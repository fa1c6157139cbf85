"""Finds the headings of a document by the size and weight of their type, by their numbers, and by their position."""

from collections.abc import Sequence
from typing import Final

import regex

from elcano.subjects.documents.pdf.paragraph_signs import SENTENCE_ENDS, TABULAR, Paragraph, sign_of

HEADING_SIZE: Final = 1.09
"""Type that is larger than the text's by this is that of a heading."""
HEADING_LENGTH: Final = 180
HEADING_LINES: Final = 4
"""A heading has fewer lines."""

_NUMBERED_HEADING: Final = regex.compile(
    r"(?:(\d{1,2}(?:\.\d{1,2}){0,4})\.?|[IVX]{1,5}\.|[A-Z]\.(?:\d{1,2}\.?)*|(?:Appendix|Chapter|Section|Part|Kapitel|Anhang)\s[\dA-Z]{1,3}[.:]?)\s+\p{L}"
)
_LETTER: Final = regex.compile(r"\p{L}")


def find_headings(paragraphs: Sequence[Paragraph], body_size: float) -> None:
    """Name the headings, and their levels by the size and weight of their type."""
    bold = sum(len(one.text) for one in paragraphs if one.lines and one.lines[0].bold)
    whole = sum(len(one.text) for one in paragraphs) or 1
    weighty = bold < 0.4 * whole  # where most is bold, weight tells nothing
    headings = [one for one in paragraphs if _is_heading(one, body_size, weighty)]
    styles = _rank_styles(headings)
    for heading in headings:
        heading.kind, heading.item = "heading", False
        heading.level = styles[_style_of(heading)]


def _rank_styles(headings: Sequence[Paragraph]) -> dict[tuple[float, int], int]:
    """The level of each style; sizes that nearly equal one another are one."""
    levels: dict[tuple[float, int], int] = {}
    level, before = 0, None
    for style in sorted({_style_of(one) for one in headings}, key=lambda style: (-style[0], style[1])):
        if before is None or style[0] < 0.93 * before[0] or style[1] != before[1]:
            level, before = min(level + 1, 6), style
        levels[style] = level
    return levels


def _style_of(heading: Paragraph) -> tuple[float, int]:
    """Return the style that decides the level of a heading: its size, and how deep its number is."""
    numbered = _NUMBERED_HEADING.match(heading.text[:60])
    return heading.size, numbered[1].count(".") if numbered and numbered[1] else 0


def _is_heading(paragraph: Paragraph, body_size: float, weighty: bool) -> bool:
    if paragraph.kind != "text" or paragraph.thing is not None or len(paragraph.lines) >= HEADING_LINES:
        return False
    text, first = paragraph.text, paragraph.lines[0]
    if len(text) > HEADING_LENGTH or not _LETTER.search(text) or first.pieces >= TABULAR or first.turn % 90:
        return False
    if len(_LETTER.findall(text)) < 2 or text[-1] in ",;" or (sign_of(first) == "bullet"):
        return False
    numbered = _NUMBERED_HEADING.match(text[:60]) is not None
    if SENTENCE_ENDS.search(text) and not numbered and text.endswith("."):
        return False
    if paragraph.size > HEADING_SIZE * body_size:
        return True
    if all(line.bold for line in paragraph.lines) and weighty:
        return paragraph.size > 0.9 * body_size
    capitals = text.isupper() and len(text) > 4 and len(paragraph.lines) == 1
    return (capitals or (numbered and len(paragraph.lines) == 1)) and _stands_alone(paragraph, body_size)


def _stands_alone(paragraph: Paragraph, body_size: float) -> bool:
    line = paragraph.lines[0]
    return (
        line.size > 0.95 * body_size
        and line.room > 2 * line.size
        and len(line.tokens) < 14
        and not paragraph.text.endswith(".")
    )
