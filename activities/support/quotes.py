"""Checks that a quote stands in a text word for word, apart from quotation marks, dashes, markup and spaces.

Never nearly: no word and no number may differ, and a quote neither begins nor ends within one. What may differ is what
`folding` folds, the case of the first letter and a stop at the end; and a quote may leave something out by an ellipsis,
if what stands before and after it stands in the text in that order. Whoever asks is told the place in the stored text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from elcano.activities.support.folding import FoldedText, fold

LEAST_PART_WORDS: Final = 2
"""Of what stands on either side of an ellipsis: of single words anything could be put together."""
LEAST_PART_CHARACTERS: Final = 4
"""The same, in scripts that do not part words."""
MOST_PARTS: Final = 8
MOST_TRIES: Final = 1_000
"""Of places where a part stands within longer words; beyond that it counts as not found, so that hostile texts end."""
_ELLIPSIS: Final = re.compile(r"[\[(]?\.\.\.[\])]?")
_AROUND: Final = " \"'.,;:\u3001\u3002"
_LAST: Final = " \"'.,;:\u3001\u3002-"
_WORD: Final = re.compile(r"[^\W_]+")
_SPACELESS: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True)
class QuoteIndex:
    """A text in which quotes are looked up."""

    text: str
    folded: FoldedText

    @classmethod
    def of(cls, text: str) -> "QuoteIndex":
        """`text`, folded once for all quotes."""
        return cls(text, fold(text))

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where `quote` begins and ends in the text, in characters; None if it does not stand there."""
        said = fold(quote).text.strip()
        for words in dict.fromkeys((said, said.strip(_AROUND).rstrip(_LAST))):
            if _WORD.search(words) and (place := self._first(words, 0)):
                return self._with_marks(quote, *self.folded.span(*place))
        return self._in_parts(said)

    def _with_marks(self, quote: str, start: int, end: int) -> tuple[int, int]:
        """The place from `start` to `end`, with the marks of typesetting at its edges that the quote repeats."""
        literal = quote.strip()
        at = self.text.find(literal, max(0, end - len(literal)), start + len(literal))
        return (at, at + len(literal)) if at >= 0 else (start, end)

    def _in_parts(self, said: str) -> tuple[int, int] | None:
        """The place of a quote with ellipses, from its first part to its last."""
        parts = [part for one in _ELLIPSIS.split(said) if (part := one.strip(_AROUND).rstrip(_LAST))]
        if (
            len(parts) > MOST_PARTS
            or not parts
            or not _ELLIPSIS.search(said)
            or not all(map(_is_searchable_part, parts))
        ):
            return None
        places: list[tuple[int, int]] = []
        for part in parts:
            found = self._first(part, places[-1][1] if places else 0)
            if found is None:
                return None
            places.append(found)
        return self.folded.span(places[0][0], places[-1][1])

    def _first(self, words: str, start: int) -> tuple[int, int] | None:
        """The first place from `start` on where `words` stand as whole words, their first letter in either case."""
        other = words[0].swapcase()
        for spelled in (words, other + words[1:] if len(other) == 1 else words):
            for at in self._occurrences(spelled, start):
                return at, at + len(spelled)
        return None

    def _occurrences(self, words: str, start: int) -> Iterator[int]:
        text = self.folded.text
        at = text.find(words, start)
        for _ in range(MOST_TRIES):
            if at < 0:
                return
            if _has_word_boundaries(text, at, at + len(words)):
                yield at
            at = text.find(words, at + 1)


def _is_searchable_part(part: str) -> bool:
    """Whether a part of a quote is enough to be looked up by itself."""
    return len(_WORD.findall(part)) >= LEAST_PART_WORDS or len(_SPACELESS.findall(part)) >= LEAST_PART_CHARACTERS


def _has_word_boundaries(text: str, start: int, end: int) -> bool:
    """Whether no word or number goes on beyond the edges of `text[start:end]`."""
    return not (
        _goes_on(text, start)
        or _goes_on(text, end)
        or _has_sign_before(text, start)
        or _is_edge_within_number(text, start, end)
    )


def _goes_on(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if (after == "^" and before.isalnum()) or (before == "^" and after.isdigit()):  # within a power
        return True
    joined = (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
    return joined and not (_SPACELESS.match(before) or _SPACELESS.match(after))


def _has_sign_before(text: str, start: int) -> bool:
    """Whether the number at `start` has a sign before it."""
    if start == 0 or not text[start].isdigit() or text[start - 1] not in "-+<>\u2264\u2265":
        return False
    return text[start - 1] != "-" or start == 1 or not text[start - 2].isalnum()


def _is_edge_within_number(text: str, start: int, end: int) -> bool:
    """Whether an edge is within a number, beside its point or comma."""
    first, last = text[start].isdigit(), text[end - 1].isdigit()
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    begun = first and (before.endswith(".") or (before[-1:] in (",", "'") and before[:1].isdigit()))
    return begun or (last and after[:1] in (".", ",", "'") and after[1:].isdigit())
