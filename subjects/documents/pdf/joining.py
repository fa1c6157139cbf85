"""Joins the lines of a paragraph to one text, and records where each line is in it.

A hyphen at the end of a line is printed in both cases: it parts a word that has none, or belongs to it. The document's
own words decide: those that are within its lines. Without a witness it is dropped between small letters, unless only
one letter is before it, which no printer parts from its word (`d-dimensional`), or both parts are words of an English
document by themselves (`user-defined`), of which the first is no function word (`with-out`). Other languages write
compounds as one word.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import regex

from elcano.graphs.report.places import Box, Line
from elcano.subjects.documents.pdf.frames import turn_back
from elcano.subjects.documents.pdf.lines import TextLine
from elcano.text.languages import STOP_WORDS

UNSPACED: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u3001-\u303f\uff01-\uff65]"
)
_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}'\u2019]*(?:-\p{L}[\p{L}\p{M}'\u2019]*)*")
_LAST: Final = regex.compile(r"([\p{L}\p{M}'\u2019]+(?:-[\p{L}\p{M}'\u2019]+)*)-$")
_FIRST: Final = regex.compile(r"[\p{L}\p{M}'\u2019]+(?:-[\p{L}\p{M}'\u2019]+)*")
_CONJUNCTIONS: Final = frozenset(
    ("und", "oder", "bzw", "sowie", "and", "or", "to", "et", "ou", "y", "e", "en", "of", "och", "og", "eller", "oraz")
)
"""A hyphen before one of these replaces the rest of the next word: `Vor- und Nachteile`."""
LEAN: Final = 0.5
"""Sizes by which the words that one box marks may be higher than one another: lines of a skewed scan lean."""
LEAST_PART: Final = 3
"""Letters of a word that may be a part of a compound: `re` and `in` are words, and beginnings of others."""
ENGLISH_SHARE: Final = 0.2
"""Share of English function words from which on a text is English: papers have .3 to .4, other languages .06 to .09."""
_ADDRESS: Final = regex.compile(r"(?:https?://|www\.|doi:|10\.\d{4,9}/)\S*$", regex.IGNORECASE)


@dataclass(slots=True)
class Vocabulary:
    """The words of a document that are within its lines."""

    words: Counter[str] = field(default_factory=Counter)
    firsts: Counter[str] = field(default_factory=Counter)
    """The first parts of words with a hyphen."""

    def add(self, lines: Iterable[TextLine]) -> None:
        """Take the words of lines, but for those at an end that a hyphen breaks."""
        broken = False
        for line in lines:
            tokens = line.tokens[1:] if broken else line.tokens
            broken = bool(line.tokens) and line.tokens[-1].endswith("-")
            for token in tokens[:-1] if broken else tokens:
                for word in _WORD.findall(token.lower()) if not token.isalpha() else (token.lower(),):
                    self.words[word] += 1
                    if "-" in word:
                        self.firsts[word.partition("-")[0]] += 1

    def keeps_hyphen(self, left: str, right: str) -> bool:
        """Whether a word that is broken after `left-` is written with a hyphen."""
        if not left[-1:].islower() or not right[:1].islower():
            # Two capitals may be a word in capitals; anything else is put together: Anglo-Saxon, COVID-19.
            return not (left.isupper() and right.isupper() and len(left) > 1 and len(right) > 1)
        together, apart = (left + right).lower(), f"{left}-{right}".lower()
        if self.words[together] != self.words[apart]:
            return self.words[apart] > self.words[together]
        first, second = left.rpartition("-")[2].lower(), right.lower()
        if len(first) == 1 or "-" in left or (self.firsts[first] >= 2 and self.words[second] > 0):
            return True
        both = min(len(first), len(second)) >= LEAST_PART and min(self.words[first], self.words[second]) >= 2
        return both and first not in STOP_WORDS and self._is_english()

    def _is_english(self) -> bool:
        return sum(self.words[word] for word in STOP_WORDS) > ENGLISH_SHARE * self.words.total()


def join_lines(
    lines: Sequence[TextLine],
    vocabulary: Vocabulary,
    sizes: Sequence[tuple[float, float]],
    breaks: frozenset[int] = frozenset(),
) -> tuple[str, tuple[Line, ...]]:
    """The text of lines, and the place of each in it.

    Args:
        lines: in reading order.
        vocabulary: the document's words.
        sizes: the width and height of each page of the document.
        breaks: the numbers of lines before which the text has a line feed.
    """
    text = ""
    places: list[Line] = []
    for number, line in enumerate(lines):
        if not line.tokens:
            continue
        if text:
            text = f"{text}\n" if number in breaks else _join(text, line, vocabulary)
        start = len(text)
        text += line.text
        places += _place(line, start, len(text), *sizes[line.page - 1])
    if not places:
        return "", ()
    # A hyphen that was dropped belonged to the line before it.
    ends = [place.start for place in places[1:]]
    places = [place._replace(end=min(place.end, end)) for place, end in zip(places, [*ends, len(text)], strict=True)]
    return text, tuple(places)


def _join(text: str, line: TextLine, vocabulary: Vocabulary) -> str:
    """`text` with what is between it and the line that follows."""
    after = line.tokens[0]
    if text.endswith("-") and len(text) > 1 and not text[-2].isspace():
        return _join_at_hyphen(text, after, vocabulary)
    if text[-1] in "\u2013\u2014" and len(text) > 1 and not text[-2].isspace() and after[0].isalnum():
        return text
    if UNSPACED.match(text[-1]) and UNSPACED.match(after[0]):
        return text
    if text[-1] in "/_=&?.%" and after[0].isalnum() and not after[0].isupper():
        last = text[text.rfind(" ") + 1 :]
        if len(last) > 8 and _ADDRESS.search(last[-300:]) and (text[-1] != "." or after[0].isdigit()):
            return text
    return f"{text} "


def _join_at_hyphen(text: str, after: str, vocabulary: Vocabulary) -> str:
    before = text[max(text.rfind(" "), text.rfind("\n")) + 1 :]
    if _ADDRESS.search(before[-300:]):
        return text
    last, first = _LAST.search(before), _FIRST.match(after)
    if last is None or first is None:
        return text if after[0].isalnum() else f"{text} "
    whole = (last[1] + first[0]).lower()
    if first[0].lower() in _CONJUNCTIONS and first[0] == after and not vocabulary.words[whole]:
        return f"{text} "
    return text if vocabulary.keeps_hyphen(last[1], first[0]) else text[:-1]


def _place(line: TextLine, start: int, end: int, width: float, height: float) -> Iterator[Line]:
    """Yield the position of a line, in shares of its page; of one that leans those of its parts, which are as level."""
    turn = line.turn if line.turn % 90 == 0 else 0
    across = height if turn in (90, 270) else width
    for part, low, high in _split_leaning(line):
        box = turn_back((part.left, part.top, part.right, part.bottom), turn, width, height)
        edges: Iterable[float] = part.edges
        if turn in (180, 270):
            edges = [across - edge for edge in edges]
        yield Line(
            start + low,
            min(start + high, end),
            line.page,
            Box(_share(box[0], width), _share(box[1], height), _share(box[2], width), _share(box[3], height)),
            tuple([_share(edge, across) for edge in edges]) if turn == line.turn else (),
            turn,
        )


def _split_leaning(line: TextLine) -> Iterator[tuple[TextLine, int, int]]:
    """The parts of a line that falls or rises by no more than `LEAN` in each, with their characters in its text."""
    if abs(line.lean) * (line.right - line.left) <= LEAN * line.size:
        yield line, 0, len(line.text)
        return
    bounds = [*line.edges, line.left if line.right_to_left else line.right]
    high = max(line.bottom - line.top - abs(line.lean) * (line.right - line.left), line.size)
    first = offset = 0
    for last in range(1, len(bounds)):
        after = abs(bounds[min(last + 1, len(bounds) - 1)] - bounds[first])
        if last + 1 < len(bounds) and abs(line.lean) * after <= LEAN * line.size:
            continue
        tokens = line.tokens[first:last]
        left, right = sorted((bounds[first], bounds[last]))
        middle = (line.top + line.bottom) / 2 + line.lean * (left + right - line.left - line.right) / 2
        half = (high + abs(line.lean) * (right - left)) / 2
        part = replace(line, tokens=tokens, edges=line.edges[first:last], left=left, right=right)
        part.top, part.bottom = middle - half, middle + half
        length = len(part.text)
        yield part, offset, offset + length
        first, offset = last, offset + length + 1


def _share(value: float, size: float) -> float:
    """A length as a share, to a hundredth of a millimetre or so."""
    share = value / size
    return round(share, 5) if 0.0 < share < 1.0 else 0.0 if share <= 0.0 else 1.0
