"""Finds the blocks of a page in an extracted text, although the extraction lost or joined words within them.

Blocks are looked up in the order of the page, in which the extracted text has them too. A long block is found if half
of its three-word sequences are. A short one would match others by chance, so it has to be a line of the text, or follow
the previous block directly, or begin a line near there.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

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
