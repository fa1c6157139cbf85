"""Digests of passages: the sentences that have most of the words that are asked about."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.text import shorten_text

DIGEST_CHARACTERS: Final = 300
"""Characters of a passage that agents of a loop see; its writer reads passages whole. Of the words that experts take
from a passage of 1,000 characters, 300 hold 48 % and 450 hold 60 %."""
_GAP: Final = " […] "
DIGESTED: Final = f"""\
- Of longer passages you see the sentences closest to the question; “{_GAP.strip()}” stands for others.
"""
_CELLS: Final = " | "
"""Stands between the cells of a row."""
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?![a-z\d(\[])|(?<=\u3002)|\n(?=[^\n]* \| )")
"""What ends a sentence or, in front of a row of a table, a line. No sentence begins with a small letter, a digit or a
bracket: what ends in front of one is `Fig.` or `et al.`."""
_FIGURE: Final = re.compile(r"\d")
_WORDS: Final = re.compile(r"\w{4,}")
_NUMBERS: Final = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_STEM: Final = 6
"""Words that begin alike are the same to a digest."""


def digest_passages(task: TaskEnvelope, characters: int = DIGEST_CHARACTERS) -> TaskEnvelope:
    """`task` with a digest of each passage.

    It depends on the question and the criteria alone: the same in every turn, so prompts begin alike.
    """
    asked = " ".join((task.question, *(one.text for one in task.criteria)))
    return task.model_copy(update={"evidence": tuple(digest_passage(one, asked, characters) for one in task.evidence)})


def digest_passage(
    item: EvidenceItem, asked: str, characters: int = DIGEST_CHARACTERS, quoted: Collection[str] = ()
) -> EvidenceItem:
    """`item` with a digest of its text."""
    return item.model_copy(update={"text": digest_text(item.text, asked, characters, quoted)})


def digest_text(text: str, asked: str, characters: int, quoted: Collection[str] = ()) -> str:
    """The sentences of `text` that have most of the words and figures of `asked`, in order, as `characters` allow.

    Any figure counts as one of the words: what is judged and planned often turns on figures. A row of a table counts
    as a sentence and comes with the row of heads if both fit; if all do, the heads stand for the words of all rows.
    Sentences that are `quoted` elsewhere in the prompt are left to the others. If no sentence has a word, it is the
    beginning: nothing tells then which of them matter, as of a text in another language than the question.
    """
    if len(text) <= characters:
        return text
    words = _list_terms(asked)
    ends = [0, *(found.end() for found in _SENTENCES.finditer(text)), len(text)]
    parts = [text[begin:end] for begin, end in pairwise(ends)]
    rows = [place for place, one in enumerate(parts) if _CELLS in one]
    heads = rows[0] if rows else None
    read = list(parts)
    if heads is not None and all(_measure(parts, {heads, row}, ()) <= characters for row in rows):
        read[heads] = "\n".join(parts[row] for row in rows)
    known = [len(words & _list_terms(one)) for one in read]
    shared = [count and count + bool(_FIGURE.search(one)) for count, one in zip(known, read, strict=True)]
    if not any(shared):
        return shorten_text(text.strip(), characters)
    shared = [count * (not _is_quoted(one, quoted)) for count, one in zip(shared, parts, strict=True)]
    if not any(shared):
        shared = known
    room, chosen = characters + len(_GAP), set[int]()
    for place in sorted(range(len(parts)), key=lambda place: -shared[place]):
        taken = {place} if heads is None or _CELLS not in parts[place] else {place, heads} - chosen
        if not chosen and _measure(parts, taken, chosen) > room:
            taken = {place}
        size = _measure(parts, taken, chosen)
        if not chosen or (shared[place] and size <= room):
            chosen |= taken
            room -= size
    return _join_parts(parts, sorted(chosen), characters)


def _measure(parts: Sequence[str], taken: Collection[int], chosen: Collection[int]) -> int:
    """The room in characters that the parts `taken` need besides those chosen, with the gaps in front of them."""
    return sum(len(parts[one]) + len(_GAP) * (one - 1 not in chosen) for one in taken)


def _join_parts(parts: Sequence[str], chosen: Sequence[int], characters: int) -> str:
    """The `chosen` parts, with a gap where one is left out between them, or behind the only one."""
    if len(chosen) == 1:
        return f"{shorten_text(parts[chosen[0]].strip(), characters - len(_GAP.rstrip()))}{_GAP.rstrip()}"
    said, last = "", None
    for place in chosen:
        if last is not None:
            said = said if place == last + 1 else f"{said.rstrip()}{_GAP}"
        said += parts[place]
        last = place
    return said.strip()


def _is_quoted(sentence: str, quoted: Collection[str]) -> bool:
    """Whether a whole sentence stands in a quote: what a quote leaves out may be what is asked about."""
    whole = " ".join(sentence.split()).rstrip(" .")
    return any(whole in " ".join(one.split()) for one in quoted)


def _list_terms(text: str) -> frozenset[str]:
    """The beginnings of the words of a text, and its figures."""
    return frozenset((*list_word_beginnings(text), *_NUMBERS.findall(text)))


def list_word_beginnings(text: str) -> Iterator[str]:
    """The first letters of the words of a text, by which its words are compared."""
    return (word.casefold()[:_STEM] for word in _WORDS.findall(text))
