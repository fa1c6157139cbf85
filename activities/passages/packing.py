"""Blocks become one text, and passages of about 900 characters that never cross a heading.

900 characters are a few paragraphs: enough to be understood alone, short enough to be shown. A passage continues to
another page only within a paragraph. Code and tables are cut between lines only, and short ones not at all. What
belongs together stays so where it fits: a caption, its table and the notes below that; what announces a list, and the
list.
Notes and comments are passages of their own: they are not what the text says.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Final

from elcano.activities.passages.document import Block, Document, Parsed, Passage, normalize_text
from elcano.activities.passages.place_arrays import CellArray, LineArray
from elcano.activities.passages.place_packing import pack_places
from elcano.graphs.text import shorten_text
from elcano.text.languages import text_language
from elcano.text.words import sentence_ends

TARGET_CHARACTERS: Final = 900
TAIL_CHARACTERS: Final = 250
"""A rest shorter than this joins the passage before it: alone it would say nothing."""
SHORT_CHARACTERS: Final = 1_500
"""A document that is no longer is cut at headings and pages alone: half an abstract would mislead."""
CODE_CHARACTERS: Final = 6_000
"""Code and tables that are no longer stay whole, a table with its caption and its notes."""
LABEL_CHARACTERS: Final = 90
"""A paragraph that is no longer and does not end like a sentence names what is below it."""
LEAD_CHARACTERS: Final = 600
"""A paragraph that ends with a colon and is no longer announces a list; a note of a table is no longer either."""
HEADING_CHARACTERS: Final = 200
"""A longer heading is shortened where it is above passages, and is text as well."""
HEAD_CHARACTERS: Final = 1_000
"""The rows of a table's head that its later passages know."""
NAME_CHARACTERS: Final = 2_000
"""Maximum characters of a title, an author's name, a reason or a label; metadata may have megabytes of anything."""
ANCHOR_CHARACTERS: Final = 500
"""A longer anchor is left out: part of it leads nowhere, and each passage below it would repeat it."""
LANGUAGE_CHARACTERS: Final = 5_000
"""Characters of a document from which its language is detected."""
SEPARATOR: Final = "\n\n"
_APART: Final = ("note", "comment")
_WORD: Final = re.compile(r"\S+")
_SENTENCE_END: Final = re.compile(r"[.!?:;,\u3002\uff01\uff1f][\"')\]\u201d\u2019]*$")
_ITEM: Final = re.compile(r"(?:[-*\u2022\u2013]|\(?\w{1,3}[.)])\s")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(])[^\W\d_]{1,2}\.$")
"""The end of an initial or a short abbreviation, behind which a text is not cut."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A block, or a part of a long one, in its place."""

    start: int
    end: int
    section: int
    """Counts the headings before it: two sections may have one name."""
    heading: str
    block: Block
    first_page: int
    last_page: int
    head: str = ""
    """The rows of the head of the table of which it is a later part."""

    @property
    def text_length(self) -> int:
        return self.end - self.start


def assemble_document(parsed: Parsed, name: str, media_type: str) -> Document:
    """The text and passages of the blocks, which are taken out of `parsed`; without a title it is called `name`."""
    labels = tuple(shorten_text(_clean_name(label), LABEL_CHARACTERS) for label in parsed.page_labels)
    blocks: list[Block] = []
    places = pack_places(_take_blocks(parsed.blocks, blocks), len(SEPARATOR), labels)
    gaps = tuple(gap._replace(reason=_clean_name(gap.reason)) for gap in parsed.gaps)
    text = SEPARATOR.join(block.text for block in blocks)
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    title = _clean_name(parsed.title) or heading or name
    target = TARGET_CHARACTERS if len(text) > SHORT_CHARACTERS else SHORT_CHARACTERS
    return Document(
        shorten_text(title, HEADING_CHARACTERS),
        media_type,
        text,
        tuple(_group_passages(list(_split_units(blocks, target, text)), target)),
        tuple(filter(None, map(_clean_name, parsed.authors))),
        parsed.year,
        parsed.work,
        parsed.doi,
        gaps,
        places,
    )


def _take_blocks(found: list[Block], left: list[Block]) -> Iterator[Block]:
    """The blocks as they are stored, taken out of `found`; those in `left` keep of their lines only the pages."""
    found.reverse()
    while found:
        block = _clean_block(found.pop())
        if block.text:
            yield block
            runs = [list(run) for _, run in groupby(block.lines, attrgetter("page"))]
            pages = (run[0]._replace(end=run[-1].end, edges=()) for run in runs)
            left.append(replace(block, lines=tuple(pages) if [run[0].page for run in runs] != [block.page] else ()))


def _clean_name(text: str) -> str:
    """Clean a name that a file declares, on one line: it may contain anything."""
    return " ".join(normalize_text(text[:NAME_CHARACTERS]).split())


def _clean_block(block: Block) -> Block:
    """The block as it is stored; its lines and cells move with their characters."""
    if block.anchor:
        anchor = normalize_text(block.anchor) if len(block.anchor) <= ANCHOR_CHARACTERS else ""
        block = block if anchor == block.anchor else replace(block, anchor=anchor)
    text = normalize_text(block.text)
    if block.kind == "code":
        text = text.rstrip().lstrip("\n")
    elif block.kind == "heading":
        text = " ".join(text.split())
    else:
        text = text.strip()
    if text == block.text:
        return block
    if not (block.lines or block.cells):
        return replace(block, text=text)
    move = _OffsetMap(block.text, text)
    return replace(
        block,
        text=text,
        lines=LineArray(line._replace(start=move(line.start), end=move(line.end)) for line in block.lines),
        cells=CellArray(cell._replace(start=move(cell.start), end=move(cell.end)) for cell in block.cells),
    )


class _OffsetMap:
    """Mapping of offsets in a text to those in its cleaned form, found by the words of both."""

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


def _split_units(blocks: list[Block], target: int, text: str) -> Iterator[_Unit]:
    only_headings = all(block.kind == "heading" for block in blocks)
    sentences = _Sentences(text)
    path: list[tuple[int, str]] = []
    section = offset = 0
    for block in blocks:
        if block.kind == "heading":
            path = [above for above in path if above[0] < block.level]
            path.append((block.level, shorten_text(block.text, HEADING_CHARACTERS)))
            section += 1
        if block.kind != "heading" or only_headings or len(block.text) > HEADING_CHARACTERS:
            heading = " > ".join(text for _, text in path)
            table_head = _find_table_head(block)
            for start, end in _split_block(block, target, sentences):
                pages = [line.page for line in block.lines if line.start < end and line.end > start] or [block.page]
                head = table_head if len(table_head) < start else ""
                yield _Unit(offset + start, offset + end, section, heading, block, min(pages), max(pages), head)
        offset += len(block.text) + len(SEPARATOR)


def _find_table_head(block: Block) -> str:
    """The rows that name the columns of a table, for its parts that begin further below; the first if none is marked.

    They stand in the text once, so a passage, which is a part of the text, cannot repeat them.
    """
    if block.kind != "table":
        return ""
    marked = {cell.row for cell in block.cells if cell.head and cell.end > cell.start}
    data = {cell.row for cell in block.cells if not cell.head and cell.end > cell.start}
    rows = block.text.split("\n", 12)
    count = next((row for row in range(len(rows)) if row not in marked or row in data), 0) or 1
    return shorten_text("\n".join(rows[:count]), HEAD_CHARACTERS)


def _group_passages(units: Sequence[_Unit], target: int) -> Iterator[Passage]:
    group: list[_Unit] = []
    for tied in _tie_units(units, target):
        if group and not _can_join_passage(tied, group, target):
            yield _build_passage(group)
            group = []
        group += tied
    if group:
        yield _build_passage(group)


def _tie_units(units: Sequence[_Unit], target: int) -> Iterator[list[_Unit]]:
    """Units that belong together, as far as they fit into one passage."""
    tied: list[_Unit] = []
    for place, unit in enumerate(units):
        if tied:
            table = any(one.block.kind == "table" for one in (*tied, unit))
            room = CODE_CHARACTERS if table else target + TAIL_CHARACTERS
            together = _is_consecutive(tied[-1], unit) and unit.end - tied[0].start <= room
            if not together or not _is_tied(units, place):
                yield tied
                tied = []
        tied.append(unit)
    if tied:
        yield tied


def _is_tied(units: Sequence[_Unit], place: int) -> bool:
    """Whether the unit belongs to the one before it."""
    before, unit = units[place - 1], units[place]
    kinds = before.block.kind, unit.block.kind
    if before.block is unit.block:
        return False
    if kinds == ("caption", "table"):
        return True
    if kinds == ("table", "note"):
        return unit.text_length <= LEAD_CHARACTERS
    if kinds == ("table", "caption"):
        names_next = place + 1 < len(units) and units[place + 1].block.kind == "table"
        named = place > 1 and units[place - 2].block.kind == "caption"
        return not names_next and not named
    return _announces(before, unit)


def _announces(before: _Unit, unit: _Unit) -> bool:
    """Whether a unit only names what follows, as the term of a definition does, or announces a list."""
    if before.block.kind != "text":
        return False
    text = before.block.text[-LEAD_CHARACTERS:]
    if text.endswith(":") and before.text_length <= LEAD_CHARACTERS:
        return unit.block.kind in ("list", "table", "code", "formula") or bool(_ITEM.match(unit.block.text))
    short = len(before.block.text) <= LABEL_CHARACTERS and "\n" not in text and not text.startswith("- ")
    return short and unit.block.kind not in _APART and _SENTENCE_END.search(text) is None


def _is_consecutive(before: _Unit, unit: _Unit) -> bool:
    """Whether the unit is of the same section, and begins on the page on which the one before it ends."""
    return (unit.section, unit.first_page) == (before.section, before.last_page)


def _can_join_passage(tied: Sequence[_Unit], group: Sequence[_Unit], target: int) -> bool:
    first, unit = group[0], tied[0]
    kinds = {one.block.kind if one.block.kind in _APART else "text" for one in (first, unit)}
    if not _is_consecutive(group[-1], unit) or len(kinds) > 1:
        return False
    length = tied[-1].end - unit.start
    room = target + (TAIL_CHARACTERS if length < TAIL_CHARACTERS else 0)
    return tied[-1].end - first.start <= room


def _build_passage(group: Sequence[_Unit]) -> Passage:
    first, last = group[0], group[-1]
    block = first.block
    last_page = max(unit.last_page for unit in group)
    return Passage(
        first.start,
        last.end,
        first.heading,
        first.first_page,
        block.anchor,
        block.paragraph,
        last_page if last_page != first.first_page else 0,
        first.head,
    )


class _Sentences:
    """Finds the ends of sentences in the language of a document, which is detected when it is first needed."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _language(self) -> str:
        return text_language(self._text[:LANGUAGE_CHARACTERS])

    def list_ends(self, text: str) -> list[int]:
        """List the ends of a text's sentences and lines, the white space behind them included, in order."""
        lines = [found.end() for found in re.finditer(r"\n", text)]
        return sorted({*sentence_ends(text, self._language), *lines})


def _split_block(block: Block, target: int, sentences: _Sentences) -> Iterator[tuple[int, int]]:
    """The block as spans without white space at their ends, cut after sentences or lines, else words, else anywhere."""
    text = block.text
    by_lines = block.kind in ("code", "table")
    longest = CODE_CHARACTERS if by_lines else target + TAIL_CHARACTERS
    ends = _list_cuts(block, sentences) if len(text) > longest else []
    start = 0
    while len(text) - start > longest:
        cut = _find_cut(text, start, ends, longest)
        end = start + len(text[start:cut].rstrip())
        if end > start:
            yield start, end
        start = cut
        while start < len(text) and text[start].isspace() and not (by_lines and text[start] != "\n"):
            start += 1
    if start < len(text):
        yield start, len(text)


def _list_cuts(block: Block, sentences: _Sentences) -> list[int]:
    """List where a long block may be cut, in order: code, tables, lists between lines, other text by sentence too."""
    lines = [found.end() for found in re.finditer(r"\n", block.text)]
    longest = max(map(len, block.text.split("\n")))
    by_lines = block.kind in ("code", "table") or (block.kind == "list" and longest <= TARGET_CHARACTERS)
    return lines if by_lines else sentences.list_ends(block.text)


def _find_cut(text: str, start: int, ends: Sequence[int], longest: int) -> int:
    """Find where to cut a text that is too long from `start` on, among `ends`; else behind a word, else anywhere.

    The last place before 900 characters that leaves a quarter of them, or the next one that leaves no more than may be.
    """
    limit = start + TARGET_CHARACTERS
    number = bisect_right(ends, limit) - 1
    if number >= 0 and ends[number] > start + TARGET_CHARACTERS // 4:
        return ends[number]
    if number + 1 < len(ends) and ends[number + 1] <= start + longest:
        return ends[number + 1]
    cell = text.rfind(" | ", start + TARGET_CHARACTERS // 2, limit)
    space = cell if cell > 0 else text.rfind(" ", start + TARGET_CHARACTERS // 2, limit)
    while space > 0 and _ABBREVIATED.search(text, max(space - 4, start), space):
        space = text.rfind(" ", start + TARGET_CHARACTERS // 2, space)
    return space + 1 if space > 0 else limit
