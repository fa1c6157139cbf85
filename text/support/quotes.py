"""Checks that a quote is in a text word for word, apart from quotation marks, dashes, markup and spaces.

Never nearly: no word and no number may differ, and a quote neither begins nor ends within one. Both are folded first:
one spelling of quotation marks, dashes, spaces and markup, each place known in the source. Folding never parts or joins
words and never touches a digit, a letter or a sign of arithmetic: 10² is what is typed 10^2 and never 102, CO₂ is what
is typed CO2, `2*3` keeps its star and `__init__` its underscores. Besides, the case of the first letter and a stop
at the end may differ, a footnote number that a PDF glued to the last word may be left off, a word that it broke
(`lan- guage`) may be whole, a ligature that it could not decode may be left out or spelled, and a quote may leave
something out by an ellipsis, if what is before and after it is in the text in that order.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

import regex

from elcano.text.support.flattened_quotes import PRIVATE, list_unreadable_words, spell_ligatures

_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SINGLE: Final = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u2039\u203a\uff07"
_DOUBLE: Final = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02"
_SPACES: Final = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u202f\u205f\u3000\u2028\u2029" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_SCRIPT_LETTERS: Final = "\u210a\u210e\u2110\u2112\u2113\u211b\u2102\u2115\u211d\u2124"
_TYPED: Final = str.maketrans(
    {chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_SINGLE, "'")
    | dict.fromkeys(_DOUBLE, '"')
    | dict.fromkeys(_SPACES, " ")
    | {"\u00b5": "\u03bc", "\u2126": "\u03a9", "\u212a": "K", "\u212b": "\u00c5", "\u066b": ".", "\u066a": "%"}
    # letters and digits of mathematics, which are plain ones in another font
    | {chr(styled): unicodedata.normalize("NFKC", chr(styled)) for styled in range(0x1D400, 0x1D800)}
    | {styled: unicodedata.normalize("NFKC", styled) for styled in _SCRIPT_LETTERS}
)
"""One character for one, so that places stay what they are."""

_CJK: Final = "\u3001\u3002\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese and Japanese: spaces tell nothing there."""
_LOOSE: Final = "%\u2030;!?()[]/=~\u00b1\u00d7\u2264\u2265"
"""Next to these, spaces tell nothing."""
_HIDDEN: Final = "\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff" + PRIVATE
_WIDE: Final = "\uff65-\uffdc\ufb00-\ufb06\u2103\u2109"
_WITHIN_MARKS: Final = re.compile(
    r"(?<=(?<![^\s(\[])[\u00ab\u2039])[ \u00a0\u202f]|[ \u00a0\u202f](?=[\u00bb\u203a](?![^\s.,;:!?)\]]))"
)
"""The spaces that French has within its marks of quotation."""
_TOKEN: Final = re.compile(
    r"""
    # all that a token begins with
    (?=[\[!_<&\\\n`|"'*\-\u2026\u00ad[H][W]>\#+\u2022\u2023\u25e6^\u00b2\u00b3\u00b9\u2070\u2074-\u207b\u2080-\u2089]
        |\.[.\ ]|[\ ]|\A[\ ])
    (?:
    !?\[(?P<label>[^\[\]\n]{1,300})\]\((?=[^\s()]{0,500}[./\#])[^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?
        (?:\ "[^"\n]{0,200}")?\)                                         # a link: its words
    | (?<!\w)(?P<under>_(?!_)|__(?=[^_\n]{0,200}\ ))(?=\S)(?P<stressed>[^_\n]{1,200})(?<=\S)(?P=under)(?!\w)
    | </?(?:b|i|u|em|strong|code|tt|kbd|span|a)(?:\s[^<>]{0,300})?>
    | &(?P<entity>\#\d{1,7}|\#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    | (?P<begin>(?:\A|(?:\A|(?<=[^\ ]))\ *\n)[\ \n]*)(?:>\ ?|[-*+\u2022\u2023\u25e6]\ +|\#{1,6}\ +)+  # lists, headings
    | (?P<ellipsis>[\ \n]*(?:\u2026|\.(?:\ ?\.){2,5}(?!\.))[\ \n]*)
    | (?P<hidden>\u00ad(?:\ *\n\ *)?|[[H]]|`)
    | (?P<rule>[\ \n]+\|{1,3}(?!\|)[\ \n]*|(?<!\|)\|{1,3}[\ \n]+)
    | (?P<sign>[\ \n]+-(?=\d))
    | (?P<dash>[\ \n]*-(?!-)[\ \n]*(?!-)|(?<=\w)-{2,3}(?=\w)|[\ \n]+-{2,3}[\ \n]+)
    | (?P<apostrophe>(?<=[^\W_])'(?=[^\W\d_])) | (?<=\d)(?P<feet>''|["'])
    | (?P<quoted>["'])
    | (?P<emphasis>(?<![^\W_])(?<![*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![*])(?![^\W_]))
    | (?P<between>(?<=[[S][L]])[\ \n]+|(?<=[\d\ =][<>])[\ \n]+
        |[\ \n]+(?=\\?(?!\[[^\[\]\n]{1,300}\]\()[[S][L]>]|<(?![A-Za-z/])))            # before a link it parts words
    | (?P<space>\ {2,}|\ ?\n[\ \n]*)
    | (?P<wide>[[W]]+)
    | (?P<charge>(?<=[^\W\d_])[\u00b2\u00b3\u2074-\u2077]?(?:\u207a|\u207b[\ \n]*)
        (?![\u00b2\u00b3\u00b9\u2070\u2074-\u2079]))                                  # an ion's
    | (?P<isotope>(?<![\w.,\u00b2\u00b3\u00b9\u2070-\u2079])[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}(?=[A-Z])) # 14C
    | (?P<power>(?<=[^\W_])(?:[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]{1,9}
        |\^(?:[-+]?\d{1,9}|\([-+]?\d{1,9}\)|\{[-+]?\d{1,9}\})(?!\d)))
    | (?P<index>(?<=[^\W\d_])[\u2080-\u2089]{1,9}(?!\d))
    )
    """.replace("[S]", _CJK)
    .replace("[L]", re.escape(_LOOSE))
    .replace("[H]", _HIDDEN)
    .replace("[W]", _WIDE),
    re.VERBOSE,
)
_COMPOSED: Final = re.compile(r"[^\x00-\x7f]+|[\x00-\x7f](?=[^\x00-\x7f])[^\x00-\x7f]+")
"""Text that Unicode composition may change: characters beyond ASCII, with the letter before them."""


@dataclass(frozen=True)
class FoldedText:
    """The words of a text, and where in it each is."""

    text: str
    _marks: tuple[int, ...]
    """Starts of pieces in `text`, ascending."""
    _pieces: tuple[tuple[int, int, bool], ...]
    """For each piece: where it begins and ends in the source, and whether it is unchanged there."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the source of `text[start:end]`, which is not empty, in characters."""
        first, last = self._piece(start), self._piece(end - 1)
        begin = first[1] + start - first[0] if first[3] else first[1]
        close = last[1] + end - last[0] if last[3] else last[2]
        return begin, close

    def _piece(self, at: int) -> tuple[int, int, int, bool]:
        number = bisect_right(self._marks, at) - 1
        return (self._marks[number], *self._pieces[number])


def fold_text(text: str) -> FoldedText:
    """`text` as its words alone."""
    typed = _WITHIN_MARKS.sub("\u200b", text).translate(_TYPED)
    said: list[str] = []
    marks: list[int] = []
    pieces: list[tuple[int, int, bool]] = []
    length = 0
    for start, end, words in _split_pieces(typed, 0, len(typed), composed=unicodedata.is_normalized("NFC", typed)):
        literal = words is None
        words = typed[start:end] if words is None else words
        if words == " " and (not length or said[-1].endswith(" ")):
            continue
        if words:
            said.append(words)
            marks.append(length)
            pieces.append((start, end, literal))
            length += len(words)
    return FoldedText("".join(said), tuple(marks), tuple(pieces))


def _split_pieces(text: str, start: int, end: int, *, composed: bool) -> Iterator[tuple[int, int, str | None]]:
    """Stretches of `text` in order with the words they stand for; None: as they are."""
    at = start
    marked = False
    for found in _TOKEN.finditer(text, start, end):
        yield from _compose_plain_stretch(text, at, found.start(), composed=composed)
        after_mark, at = marked and at == found.start(), found.end()
        inner = "label" if found["label"] else "stressed" if found["stressed"] else ""
        marked = bool(inner or found["entity"])
        if inner:
            yield from _split_pieces(text, *found.span(inner), composed=composed)
        else:  # what ended a link or an entity is no punctuation of the text
            parted = after_mark and found["between"] and text[at : at + 1] not in _LOOSE
            yield found.start(), at, " " if parted else _convert_mark_to_text(found)
    yield from _compose_plain_stretch(text, at, end, composed=composed)


def _convert_mark_to_text(found: re.Match[str]) -> str:
    """Return the text that a typesetting mark represents."""
    match found.lastgroup:
        case "entity":
            return unescape(found[0]).translate(_TYPED)
        case "escaped":
            return "" if found["escaped"] in "*_`" else found["escaped"]
        case "ellipsis":
            return "..."
        case "sign":
            return " -"
        case "dash":
            return "-"
        case "apostrophe":
            return "'"
        case "feet":
            return found["feet"].replace("''", '"')
        case "begin" | "rule" | "space":
            return " "
        case "wide" | "index" | "isotope" | "charge":
            return unicodedata.normalize("NFKC", found[0]).translate(_TYPED).rstrip()
        case "power":
            return "^" + unicodedata.normalize("NFKC", found[0]).translate(_TYPED).strip("^(){}")
        case _:
            return ""


def _compose_plain_stretch(text: str, start: int, end: int, *, composed: bool) -> Iterator[tuple[int, int, str | None]]:
    """A stretch without marks, its letters composed where they are not."""
    if composed:
        if start < end:
            yield start, end, None
        return
    at = start
    for found in _COMPOSED.finditer(text, start, end):
        if unicodedata.is_normalized("NFC", found[0]):
            continue
        if at < found.start():
            yield at, found.start(), None
        yield from _compose_clusters(found[0], found.start())
        at = found.end()
    if at < end:
        yield at, end, None


def _compose_clusters(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    """Each letter with its marks, composed, so that its place is known to the letter."""
    at = 0
    while at < len(text):
        after = at + 1
        while after < len(text) and (unicodedata.combining(text[after]) or "\u1160" <= text[after] <= "\u11ff"):
            after += 1
        yield start + at, start + after, unicodedata.normalize("NFC", text[at:after])
        at = after


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
_FOOTNOTE: Final = re.compile(r"[1-9]\d?(?:[,-][1-9]\d?)*(?![\w%])")
_PLAIN_WORD_END: Final = re.compile(r"(?<![\w^])[a-z]{4,}$")
LONGEST_WORD: Final = 40
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
        mended = _hide_line_hyphens(text)
        whole = None if mended == text else cls(mended, fold_text(mended))
        return cls(text, fold_text(text), whole, list_unreadable_words(text))

    def find(self, quote: str) -> tuple[int, int] | None:
        """Find `quote` in the text, in characters; None if it is not there."""
        quote = spell_ligatures(quote, self.unreadable)
        place = self._find(quote)
        return self.mended._find(_hide_line_hyphens(quote)) if place is None and self.mended else place

    def _find(self, quote: str) -> tuple[int, int] | None:
        said = fold_text(quote).text.strip()
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


def _hide_line_hyphens(text: str) -> str:
    """`text`, as long as it is, without the hyphens that part a word, as in `lan- guage`."""
    return _LINE_HYPHEN.sub(lambda found: "\u00ad" + "\u200b" * (len(found[0]) - 1), text)


def _is_searchable_part(part: str) -> bool:
    """Whether a part of a quote is enough to be looked up by itself."""
    return len(_WORD.findall(part)) >= LEAST_PART_WORDS or len(_SPACELESS.findall(part)) >= LEAST_PART_CHARACTERS


def _has_word_boundaries(text: str, start: int, end: int) -> bool:
    """Whether no word or number continues beyond the edges of `text[start:end]`."""
    return not (
        _goes_on(text, start)
        or (_goes_on(text, end) and not _ends_before_footnote(text, end))
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


def _ends_before_footnote(text: str, end: int) -> bool:
    """Whether the word that ends there is a plain one with a footnote number glued to it, as PDFs do: `bandgap11`."""
    return bool(_FOOTNOTE.match(text, end) and _PLAIN_WORD_END.search(text, max(0, end - LONGEST_WORD), end))


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
