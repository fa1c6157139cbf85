"""Sentences that can be quoted: literal, whole, made of words.

A sentence is a stretch of the passage, line breaks and emphasis marks included; nothing in it is changed. Code, tables,
headings and badges are no prose. What is mostly links or markup, asks a question or introduces something
(`For example:`) is not a finding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from elcano.text.languages import get_current_language
from elcano.text.words import is_unspaced, sentence_ends, split_words

LEAST_WORDS: Final = 3
"""Notes say much in few words, as `Nobody flies business class.`"""
LEAST_ITEM_WORDS: Final = 6
"""Minimum words of a list item without a full stop: shorter ones are labels."""
MOST_CHARACTERS: Final = 600
CLAUSE_CHARACTERS: Final = 80
"""In Thai a space ends a clause as well as a sentence: a quotation is at least so long."""

_FENCE: Final = re.compile(r"^\s{0,8}(?:`{3,}|~{3,})")
_RULE: Final = re.compile(r"^\s*([=\-~^*+#\"'.:_`])\1{2,}\s*$")
_NO_PROSE: Final = re.compile(
    r"^\s{0,3}#{1,6}\s"
    r"|^\s*\||^\s*\+[-=+]+\+|\s\|\s.*\s\|\s|\|\s*:?-{3,}|^\s*=+(?:\s+=+)+\s*$"
    r"|^\s*(?:</?[a-zA-Z!]|-->|\.\.(?:\s|$)|:[\w -]+:(?:\s|$)|\[[^\]]+\]:\s|\{[%{])|!\[|\[!|#\d+[).]*$|\bby @\w"
    r"|^\s*(?:>>>|\$ |% |// |import [\w.]+$|from [\w.]+ import )|^\s*[\w.\[\]\"']+\s*[-+*/|]?=\s*\S"
    r"|^\s*[\w.]+\(.*\)\s*:?$|\{\s*$|(?:=.*|\)|^\s*[\w.*&>-]+);\s*$"
)
"""Headings, tables, HTML, directives, fields, link targets, pictures, badges, changes; prompts, statements, calls."""
_ITEM: Final = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)]|#\.|\(?[a-z]\)|>)\s+(?:\[[ xX]\]\s+)?")
_ANNOUNCED: Final = re.compile(
    r"\s*\n(?:(?:\s*(?:[-*+\u2022]|#\.|\d{1,3}[.)])[ \t].+(?:\n(?![ \t]*(?:\n|[-*+\u2022#\d])).+)*){2,}"
    r"|(?:\s*\n)?(?:(?: {4}|\t|\$ )(?!.*```).+\n?)+)"
)
"""A list of two items or more, or some lines of code, behind the colon that announces it."""
_LINK: Final = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|`([^`<]*)\s*<[^>]*>`__?")
_MARKUP: Final = re.compile(r"https?://\S+|www\.\S+|</?[a-zA-Z][^>]*>|&\w+;|:[\w:-]+:(?=`)")
_LETTER: Final = regex.compile(r"[\p{L}\p{M}]")
_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}]+")
_FULL_STOP: Final = re.compile(
    "[.!\u3002\uff01\uff0e\u0964\u06d4\u17d4\u104b][\"'\u201d\u2019\u00bb\u300d\u300f)\uff09\\]*_`]*$"
)
_CLOSING: Final = re.compile("[\"'\u201d\u2019)\\]*_`]+\\s*(?=\\s|$)")
_OPEN: Final = (":", "?", ",", "->", "...", "\u2026", "\uff1a", "\uff1f", "\uff0c", "\u061f", "\u060c")
_WITHOUT_STOPS: Final = frozenset({"th", "lo"})
"""Languages that end a sentence, and many a clause, with a space."""


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of a passage."""

    start: int
    end: int
    text: str
    block: int
    """Sentences of one paragraph share its number."""


@dataclass(frozen=True)
class _Block:
    """A paragraph or a list item: characters `start` to `end` of the passage."""

    start: int
    end: int
    item: bool


def find_sentences(text: str) -> list[Sentence]:
    """The quotable sentences of a passage, in order."""
    return [
        sentence
        for number, block in enumerate(_find_blocks(text))
        for sentence in _split_block(text, block, number)
        if _is_quotable(sentence.text, block.item)
    ]


def read_plainly(literal: str) -> str:
    """The words of a quotation without the addresses and tags of its markup."""
    return _MARKUP.sub(" ", _LINK.sub(r"\1\2", literal))


def _find_blocks(text: str) -> list[_Block]:
    """The paragraphs and list items that are prose."""
    blocks: list[_Block] = []
    running: _Block | None = None
    fenced, gap, place = False, True, 0
    for line in text.split("\n"):
        start, body = place, line.rstrip()
        place += len(line) + 1
        item = _ITEM.match(line)
        fence = _FENCE.match(body) is not None
        fenced ^= fence
        ruled = _RULE.match(body) is not None
        if ruled and running is not None and "\n" not in text[running.start : running.end]:
            running = None  # What is underlined is a heading.
        code = gap and item is None and body.startswith(("    ", "\t"))
        if not body or fence or fenced or ruled or code or _NO_PROSE.search(body) or (item is not None and running):
            blocks += [running] if running is not None else []
            running = None
        prose = body and not (fence or fenced or ruled or code or _NO_PROSE.search(body))
        if prose and running is not None:
            running = _Block(running.start, start + len(body), running.item)
        elif prose:
            begin = item.end() if item is not None else len(body) - len(body.lstrip())
            running = _Block(start + begin, start + len(body), item is not None)
        gap = not body or (gap and not prose)
    blocks += [running] if running is not None else []
    return [block for block in blocks if block.end > block.start]


def _split_block(text: str, block: _Block, number: int) -> Iterator[Sentence]:
    """The sentences of a block."""
    start = block.start
    for end in _find_ends(text[block.start : block.end]):
        literal = text[start : block.start + end].rstrip()
        if literal.endswith(":") and (listed := _ANNOUNCED.match(text, start + len(literal))):
            literal = text[start : listed.end()].rstrip()
        yield Sentence(start, start + len(literal), literal, number)
        start = block.start + end


def _find_ends(written: str) -> Iterator[int]:
    """Find the ends of a block's sentences; marks that close emphasis belong to the sentence before them."""
    language = get_current_language()
    place = 0
    for found in sentence_ends(written, language):
        end = found
        if closing := _CLOSING.match(written, found):
            end = closing.end()
        if language in _WITHOUT_STOPS:
            for space in re.finditer(r"\s+", written[:end]):
                if space.start() - place >= CLAUSE_CHARACTERS:
                    yield (place := space.end())
        if end > place:
            yield end
            place = end


def _is_quotable(literal: str, item: bool) -> bool:
    whole = get_current_language() in _WITHOUT_STOPS or "\n" in literal or _FULL_STOP.search(literal) is not None
    if len(literal) > MOST_CHARACTERS or literal.rstrip("*_ ").endswith(_OPEN) or not (item or whole):
        return False
    if literal.count("(") > literal.count(")") or "\n>" in literal or literal.startswith("("):
        return False  # Cut off in the middle, as calls in code are; or an aside.
    plain = read_plainly(literal)
    linked = sum(len(match[1] or match[2] or "") for match in _LINK.finditer(literal))
    if linked > 0.5 * len(plain) or len(_LETTER.findall(plain)) < 0.6 * len("".join(literal.split())):
        return False
    if literal.isascii() and literal.upper() == literal:
        return False  # Names of constants, or a headline.
    words = split_words(plain) if is_unspaced(plain) else _WORD.findall(plain)
    return len(words) >= (LEAST_WORDS if _FULL_STOP.search(literal) else LEAST_ITEM_WORDS)
