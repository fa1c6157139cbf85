"""Sentences that can be quoted: literal, whole, made of words.

A sentence is a stretch of the passage, line breaks and emphasis marks included; nothing in it is changed. What is
mostly links or markup, asks a question or introduces something that follows (`For example:`) is not a finding.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.offline.blocks import Block, prose

LEAST_WORDS: Final = 5
LEAST_ITEM_WORDS: Final = 4
MOST_CHARACTERS: Final = 600
LEAST_ITEMS: Final = 2

_END: Final = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\]*_`]*+"
    r"(?=\s+[\"'\u201c\u2018(\[*_`]*[A-Z0-9`*\u00c0-\u00de]|\s*$)"
)
_PIECE: Final = re.compile(r"[a-z].*|.*[;,]", re.DOTALL)
"""A paragraph that goes on what the one before began, as lists become when their bullets are lost."""
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|incl|Dr|Mr|Mrs|Ms|Prof|St|Fig|No|Nos|Vol|Eq|Sec|Inc|Ltd|Co|al)"
    r"|\b[A-Z])\.$",
)
_LINK: Final = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|`([^`<]*)\s*<[^>]*>`__?")
_ROLE: Final = re.compile(r":[\w:-]+:`")
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
    blocks = prose(text)
    return [
        sentence
        for number, block in enumerate(blocks)
        for sentence in _of_block(text, block, number, _list_end(text, blocks, number))
        if _is_quotable(sentence, block)
    ]


def readable(literal: str) -> str:
    """The words of a quotation without the addresses and tags of its markup."""
    return _ADDRESS.sub(" ", _TAG.sub(" ", _LINK.sub(r"\1\2", _ROLE.sub("`", literal))))


def _list_end(text: str, blocks: Sequence[Block], number: int) -> int | None:
    """Where the list ends that block `number` announces with its colon: what follows as items, or goes on in pieces."""
    lead = blocks[number]
    end, items = lead.end, 0
    announced = text[lead.start : lead.end]
    if not announced.endswith(":") or len(_PLAIN_WORD.findall(announced)) < LEAST_WORDS:
        return None
    for block in blocks[number + 1 :]:
        piece = text[block.start : block.end]
        if text[end : block.start].strip(" \n\t-*+\u2022#.)0123456789") or not (block.item or _PIECE.fullmatch(piece)):
            break
        end, items = block.end, items + 1
    return end if items >= LEAST_ITEMS else None


def _of_block(text: str, block: Block, number: int, list_end: int | None) -> list[Sentence]:
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
        found.append(_sentence(text, start, list_end or block.end, number, listed=list_end is not None))
    return found


def _sentence(text: str, start: int, end: int, block: int, *, listed: bool = False) -> Sentence:
    literal = text[start:end]
    return Sentence(
        start=start,
        end=end,
        text=literal,
        block=block,
        links=bool(_LINK.search(literal) or _ADDRESS.search(literal)),
        whole=listed or bool(re.search(r"[.!][\"'\u201d\u2019)\]*_`]*$", literal)),
    )


def _is_quotable(sentence: Sentence, block: Block) -> bool:
    literal = sentence.text
    if len(literal) > MOST_CHARACTERS or literal.rstrip("*_ ").endswith((":", "?", ",", "->", "...", "\u2026")):
        return False
    if literal.count("(") > literal.count(")"):
        return False  # Cut off in the middle, as calls in code are.
    if "\n>" in literal or "![" in literal or _ASIDE.fullmatch(literal):
        return False
    plain = readable(literal)
    linked = sum(len(match[1] or match[2] or "") for match in _LINK.finditer(literal))
    if linked > 0.5 * len(plain) or len(plain) < 0.4 * len(literal):
        return False
    letters = len(_LETTERS.findall(plain))
    if letters < 0.6 * len(re.sub(r"\s", "", plain)):
        return False
    needed = LEAST_ITEM_WORDS if block.item else LEAST_WORDS
    return len(_PLAIN_WORD.findall(plain)) >= needed and (block.item or sentence.whole)
