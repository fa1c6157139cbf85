"""Sections that are longer than what a model delivers in one answer, in parts; and headings as they are compared."""

import re
from typing import Final

from elcano.graphs.agents.envelope import SectionItem
from elcano.graphs.report.draft import Claim

HEADING: Final = "### "
"""How a block begins that is a heading."""
PART_CHARACTERS: Final = 6_000
"""Text of a draft that is written out in one answer: models deliver some thousand words, whatever they are asked."""


def in_parts(section: SectionItem) -> list[SectionItem]:
    """`section` in as many parts as its draft has answers' worth of text, about as long as each other."""
    sizes = [len(claim.text) for claim in section.claims]
    count = min(len(sizes), -(-sum(sizes) // PART_CHARACTERS))
    if count < 2:
        return [section]
    parts: list[list[Claim]] = [[] for _ in range(count)]
    before = 0
    for claim, size in zip(section.claims, sizes, strict=True):
        parts[min(count - 1, before * count // sum(sizes))].append(claim)
        before += size
    return [section.model_copy(update={"claims": tuple(claims)}) for claims in parts if claims]


def heading_words(text: str) -> str:
    """A heading as it is compared: its words alone."""
    return " ".join(re.sub(r"\W+", " ", text).split()).casefold()
