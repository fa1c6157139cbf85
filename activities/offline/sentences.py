"""Sentences that can be quoted: literal, whole, made of words.

A sentence is a stretch of the passage, line breaks and emphasis marks included; nothing in it is changed. What is
mostly links or markup, asks a question or introduces something that follows (`For example:`) is not a finding.
"""

import re
from dataclasses import dataclass
from typing import Final

from activities.offline.blocks import Block, prose

LEAST_WORDS: Final = 5
LEAST_ITEM_WORDS: Final = 4
MOST_CHARACTERS: Final = 600

_END: Final = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\]*_`]*+"
    r"(?=\s+[\"'\u201c\u2018(\[*_`]*[A-Z0-9`*\u00c0-\u00de]|\s*$)"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|incl|Dr|Mr|Mrs|Ms|Prof|St|Fig|No|Nos|Vol|Eq|Sec|Inc|Ltd|Co|al)"
    r"|\b[A-Z])\.$",
)
_LINK: Final = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|`([^`<]*)\s*<[^>]*>`__?")
_ADDRESS: Final = re.compile(r"https?://\S+|www\.\S+")
_TAG: Final = re.compile(r"</?[a-zA-Z][^>]*>|&\w+;")
_ASIDE: Final = re.compile(r"[*_]*\([^()]*\)[*_.]*")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_PLAIN_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of a passage."""

    start: int
    end: int
    text: str
    block: int
    """Sentences of one paragraph share its number."""
    links: bool
    """Holds a link or an address."""
    whole: bool
    """Ends like a sentence; list items often do not."""


def sentences(text: str) -> list[Sentence]:
    """The quotable sentences of a passage, in order."""
    return [
        sentence
        for number, block in enumerate(prose(text))
        for sentence in _of_block(text, block, number)
        if _is_quotable(sentence, block)
    ]


def _of_block(text: str, block: Block, number: int) -> list[Sentence]:
    found: list[Sentence] = []
    start = block.start
    for match in _END.finditer(text, block.start, block.end):
        if match.end() < block.end and _ABBREVIATION.search(text, start, match.start() + 1):
            continue
        found.append(_sentence(text, start, match.end(), number))
        start = match.end()
        while start < block.end and text[start].isspace():
            start += 1
    if start < block.end:
        found.append(_sentence(text, start, block.end, number))
    return found


def _sentence(text: str, start: int, end: int, block: int) -> Sentence:
    literal = text[start:end]
    return Sentence(
        start=start,
        end=end,
        text=literal,
        block=block,
        links=bool(_LINK.search(literal) or _ADDRESS.search(literal)),
        whole=bool(re.search(r"[.!][\"'\u201d\u2019)\]*_`]*$", literal)),
    )


def _is_quotable(sentence: Sentence, block: Block) -> bool:
    literal = sentence.text
    if len(literal) > MOST_CHARACTERS or literal.rstrip("*_ ").endswith((":", "?", ",", "->", "...", "\u2026")):
        return False
    if "\n>" in literal or "![" in literal or _ASIDE.fullmatch(literal):
        return False
    plain = _ADDRESS.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1\2", literal)))
    linked = sum(len(match[1] or match[2] or "") for match in _LINK.finditer(literal))
    if linked > 0.5 * len(plain) or len(plain) < 0.4 * len(literal):
        return False
    letters = len(_LETTERS.findall(plain))
    if letters < 0.6 * len(re.sub(r"\s", "", plain)):
        return False
    needed = LEAST_ITEM_WORDS if block.item else LEAST_WORDS
    return len(_PLAIN_WORD.findall(plain)) >= needed and (block.item or sentence.whole)
