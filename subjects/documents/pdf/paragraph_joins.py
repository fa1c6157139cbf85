"""Joins paragraphs that go on in another column or on another page, and the items of lists."""

from collections.abc import Iterable
from typing import Final

from elcano.subjects.documents.pdf.paragraph_signs import ENDS, INDENT, SENTENCE_ENDS, TABULAR, Paragraph

FRAGMENT: Final = 60
"""A shorter text may be a label of a figure."""


def join_broken(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Join paragraphs that go on in another column or on the next page."""
    found: list[Paragraph] = []
    last: dict[tuple[int, int], Paragraph] = {}  # by size and turn: the labels of a figure may stand between
    for paragraph in paragraphs:
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
    return found


def _is_fragment(paragraph: Paragraph) -> bool:
    """Whether a paragraph is a row of a table or a label, which stands between the parts of another."""
    return paragraph.lines[0].pieces >= TABULAR or len(paragraph.text) < FRAGMENT


def _is_broken_off(paragraph: Paragraph) -> bool:
    return not SENTENCE_ENDS.search(paragraph.lines[-1].text)


def _goes_on(paragraph: Paragraph, after: Paragraph) -> bool:
    last, first = paragraph.lines[-1], after.lines[0]
    if first.page - last.page > 2 or (first.page, first.column) == (last.page, last.column):
        return False
    if abs(last.size - first.size) > 0.04 * last.size or last.turn != first.turn or first.bold != last.bold:
        return False
    if after.item or first.pieces >= TABULAR or last.pieces >= TABULAR or not _is_broken_off(paragraph):
        return False
    text = first.text
    if last.tokens[-1].endswith("-") or text[:1].islower():
        return len(last.tokens) > 2 or len(paragraph.lines) > 1
    full = last.room < 2 * last.size and len(paragraph.lines) > 1
    return full and first.start < INDENT * first.size and not ENDS.search(last.text)


def join_items(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Put items that follow one another into one list."""
    found: list[Paragraph] = []
    for paragraph in paragraphs:
        item = paragraph.item and paragraph.kind == "text"
        before = found[-1] if found else None
        if item and before is not None and before.kind == "list" and len(before.lines) < 200:
            before.breaks |= {len(before.lines)}
            before.lines += paragraph.lines
            continue
        if item:
            paragraph.kind = "list"
        found.append(paragraph)
    return found
