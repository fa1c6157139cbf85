"""The main text of a page, chosen from its blocks.

A library chooses first: it rebuilds what it keeps, and loses words where inline elements meet. So the blocks of the
page that it chose are looked up in its text, although it lost or joined words within them. They are looked up in the
order of the page, in which the extracted text has them too. A long block is found if half of its three-word sequences
are. A short one would match others by chance, so it has to be a line of the text, or follow the previous block
directly, or begin a line near there.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import trafilatura
from selectolax.lexbor import LexborHTMLParser

from elcano.activities.passages.document import Block, Parsed
from elcano.activities.text.words import split_words
from elcano.plugins.documents.html_blocks import Part, list_parts

SHORT_WORDS: Final = 8
"""Maximum number of words of a short block."""
NEAR_WORDS: Final = 60
"""How far after the last match a short block may begin: the text in between may be damaged."""
_RUN: Final = 3


class AlignedLines:
    """The lines of an extracted text, and how far they have been matched with the page."""

    def __init__(self, lines: Sequence[Sequence[str]]) -> None:
        self._lines = frozenset(map(tuple, lines)) - {()}
        self._words: list[str] = []
        self._begins: list[int] = []
        for line in lines:
            self._begins.append(len(self._words))
            self._words += line
        self._places: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(self._words) - _RUN + 1):
            self._places.setdefault(tuple(self._words[at : at + _RUN]), []).append(at)
        self._reached = 0

    def has(self, block: Sequence[str]) -> bool:
        """Whether the text holds the next block, given by its words."""
        return self._has_long(block) if len(block) > SHORT_WORDS else self._has_short(list(block))

    def _has_long(self, block: Sequence[str]) -> bool:
        runs = [tuple(block[at : at + _RUN]) for at in range(len(block) - _RUN + 1)]
        there = [(at, places) for at, run in enumerate(runs) if (places := self._places.get(run))]
        if 2 * len(there) < len(runs):
            return False
        before, places = there[0]
        if (next_place := bisect_left(places, self._reached)) < len(places):
            self._reached = places[next_place] - before + len(block)
        return True

    def _has_short(self, block: list[str]) -> bool:
        if tuple(block) in self._lines:
            return True
        first = bisect_left(self._begins, self._reached)
        until = self._reached + NEAR_WORDS
        for begin in (self._reached, *self._begins[first : first + NEAR_WORDS]):
            if begin > until:
                break
            if matched := self._matched(block, begin):
                self._reached = begin + matched
                return True
        return False

    def _matched(self, block: list[str], begin: int) -> int:
        """Return how many words from `begin` on are the block's, in its order; 0 unless two thirds of it are there."""
        at = begin
        for word in block:
            if at < len(self._words) and self._words[at] == word:
                at += 1
        return at - begin if 3 * (at - begin) >= 2 * len(block) else 0


SHORT_CHARACTERS: Final = 500
"""Length of main text below which there may be more to read."""
_INLINE: Final = (
    "abbr, b, bdi, bdo, cite, code, data, dfn, em, font, i, ins, kbd, label, mark, q, samp, small, span, strong, sub, sup,"
    " tt, u, var"
)
DATES: Final = {"extensive_search": False, "original_date": True}
"""What is written in the text around is not taken for a date: a year in a footer is none of the article."""


def extract_main_text(tree: LexborHTMLParser, parts: Sequence[Part], url: str) -> Parsed:
    """Return the page's main text."""
    _unwrap_inline_elements(tree)
    markup = tree.html or ""
    words = [split_words(part.bare) for part in parts]
    parsed = Parsed([])
    for strictly in (True, False):
        library = extract_by_library(markup, url, strictly)
        parsed = _take(parts, find_chosen(words, library), library)
        if sum(len(block.text) for block in parsed.blocks) >= SHORT_CHARACTERS:
            break
    return parsed


def extract_by_library(markup: str, url: str, strictly: bool) -> list[Block]:
    text = trafilatura.extract(
        markup,
        url=url,
        output_format="html",
        favor_precision=strictly,
        include_comments=False,
        include_formatting=True,
        date_extraction_params=DATES,
    )
    tree = LexborHTMLParser(text or "")
    return [part.block for part in list_parts(tree.body)] if tree.body is not None else []


def find_chosen(words: Sequence[Sequence[str]], library: Sequence[Block]) -> set[int]:
    aligned = AlignedLines([split_words(line) for block in library for line in block.text.splitlines()])
    return {number for number, block in enumerate(words) if aligned.has(block)}


def _take(parts: Sequence[Part], chosen: set[int], library: list[Block]) -> Parsed:
    blocks = [part.block for number, part in enumerate(parts) if number in chosen]
    if 2 * sum(len(block.text) for block in blocks) < sum(len(block.text) for block in library):
        return Parsed(library)
    return Parsed(blocks)


def _unwrap_inline_elements(tree: LexborHTMLParser) -> None:
    """Unwrap inline elements: where they meet, or are empty as icons are, the library drops words."""
    for node in reversed(tree.css(_INLINE)):  # the innermost first
        if node.child is None:
            node.decompose()
        else:
            node.unwrap()
    for node in reversed(tree.css("a, time:not([datetime])")):
        if node.child is None:
            node.decompose()
        elif node.tag == "time" or (node.child.next is None and node.child.is_empty_text_node):
            node.unwrap()
