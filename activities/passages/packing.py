"""Blocks become one text, and passages of about 900 characters that never cross a heading or a page.

900 characters are a few paragraphs: enough to be understood alone, short enough to be shown. Code and tables are cut
between lines only, and short ones not at all.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from elcano.activities.passages.document import Block, Document, Parsed, Passage, Region, normalize_text
from elcano.graphs.report.places import Cell, Line, Places

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
_WORD: Final = re.compile(r"\S+")
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
    return Document(
        title[:HEADING_CHARACTERS],
        media_type,
        text,
        tuple(_group_passages(_split_units(blocks, target), target)),
        parsed.authors,
        parsed.year,
        parsed.work,
        parsed.doi,
        parsed.gaps,
        parsed.page_labels,
        *_place_blocks(blocks),
    )


def _place_blocks(blocks: list[Block]) -> tuple[Places, tuple[Region, ...]]:
    """The places and regions of blocks in the stored text."""
    lines: list[Line] = []
    cells: list[Cell] = []
    regions: list[Region] = []
    offset = 0
    for block in blocks:
        placed = Places(lines=block.lines, cells=block.cells).shift(offset)
        lines += placed.lines
        cells += placed.cells
        end = offset + len(block.text)
        if block.kind not in ("text", "heading") or block.confidence is not None:
            regions.append(Region(offset, end, block.kind, block.confidence))
        offset = end + len(SEPARATOR)
    return Places(lines=tuple(lines), cells=tuple(cells)), tuple(regions)


def _clean_block(block: Block) -> Block:
    """The block as it is stored; its lines and cells move with their characters."""
    text = normalize_text(block.text)
    if block.kind == "code":
        text = text.rstrip().lstrip("\n")
    elif block.kind == "heading":
        text = " ".join(text.split())[:HEADING_CHARACTERS]
    else:
        text = text.strip()
    if text == block.text or not (block.lines or block.cells):
        return replace(block, text=text)
    move = _OffsetMap(block.text, text)
    return replace(
        block,
        text=text,
        lines=tuple(line._replace(start=move(line.start), end=move(line.end)) for line in block.lines),
        cells=tuple(cell._replace(start=move(cell.start), end=move(cell.end)) for cell in block.cells),
    )


class _OffsetMap:
    """Where the characters of a text went when it was cleaned, found by the words of both."""

    def __init__(self, before: str, after: str) -> None:
        self._starts: list[int] = []
        self._moved: list[int] = []
        self._length = len(after)
        at = 0
        for word in _WORD.finditer(before):
            clean = normalize_text(word[0])
            found = after.find(clean, at) if clean.strip() else -1
            if found < 0:
                continue
            self._starts += [word.start(), word.end()]
            self._moved += [found, found + len(clean)]
            at = found + len(clean)

    def __call__(self, offset: int) -> int:
        """The offset in the cleaned text."""
        if not self._starts:
            return min(offset, self._length)
        number = max(bisect_right(self._starts, offset) - 1, 0)
        moved = self._moved[number] + max(offset - self._starts[number], 0)
        after = self._moved[number + 1] if number + 1 < len(self._moved) else self._length
        return min(moved, after)


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
