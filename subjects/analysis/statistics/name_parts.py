"""A name of an outcome or a group taken apart: its words, numbers and signs, without what says nothing."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import regex

from elcano.text.name_words import JOINING_WORDS, is_and, is_at, is_link, is_own_link
from elcano.text.number_words import parse_roman_numeral
from elcano.text.units import TIMES
from elcano.text.written_numbers import find_numbers

_COUNT_OF: Final = regex.compile(r"\b(?:no\.?|nº|n\.º|n°|№|num\.|nr\.)\s+(?=(?:of|de|di|der|van)\b)", regex.IGNORECASE)
"""`no. of relapses` is no negation."""
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}ー々"
_PARTICLE: Final = regex.compile(
    r"(?<=[\p{Han}\p{Katakana}])[的の](?=[\p{Han}\p{Katakana}])|(?<=\p{Thai})ของ(?=\p{Thai})"
)
"""`of` in Chinese, Japanese and Thai."""
_GREEK: Final = regex.compile(r"(?<!\p{Greek})\p{Greek}(?!\p{Greek})")
_PART: Final = regex.compile(
    rf"(?P<elision>(?<![\p{{L}}\p{{N}}])(?:l|d|dell|un|qu|j)['\u2019](?=\p{{L}}))"
    rf"|(?P<word>[{_UNSPACED}]+|(?:(?<![\p{{L}}\p{{N}}])-)?\d+(?:\.\d+)*|\p{{L}}(?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}])*)"
    r"(?:['\u2019]s?(?!\p{L}))?(?P<status>[-+](?=$|[\s,;:)/]))?"
    r"|(?P<sign>[<>]=|[<>≤≥⩽⩾=±%+&/])"
)
_LIGATURES: Final = str.maketrans({"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae"})
_ONE_LETTER: Final = {0x131: "i", 0x307: "", 0x451: "\u0435"}
"""Letters that capitals or habit write as others: the Turkish dotless i and the Russian ё."""
_DASH: Final = regex.compile(r"[-\u2010-\u2015\u2212]?")
_COMMA_GROUPS: Final = frozenset({"en", "ja", "ko", "th", "zh"})
"""Languages in which a comma groups digits."""
_LONGEST_ACRONYM: Final = 5
_NUMBER: Final = regex.compile(r"-?\d+(?:\.\d+)*[-+]?")
_SIGNS: Final = {"<=": "≤", ">=": "≥", "⩽": "≤", "⩾": "≥", "+": "&"}

_Kind: TypeAlias = Literal["word", "name", "joining", "sign"]
"""`name`: a number, or a letter by itself, as in `type 2` and `vitamin A`."""


@dataclass(frozen=True)
class NamePart:
    """A word, number or sign of a name."""

    text: str
    kind: _Kind
    attached: bool = False
    """To the one before it, by a hyphen or by nothing."""
    capital: bool = False


def split_name(name: str, language: str) -> Iterator[NamePart]:
    """The parts of a name without those that say nothing."""
    text = _write_digits(_COUNT_OF.sub("number ", name), language)  # before 10⁶ becomes 106
    text = unicodedata.normalize("NFKC", text).translate(_LIGATURES)
    text = _GREEK.sub(lambda letter: unicodedata.name(letter[0]).split()[-1].lower(), text)
    text = _PARTICLE.sub("", text)
    shouted = text.isupper() and any(len(word) > _LONGEST_ACRONYM for word in text.split())
    parts: list[NamePart] = []
    found = list(_PART.finditer(text))
    for place, one in enumerate(found):
        if one["elision"]:
            continue
        if one["sign"]:
            sign = _SIGNS.get(one["sign"], one["sign"])
            parts.append(NamePart(sign, "sign"))
            continue
        attached = bool(place) and _DASH.fullmatch(text, found[place - 1].end(), one.start()) is not None
        attached = attached and not found[place - 1]["sign"] and not found[place - 1]["elision"]
        last = place + 1 == len(found)
        leading = not last and _DASH.fullmatch(text, one.end(), found[place + 1].start()) is not None
        # `quality-of-life` is `quality of life`, but `vitamin-A-level` keeps its letter.
        linking = attached and leading and len(one["word"]) > 1 and is_own_link(one["word"].casefold(), language)
        held = (attached or leading) and not linking
        words = (after["word"] for after in found[place + 1 :] if after["word"])
        behind = next((word for word in words if len(word) == 1 or not is_link(word.casefold(), language)), None)
        neighbours = (found[place - 1]["word"] if place else None, behind)
        part = _read_word(one["word"], language, neighbours, held=held, shouted=shouted)
        if part is not None:
            parts.append(replace(part, text=part.text + (one["status"] or ""), attached=attached and bool(parts)))
    yield from parts


def _read_word(
    written: str, language: str, neighbours: tuple[str | None, str | None], *, held: bool, shouted: bool
) -> NamePart | None:
    """A word as a part of its name; None if it says nothing there.

    Args:
        written: the word.
        language: the name's.
        neighbours: the word before it, and the next behind it that is no article.
        held: a hyphen joins it to one of them.
        shouted: the whole name is in capitals.
    """
    word = written.casefold().translate(_ONE_LETTER)
    before, behind = neighbours
    acronym = written.isupper() and len(written) > 1 and not shouted
    if _NUMBER.fullmatch(word):
        return NamePart(word, "name")
    if len(written) > 1 and (roman := parse_roman_numeral(written)):  # a letter alone may be one
        return NamePart(str(roman), "name")
    if not acronym and not held and behind is not None:
        if before is not None and is_and(word, language):
            return NamePart("&", "sign")
        if is_at(word, language) and behind[0].isdigit():
            return None
        if is_link(word, language) and (len(word) > 1 or _calls_for_article(before, language)):
            return None
    if len(word) == 1 and word.isascii():
        return NamePart(word, "name")
    if not acronym and not held and is_link(word, language):
        return None
    if not acronym and word in JOINING_WORDS:
        return NamePart(word, "joining")
    number = _read_number_word(word, language)
    return NamePart(number, "name") if number else NamePart(word, "word", capital=written[:1].isupper())


def _calls_for_article(before: str | None, language: str) -> bool:
    """Whether a single letter behind this word is an article: `use of a stent`, not `vitamin a intake`."""
    word = (before or "").casefold()
    return not word or word in JOINING_WORDS or is_link(word, language) or word.endswith(("ing", "ed"))


@lru_cache(maxsize=10_000)
def _read_number_word(word: str, language: str) -> str:
    """The digits for a lower-case word that is a number; empty if it is none."""
    if word == "one":
        return "1"
    found = find_numbers(word, language)
    return f"{min(found[0].values):f}" if len(found) == 1 and found[0].spelled and found[0].unit != TIMES else ""


def _write_digits(text: str, language: str) -> str:
    """`text` with its numbers in digits and points: `six`, `0·5` and `0,5` are `6` and `0.5`."""
    written: list[str] = []
    last = 0
    for one in find_numbers(text, language):
        if not one.values or one.unit == TIMES or one.ordinal or one.moment is not None:
            continue
        # `1,000` is a thousand in English, and one in German.
        thousands = ("," in one.text) == (language in _COMMA_GROUPS)
        value = max(one.values) if thousands else min(one.values)
        share = f" {one.ratio_unit}" if one.ratio_unit else ""
        written += [text[last : one.start], f"{value:f}{share}"]
        last = one.end
    return "".join((*written, text[last:]))


def list_compounds(parts: Sequence[NamePart]) -> Iterator[Sequence[NamePart]]:
    """The runs of parts that hyphens join."""
    start = 0
    for end in range(1, len(parts) + 1):
        if end == len(parts) or not parts[end].attached or holds_range(parts[end - 1 : end + 1]):
            if end - start > 1:
                yield parts[start:end]
            start = end


def holds_range(run: Sequence[NamePart]) -> bool:
    """Whether two numbers are next to each other, which are a range."""
    return any(_NUMBER.fullmatch(one.text) and _NUMBER.fullmatch(two.text) for one, two in pairwise(run))


def join_parts(run: Sequence[NamePart]) -> NamePart:
    """One word of several. A letter behind another word stays apart: `vitamin-A` is no `vitamina`."""
    text = "".join(f" {one.text}" if place and _is_letter(one) else one.text for place, one in enumerate(run))
    return NamePart(text, "word", capital=run[0].capital)


def _is_letter(one: NamePart) -> bool:
    return one.kind == "name" and one.text.isalpha()
