"""Joins paragraphs that go on in another column or on another page, and the items of lists."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from elcano.subjects.documents.pdf.paragraph_signs import ENDS, INDENT, SENTENCE_ENDS, TABULAR, Paragraph

PAGES_APART: Final = 2
"""A picture may fill the page between two parts of a paragraph."""
FRAGMENT: Final = 60
"""A shorter text may be a label of a figure."""


def join_broken(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Join paragraphs that go on in another column or on the next page."""
    found: deque[Paragraph] = deque()
    last: dict[tuple[int, int], Paragraph] = {}  # by size and turn: the labels of a figure may be between
    for paragraph in paragraphs:
        while found and paragraph.lines[0].page - found[0].lines[-1].page > PAGES_APART:
            yield found.popleft()
        if paragraph.kind == "heading":
            last.clear()
        elif paragraph.kind == "text":
            type_of = (round(paragraph.lines[0].size * 2), paragraph.lines[0].turn)
            before = last.get(type_of)
            if before is not None and _goes_on(before, paragraph):
                before.lines += paragraph.lines
                continue
            if before is None or not _is_broken_off(before) or not _is_fragment(paragraph):
                last[type_of] = paragraph
        found.append(paragraph)
    yield from found


def _is_fragment(paragraph: Paragraph) -> bool:
    """Whether a paragraph is a row of a table or a label, which is between the parts of another."""
    return paragraph.lines[0].pieces >= TABULAR or len(paragraph.text) < FRAGMENT


def _is_broken_off(paragraph: Paragraph) -> bool:
    return not SENTENCE_ENDS.search(paragraph.lines[-1].text)


def _goes_on(paragraph: Paragraph, after: Paragraph) -> bool:
    last, first = paragraph.lines[-1], after.lines[0]
    if first.page - last.page > PAGES_APART or (first.page, first.column) == (last.page, last.column):
        return False
    if first.bold != last.bold:
        return False
    if after.item or first.pieces >= TABULAR or last.pieces >= TABULAR or not _is_broken_off(paragraph):
        return False
    text = first.text
    if last.tokens[-1].endswith("-") or text[:1].islower():
        return len(last.tokens) > 2 or len(paragraph.lines) > 1
    full = last.room < 2 * last.size and len(paragraph.lines) > 1
    return full and first.start < INDENT * first.size and not ENDS.search(last.text)


def join_items(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Put items that follow one another into one list."""
    last: Paragraph | None = None
    for paragraph in paragraphs:
        item = paragraph.item and paragraph.kind == "text"
        if item and last is not None and last.kind == "list" and len(last.lines) < 200:
            last.breaks |= {len(last.lines)}
            last.lines += paragraph.lines
            continue
        if last is not None:
            yield last
        # A list is a paragraph of its own: `join_broken` may yet look at the one that became its first item.
        last = replace(paragraph, kind="list", lines=[*paragraph.lines]) if item else paragraph
    if last is not None:
        yield last
