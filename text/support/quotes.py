"""Checks that a quote is in a text word for word, apart from quotation marks, dashes, markup and spaces.

Never nearly: no word and no number may differ, and a quote neither begins nor ends within one. Both are folded first
(`folded_text.py`). Besides, the case of the first letter and a stop at the end may differ, a footnote number that a PDF
glued to the last word, or to the first one of a sentence, may be left off, as may the raised letter of a note at the
end of a cell of a table, a word that it broke (`lan- guage`) may be whole, a space that it lost between a mark and a
letter (`particles.In contrast`) may be there, a ligature that it could not decode may be left out or spelled, and a
quote may leave something out by an ellipsis, if what is before and after it is in the text in that order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import regex

from elcano.text.support.flattened_quotes import list_unreadable_words, spell_ligatures
from elcano.text.support.folded_text import FoldedText, fold_text

LEAST_PART_WORDS: Final = 2
"""Minimum number of words on either side of an ellipsis: single words could be combined to anything."""
LEAST_PART_CHARACTERS: Final = 4
"""The same, in scripts that do not part words."""
MOST_PARTS: Final = 8
MOST_TRIES: Final = 1_000
"""Number of places checked where a part occurs within longer words; after that it counts as not found, so that hostile
texts end."""
_ELLIPSIS: Final = re.compile(r"[\[(]?\.\.\.[\])]?")
_AROUND: Final = " \"'.,;:\u3001\u3002"
_LAST: Final = " \"'.,;:\u3001\u3002-"
_WORD: Final = re.compile(r"[^\W_]+")
_LINE_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-[ \n]{1,3}(?=[^\W\d_])")
_LOST_SPACE: Final = re.compile(r"(?<=[^\w\s]) (?=[^\W\d_])")
"""A space between a mark and a letter, which tells nothing; others part words (`a symptomatic`) or figures."""
_FOOTNOTE: Final = re.compile(r"[1-9]\d?(?:[,-][1-9]\d?)*(?![\w%])")
_PLAIN_WORD_END: Final = re.compile(r"(?<![\w^])[a-z]{4,}$")
NOTE_LETTERS: Final = "\u1d43\u1d47\u1d9c\u1d48\u1d49\u1da0"
"""Raised letters from a to f, by which tables number their notes."""
_CELL_NOTE: Final = re.compile(rf"[{NOTE_LETTERS}]{{1,2}}[^\S\n]*(?:\||\n|\Z)")
"""Behind it a cell ends: within a sentence such a letter belongs to its figure, as in `19\u1d49 siècle`."""
_NOTED_END: Final = re.compile(r"(?:(?<![\w^])[^\W\d_]{2,}|(?<![^\W_])(?!10$)[\d.,]*\d)$")
_NOTE_BEFORE: Final = re.compile(r"(?<![\w^])[a-z]{4,}[.!?][)\"']?[1-9]\d{0,2}(?:[,-][1-9]\d{0,2})*$")
LONGEST_WORD: Final = 40
KEPT: Final = 1_000
"""Texts whose folding is kept; a passage takes some 6 kB."""
_SPACELESS: Final = regex.compile(r"[\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Hiragana}\p{Katakana}\p{Han}]")


@dataclass(frozen=True)
class QuoteIndex:
    """A text in which quotes are looked up."""

    text: str
    folded: FoldedText
    mended: "QuoteIndex | None" = None
    """The same text, its words whole that a hyphen at the end of a line broke; None: there are none."""
    unreadable: tuple[str, ...] = ()
    """Its words with a ligature that cannot be read."""

    @classmethod
    def of(cls, text: str) -> "QuoteIndex":
        """`text`, folded once for all quotes."""
        return _index_text(text)

    def find(self, quote: str) -> tuple[int, int] | None:
        """Find `quote` in the text, in characters; None if it is not there."""
        quote = spell_ligatures(quote, self.unreadable)
        place = self._find(quote)
        if place is None and self.mended:
            place = self.mended._find(_hide_line_hyphens(quote))
        return place or self._find_glued(quote)

    def _find(self, quote: str) -> tuple[int, int] | None:
        said = _fold_quote(quote)
        for words in dict.fromkeys((said, said.strip(_AROUND).rstrip(_LAST))):
            if _WORD.search(words) and (place := self._first(words, 0)):
                return self._with_marks(quote, *self.folded.span(*place))
        return self._in_parts(said)

    def _find_glued(self, quote: str) -> tuple[int, int] | None:
        """Find `quote` where the text lacks spaces behind marks; its edges are edges of words there all the same."""
        words, said = _glue(_fold_quote(quote).strip(_AROUND).rstrip(_LAST))
        glued, there = self._glued
        at = glued.find(words) if _WORD.search(words) else -1
        for _ in range(MOST_TRIES):
            if at < 0:
                return None
            first, behind = bisect_right(there, at), bisect_right(there, at + len(words) - 1)
            start, end = at + first, at + len(words) + behind
            spaces = {place - at for place in there[first:behind]}
            if spaces <= {*said} and self._has_word_boundaries(start, end):
                return self.folded.span(start, end)
            at = glued.find(words, at + 1)
        return None

    @cached_property
    def _glued(self) -> tuple[str, list[int]]:
        return _glue(self.folded.text)

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
            if self._has_word_boundaries(at, at + len(words)):
                yield at
            at = text.find(words, at + 1)

    def _has_word_boundaries(self, start: int, end: int) -> bool:
        """Whether no word or number continues beyond the edges of this part of the folded text."""
        text = self.folded.text
        return not (
            (_goes_on(text, start) and not _begins_behind_footnote(text, start))
            or (_goes_on(text, end) and not (_ends_before_footnote(text, end) or self._ends_before_note(end)))
            or _has_sign_before(text, start)
            or _is_edge_within_number(text, start, end)
        )

    def _ends_before_note(self, end: int) -> bool:
        """Whether the cell of a table that ends there, in the folded text, has a note: `0.19\u1d48`."""
        if self.folded.text[end] not in NOTE_LETTERS:
            return False
        note = _CELL_NOTE.match(self.text, self.folded.span(end, end + 1)[0])
        return bool(note and _NOTED_END.search(self.folded.text, max(0, end - LONGEST_WORD), end))


# What a writer quotes is looked up after each part and each repair, and once more for the report.
@lru_cache(maxsize=KEPT)
def _index_text(text: str) -> QuoteIndex:
    mended = _hide_line_hyphens(text)
    whole = None if mended == text else QuoteIndex(mended, fold_text(mended))
    return QuoteIndex(text, fold_text(text), whole, list_unreadable_words(text))


@lru_cache(maxsize=KEPT)
def _fold_quote(quote: str) -> str:
    return fold_text(quote).text.strip()


def _glue(text: str) -> tuple[str, list[int]]:
    """`text` without spaces between marks and letters, and where in it these were, ascending."""
    places = [found.start() - number for number, found in enumerate(_LOST_SPACE.finditer(text))]
    return _LOST_SPACE.sub("", text), places


def _hide_line_hyphens(text: str) -> str:
    """`text`, as long as it is, without the hyphens that part a word, as in `lan- guage`."""
    return _LINE_HYPHEN.sub(lambda found: "\u00ad" + "\u200b" * (len(found[0]) - 1), text)


def _is_searchable_part(part: str) -> bool:
    """Whether a part of a quote is enough to be looked up by itself."""
    return len(_WORD.findall(part)) >= LEAST_PART_WORDS or len(_SPACELESS.findall(part)) >= LEAST_PART_CHARACTERS


def _goes_on(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if (after == "^" and before.isalnum()) or (before == "^" and after.isdigit()):  # within a power
        return True
    joined = (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
    return joined and not (_SPACELESS.match(before) or _SPACELESS.match(after))


def _ends_before_footnote(text: str, end: int) -> bool:
    """Whether the word that ends there is a plain one with a footnote number glued to it, as PDFs do: `bandgap11`."""
    return bool(_FOOTNOTE.match(text, end) and _PLAIN_WORD_END.search(text, max(0, end - LONGEST_WORD), end))


def _begins_behind_footnote(text: str, start: int) -> bool:
    """Whether a sentence begins there with the footnote number of the one before glued to it: `cells.110The risk`."""
    begin = max(0, start - LONGEST_WORD)
    return text[start].isupper() and _NOTE_BEFORE.search(text, begin, start) is not None


def _has_sign_before(text: str, start: int) -> bool:
    if start == 0 or not text[start].isdigit() or text[start - 1] not in "-+<>\u2264\u2265":
        return False
    return text[start - 1] != "-" or start == 1 or not text[start - 2].isalnum()


def _is_edge_within_number(text: str, start: int, end: int) -> bool:
    """Whether an edge is within a number, next to its point or comma."""
    first, last = text[start].isdigit(), text[end - 1].isdigit()
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    begun = first and (before.endswith(".") or (before[-1:] in (",", "'") and before[:1].isdigit()))
    return begun or (last and after[:1] in (".", ",", "'") and after[1:].isdigit())
