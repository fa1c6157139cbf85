"""Folds texts to their words: one spelling of quotation marks, dashes, spaces and markup, each place known.

Folding never parts or joins words and never touches a digit, a letter or a sign of arithmetic: 10² is what is typed
10^2 and never 102, CO₂ is what is typed CO2, `2*3` keeps its star and `__init__` its underscores.
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

from elcano.text.support.flattened_quotes import PRIVATE

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
    | (?P<blank>[\ \n]*\|[\ ]*-[\ ]*(?=\||\n|\Z))                          # a cell without a value
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
    _marks: Sequence[int]
    """Starts of pieces in `text`, ascending."""
    _begins: Sequence[int]
    """Where each piece begins in the source."""
    _ends: Sequence[int]
    _literal: bytearray
    """For each piece whether it is unchanged in the source."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the source of `text[start:end]`, which is not empty, in characters."""
        first, last = self._piece(start), self._piece(end - 1)
        begin = first[1] + start - first[0] if first[3] else first[1]
        close = last[1] + end - last[0] if last[3] else last[2]
        return begin, close

    def _piece(self, at: int) -> tuple[int, int, int, bool]:
        number = bisect_right(self._marks, at) - 1
        return self._marks[number], self._begins[number], self._ends[number], bool(self._literal[number])


def fold_text(text: str) -> FoldedText:
    """`text` as its words alone."""
    typed = _WITHIN_MARKS.sub("\u200b", text).translate(_TYPED)
    said: list[str] = []
    marks, begins, ends, literals = array("L"), array("L"), array("L"), bytearray()
    length = 0
    for start, end, words in _split_pieces(typed, 0, len(typed), composed=unicodedata.is_normalized("NFC", typed)):
        literal = words is None
        words = typed[start:end] if words is None else words
        if words == " " and (not length or said[-1].endswith(" ")):
            continue
        if words:
            said.append(words)
            marks.append(length)
            begins.append(start)
            ends.append(end)
            literals.append(literal)
            length += len(words)
    return FoldedText("".join(said), marks, begins, ends, literals)


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
        case "blank":
            return " - "
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
