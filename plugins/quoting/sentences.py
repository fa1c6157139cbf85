"""Sentences that can be quoted: literal, whole, made of words.

A sentence is a stretch of the passage, line breaks and emphasis marks included; nothing in it is changed. What is
mostly links or markup, asks a question or introduces something that follows (`For example:`) is not a finding.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import regex

from elcano.activities.text.languages import get_current_language
from elcano.activities.text.sentences import sentence_ends
from elcano.activities.text.words import is_unspaced, split_words
from elcano.plugins.quoting.blocks import Block, prose
from elcano.plugins.quoting.language import in_english

LEAST_WORDS: Final = 5
LEAST_ITEM_WORDS: Final = 4
LEAST_WHOLE_WORDS: Final = 3
"""Of what ends with a full stop: notes say much in few words, as `Nobody flies business class.`"""
MOST_CHARACTERS: Final = 600
LEAST_ITEMS: Final = 2
CODE_CHARACTERS: Final = 200
CODE_LINES: Final = 4
LEADING_WORDS: Final = 12
"""Code that is quoted with the sentence that announces it has no more characters and lines."""
LABEL_CHARACTERS: Final = 90
LABEL_WORDS: Final = 8
LABELLED_CHARACTERS: Final = 450
"""From a label to the end of a sentence below it that is quoted with it: what stands further off is read alone."""
CLAUSE_CHARACTERS: Final = 80
"""In Thai a space ends a clause as well as a sentence: a quotation is at least so long."""

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
_LETTERS: Final = regex.compile(r"[\p{L}\p{M}]")
_FULL_STOP: Final = re.compile(
    "[.!\u3002\uff01\uff0e\u0964\u06d4\u17d4\u104b][\"'\u201d\u2019\u00bb\u300d\u300f)\uff09\\]*_`]*$"
)
_OPEN: Final = (":", "?", ",", "->", "...", "\u2026", "\uff1a", "\uff1f", "\uff0c", "\u061f", "\u060c")
_WITHOUT_STOPS: Final = frozenset({"th", "lo"})
"""Languages that end a sentence, and many a clause, with a space."""
_LEANS: Final = re.compile(
    r"\W*(?:this|that|these|those|it|they|he|she|we|you|so|then|but|and|or|here|there|see)\b", re.I
)
"""How sentences begin that say nothing alone if they are short: `This is mostly true.`"""
_LABEL_END: Final = re.compile(r"[\w)\]>\u2026\"'\u201d\u2019]$")
_NAMED: Final = re.compile(
    r"(?:[\w.+-]+|[A-Z][A-Z_]*(?: [A-Z_]+)*)(?:\(\d\w*\))?(?:, [\w.+-]+)* [-\u2013\u2014] \w[^.;:|]+"
)
_FENCED: Final = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_CAPITALS: Final = regex.compile(r"\p{Ll}{2}")
_PLAIN_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}]+")


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
    leads: bool = False
    """It announces code that is too long to be quoted with it."""
    coded: bool = False
    """It is quoted with the code that it announces."""
    label: int | None = None
    """Where the label begins that it stands below, as a definition stands below its term: `shared_buffers (integer)`.
    What a page says of an option does not name it."""
    named: bool = False
    """It is a line that says in a few words what a command is for: `git-stash - Stash the changes ...`."""


def sentences(text: str) -> list[Sentence]:
    """The quotable sentences of a passage, in order."""
    blocks = prose(text)
    labels = list(_labels(text, blocks))
    return [
        replace(sentence, label=labels[number]) if _is_near(labels[number], sentence) else sentence
        for number, block in enumerate(blocks)
        for sentence in _of_block(text, block, number, _list_end(text, blocks, number), _code_end(text, blocks, number))
        if _is_quotable(sentence, block)
    ]


def _labels(text: str, blocks: Sequence[Block]) -> Iterator[int | None]:
    """For each block where the label begins that it stands below, nothing but paragraphs between them."""
    label: int | None = None
    for number, block in enumerate(blocks):
        after = blocks[number + 1] if number + 1 < len(blocks) else None
        if number and text[blocks[number - 1].end : block.start].strip(" \n\t-*+\u2022#.)0123456789"):
            label = None  # Code or a table stands between.
        if _is_label(text, block, after):
            label = block.start
            yield None
        else:
            yield label


def _is_label(text: str, block: Block, after: Block | None) -> bool:
    if after is None or block.item or block.end - block.start > LABEL_CHARACTERS:
        return False
    written = text[block.start : block.end]
    if "\n" in written or not _LABEL_END.search(written) or len(written.split()) > LABEL_WORDS:
        return False
    if _ADDRESS.search(written):  # `Source Code: https://...` names no subject.
        return False
    return not text[block.end : after.start].strip() and _FULL_STOP.search(text[after.start : after.end]) is not None


def _is_near(label: int | None, sentence: Sentence) -> bool:
    return label is not None and sentence.end - label <= LABELLED_CHARACTERS


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


def _leads(text: str, sentence: Sentence) -> bool:
    """Whether a sentence announces what is no prose and says itself what to do: it is long enough for that."""
    follows = text[sentence.end :].lstrip("\n").partition("\n")[0]
    long = len(_PLAIN_WORD.findall(sentence.text)) >= LEADING_WORDS
    return long and sentence.text.endswith(":") and bool(follows.strip()) and not prose(follows)


def _code_end(text: str, blocks: Sequence[Block], number: int) -> int | None:
    """Where the few lines of code end that block `number` announces: what to type is the answer to how it is done."""
    lead = blocks[number]
    if not text[: lead.end].endswith(":") or len(_PLAIN_WORD.findall(text[lead.start : lead.end])) < LEAST_WORDS:
        return None
    after = blocks[number + 1].start if number + 1 < len(blocks) else len(text)
    code = text[lead.end : after].strip("\n").split("\n\n")[0].rstrip()
    if not code.strip() or _FENCED.search(code) or len(code) > CODE_CHARACTERS or code.count("\n") >= CODE_LINES:
        return None
    return text.index(code, lead.end) + len(code)


def _of_block(text: str, block: Block, number: int, list_end: int | None, code_end: int | None) -> list[Sentence]:
    found: list[Sentence] = []
    start = block.start
    for end in _ends(text, block):
        found.append(_sentence(text, start, end, number))
        start = end
        while start < block.end and text[start].isspace():
            start += 1
    if start < block.end:
        beyond = list_end or code_end
        coded = list_end is None and code_end is not None
        last = _sentence(text, start, beyond or block.end, number, listed=beyond is not None)
        found.append(replace(last, leads=beyond is None and _leads(text, last), coded=coded))
    return found


def _ends(text: str, block: Block) -> Iterator[int]:
    """Where sentences of a block end, the last one's end left out if it has no full stop."""
    if in_english():
        for match in _END.finditer(text, block.start, block.end):
            if match.end() == block.end or not _ABBREVIATION.search(text, block.start, match.start() + 1):
                yield match.end()
        return
    written = text[block.start : block.end]
    place = 0
    for end in sentence_ends(written, get_current_language()):
        if get_current_language() in _WITHOUT_STOPS:
            yield from (block.start + one for one in _clauses(written, place, end))
        yield block.start + place + len(written[place:end].rstrip())
        place = end


def _clauses(text: str, start: int, end: int) -> Iterator[int]:
    """Where a stretch without full stops may be cut: at spaces, each piece long enough to say something."""
    for space in re.finditer(r"\s", text[start:end]):
        if space.start() >= CLAUSE_CHARACTERS:
            yield start + space.start()
            yield from _clauses(text, start + space.end(), end)
            return


def _sentence(text: str, start: int, end: int, block: int, *, listed: bool = False) -> Sentence:
    literal = text[start:end]
    return Sentence(
        start=start,
        end=end,
        text=literal,
        block=block,
        links=bool(_LINK.search(literal) or _ADDRESS.search(literal)),
        named=not listed and _NAMED.fullmatch(literal) is not None,
        whole=listed or get_current_language() in _WITHOUT_STOPS or _FULL_STOP.search(literal) is not None,
    )


def _is_quotable(sentence: Sentence, block: Block) -> bool:
    literal = sentence.text
    if len(literal) > MOST_CHARACTERS or (literal.rstrip("*_ ").endswith(_OPEN) and not sentence.leads):
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
    if literal.isascii() and _CAPITALS.search(plain) is None:
        return False  # Names of constants, or a headline.
    needed = LEAST_ITEM_WORDS if block.item else LEAST_WORDS
    if in_english() and _FULL_STOP.search(literal) is not None and not _LEANS.match(plain):
        needed = LEAST_WHOLE_WORDS
    count = len(split_words(plain)) if is_unspaced(plain) else len(_PLAIN_WORD.findall(plain))
    return count >= needed and (block.item or sentence.whole or sentence.named or sentence.leads)
