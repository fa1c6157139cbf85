"""Blocks become one text, and passages of about 900 characters that never cross a heading or a page.

900 characters are a few paragraphs: enough to be understood alone, short enough to be shown. Code and tables are cut
between lines only, and short ones not at all.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from elcano.activities.passages.document import Block, Document, Parsed, Passage, normalize_text

TARGET_CHARACTERS: Final = 900
TAIL_CHARACTERS: Final = 250
"""A rest shorter than this joins the passage before it: alone it would say nothing."""
SHORT_CHARACTERS: Final = 1_500
"""A document that is no longer is cut at headings and pages alone: half an abstract would mislead."""
CODE_CHARACTERS: Final = 6_000
"""Code and tables that are no longer stay whole."""
LABEL_CHARACTERS: Final = 90
"""A paragraph that is no longer and does not end like a sentence names what stands below it."""
HEADING_CHARACTERS: Final = 200
SEPARATOR: Final = "\n\n"
_SENTENCE_END: Final = re.compile(r"[.!?:;,\u3002\uff01\uff1f][\"')\]\u201d\u2019]*$")
_SENTENCE_ENDS: Final = (". ", "! ", "? ", ".\n", "!\n", "?\n", "\n")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A block, or a part of a long one, in its place."""

    start: int
    end: int
    section: int
    """Counts the headings before it: two sections may have one name."""
    heading: str
    block: Block


def assemble_document(parsed: Parsed, name: str, media_type: str) -> Document:
    """The stored text of the blocks and its passages; without a title of its own the document is called `name`."""
    blocks = [clean for block in parsed.blocks if (clean := _clean_block(block)).text]
    text = SEPARATOR.join(block.text for block in blocks)
    declared = " ".join(normalize_text(parsed.title).split())
    title = declared or next((block.text for block in blocks if block.kind == "heading"), "") or name
    target = TARGET_CHARACTERS if len(text) > SHORT_CHARACTERS else SHORT_CHARACTERS
    passages = tuple(_group_passages(_split_units(blocks, target), target))
    about = parsed.authors, parsed.year, parsed.empty_pages, parsed.work
    return Document(title[:HEADING_CHARACTERS], media_type, text, passages, *about)


def _clean_block(block: Block) -> Block:
    text = normalize_text(block.text)
    if block.kind == "code":
        return replace(block, text=text.rstrip().lstrip("\n"))
    if block.kind == "heading":
        return replace(block, text=" ".join(text.split())[:HEADING_CHARACTERS])
    return replace(block, text=text.strip())


def _split_units(blocks: list[Block], target: int) -> Iterator[_Unit]:
    only_headings = all(block.kind == "heading" for block in blocks)
    path: list[tuple[int, str]] = []
    section = offset = 0
    for block in blocks:
        if block.kind == "heading":
            path = [above for above in path if above[0] < block.level]
            path.append((block.level, block.text))
            section += 1
        if block.kind != "heading" or only_headings:
            heading = " > ".join(text for _, text in path)
            for start, end in _split_block(block, target):
                yield _Unit(offset + start, offset + end, section, heading, block)
        offset += len(block.text) + len(SEPARATOR)


def _group_passages(units: Iterable[_Unit], target: int) -> Iterator[Passage]:
    group: list[_Unit] = []
    for unit in units:
        if group and not _can_join_passage(unit, group, target):
            label = _find_trailing_label(group)
            if not label or not _can_join_passage(unit, label, target):
                label = []
            yield _build_passage(group[: len(group) - len(label)])
            group = label
        group.append(unit)
    if group:
        yield _build_passage(group)


def _find_trailing_label(group: list[_Unit]) -> list[_Unit]:
    """The end of a passage that only names what follows, as the term of a definition does: it belongs to that."""
    last = group[-1]
    short = last.end - last.start <= LABEL_CHARACTERS and last.block.kind == "text"
    names = short and "\n" not in last.block.text and _SENTENCE_END.search(last.block.text) is None
    return [last] if names and len(group) > 1 and not last.block.text.startswith("- ") else []


def _can_join_passage(unit: _Unit, group: list[_Unit], target: int) -> bool:
    first = group[0]
    if (unit.section, unit.block.page) != (first.section, first.block.page):
        return False
    room = target + (TAIL_CHARACTERS if unit.end - unit.start < TAIL_CHARACTERS else 0)
    return unit.end - first.start <= room


def _build_passage(group: list[_Unit]) -> Passage:
    first = group[0]
    block = first.block
    return Passage(first.start, group[-1].end, first.heading, block.page, block.anchor, block.paragraph)


def _split_block(block: Block, target: int) -> Iterator[tuple[int, int]]:
    """The block as spans without white space at their ends, cut after sentences or lines, else words, else anywhere."""
    text = block.text
    code = block.kind in ("code", "table")
    longest = CODE_CHARACTERS if code else target + TAIL_CHARACTERS
    marks = ("\n",) if code else _SENTENCE_ENDS
    start = 0
    while len(text) - start > longest:
        cut = _find_cut(text, start, start + TARGET_CHARACTERS, marks)
        end = start + len(text[start:cut].rstrip())
        if end > start:
            yield start, end
        start = cut
        while start < len(text) and text[start].isspace() and not (code and text[start] != "\n"):
            start += 1
    if start < len(text):
        yield start, len(text)


def _find_cut(text: str, start: int, end: int, marks: tuple[str, ...]) -> int:
    """Where to cut before `end`: after the last mark in the second half, else after a space, else at `end`."""
    middle = (start + end) // 2
    best = max(text.rfind(mark, middle, end) for mark in marks)
    if best < 0:
        best = text.rfind(" ", middle, end)
    return best + 1 if best >= 0 else end
