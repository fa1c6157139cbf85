"""The words of a scan's text layer, as wide as their print.

The type of such a layer is another than that of the print. Where it is narrower, its words are short and the spaces
between them as wide as gutters, and a column would be read as many.
"""

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from statistics import median
from typing import Final

from elcano.subjects.documents.pdf.segments import SAME_BASE
from elcano.subjects.documents.pdf.words import Word

PRINTED_SPACE: Final = 0.3
"""Share of the size that spaces of print are wide."""
WIDE_SPACES: Final = 0.45
"""Median space of a page, as a share of the size, from which its words are short: those of 50 papers are .2 to .4."""
WIDEST: Final = 1.3
"""A wider gap is no space."""


def widen_words(words: Sequence[Word], layer: Set[int]) -> list[Word]:
    """The words of a page, those of its text layer up to their spaces if these are wide; `layer`: their indices."""
    widened = list(words)
    spaces = list(_list_spaces(words, layer))
    if spaces and median(share for _, share in spaces) > WIDE_SPACES:
        for number, share in spaces:
            if share > PRINTED_SPACE:
                word = words[number]
                widened[number] = word._replace(right=words[number + 1].left - PRINTED_SPACE * word.size)
    return widened


def _list_spaces(words: Sequence[Word], layer: Set[int]) -> Iterator[tuple[int, float]]:
    """The index of each word of a layer that one follows on its line, with the share of its size between them."""
    for number, (word, after) in enumerate(pairwise(words)):
        if number in layer and word.turn == after.turn == 0 and abs(word.base - after.base) < SAME_BASE * word.size:
            share = (after.left - word.right) / word.size
            if 0 < share < WIDEST:
                yield number, share
