"""The main text of a page, chosen from its blocks.

A library chooses first: it rebuilds what it keeps, and loses words where inline elements meet. So the blocks of the
page that it chose are looked up in its text, although it lost or joined words within them. They are looked up in the
order of the page, in which the extracted text has them too. A long block is found if half of its three-word sequences
are. A short one would match others by chance, so it has to be a line of the text, or follow the previous block
directly, or begin a line near there.
"""

from bisect import bisect_left
from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Final

import trafilatura
from selectolax.lexbor import LexborHTMLParser

from elcano.activities.passages.document import Block, Parsed
from elcano.subjects.documents.html_blocks import list_parts
from elcano.subjects.documents.html_parts import Part, Scope
from elcano.subjects.web.main_content import LEVELS, SHORT_CHARACTERS, choose_main_content
from elcano.text.words import split_words

SHORT_WORDS: Final = 8
"""Maximum number of words of a short block."""
NEAR_WORDS: Final = 60
"""Maximum distance after the last match at which a short block may begin: the text in between may be damaged."""
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


AGREED: Final = 0.9
"""Share of text that two choices have in common from which on they are the same one."""
_INLINE: Final = (
    "abbr, b, bdi, bdo, cite, code, data, dfn, em, font, i, ins, kbd, label, mark, q, samp, small, span, strong, sub, "
    "sup, tt, u, var"
)
DATES: Final = {"extensive_search": False, "original_date": True}
"""Options that take no date from the text: a year in a footer is not the article's."""


def extract_main_text(tree: LexborHTMLParser, parts: Sequence[Part], url: str) -> Parsed:
    """Return the page's main text; inline elements are unwrapped in `tree`.

    Three choices are compared: the library's, strict and less strict, and that of the page's structure. The one that
    the others agree with most is taken: each has pages on which it loses half of an article, or takes all comments.
    """
    _unwrap_inline_elements(tree)
    choice = _Choice(parts, tree.html or "", url)
    strict = choice.by_library(strictly=True)
    structure = choose_main_content(parts)
    if choice.compare(strict, structure) >= AGREED and choice.length(strict) >= SHORT_CHARACTERS:
        return choice.take(strict)
    choices = [strict, choice.by_library(strictly=False), structure]
    return choice.take(max(choices, key=lambda one: sum(choice.compare(one, other) for other in choices)))


class _Choice:
    """Choices among the parts of a page, by their numbers."""

    def __init__(self, parts: Sequence[Part], markup: str, url: str) -> None:
        self._parts = parts
        self._words = [split_words(part.bare) for part in parts]
        self._markup = markup
        self._url = url
        self._library: list[Block] = []
        """The longest text that the library chose."""

    def by_library(self, *, strictly: bool) -> set[int]:
        """The parts that are in the text that the library takes out of the page."""
        text = trafilatura.extract(
            self._markup,
            url=self._url,
            output_format="html",
            favor_precision=strictly,
            include_comments=False,
            include_formatting=True,
            date_extraction_params=DATES,
        )
        tree = LexborHTMLParser(text or "")
        blocks = [part.block for part in list_parts(tree.body)] if tree.body is not None else []
        self._library = max(self._library, blocks, key=_count_characters)
        aligned = AlignedLines([split_words(line) for block in blocks for line in block.text.splitlines()])
        return {number for number, words in enumerate(self._words) if aligned.has(words)}

    def length(self, chosen: Set[int]) -> int:
        """Number of characters of a choice."""
        return sum(len(self._parts[number].bare) for number in chosen)

    def compare(self, first: Set[int], second: Set[int]) -> float:
        """The share of two choices that they have in common."""
        both = self.length(first) + self.length(second)
        return 2 * self.length(first & second) / both if both else 0.0

    def take(self, chosen: Set[int]) -> Parsed:
        """The blocks of a choice; the library's own if it took the text from elsewhere, as from JSON."""
        chosen = chosen | find_loose_parts(self._parts, chosen)
        blocks = [part.block for number, part in enumerate(self._parts) if number in chosen]
        return Parsed(self._library if 2 * _count_characters(blocks) < _count_characters(self._library) else blocks)


def find_loose_parts(parts: Sequence[Part], chosen: Set[int]) -> set[int]:
    """Parts between chosen ones that are directly in an element that holds both: text without a paragraph of its own.

    The library loses it, and so do reading modes.
    """
    found: set[int] = set()
    for before, after in pairwise(sorted(chosen)):
        between = range(before + 1, after)
        around = _list_scopes(parts[before]) & _list_scopes(parts[after]) if between else set()
        for number in between:
            part = parts[number]
            if part.scope in around and 2 * part.linked < len(part.bare):
                found.add(number)
    return found


def _list_scopes(part: Part) -> set[Scope]:
    """The elements around a part, from the innermost one on."""
    found: set[Scope] = set()
    scope = part.scope
    while scope is not None and len(found) < LEVELS:
        found.add(scope)
        scope = scope.above
    return found


def _count_characters(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) for block in blocks)


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
