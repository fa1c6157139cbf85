"""Which names of outcomes and groups are the same: those that differ in form alone, never by a word.

The names of one analysis are read together. Whether `follow up`, `follow-up` and `followup` are one word, and of which
word another one is the plural, is decided by the names themselves, not by a list.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import regex

from elcano.activities.text.languages import language_of, text_language
from elcano.activities.text.name_words import (
    JOINING_WORDS,
    NAME_LANGUAGES,
    is_and,
    is_at,
    is_link,
    list_forms,
    spell_alike,
)
from elcano.activities.text.units import TIMES
from elcano.activities.text.written_numbers import find_numbers

Words: TypeAlias = tuple[str, ...]
"""What a name says, sorted: two names of one thing have the same."""

_MOST_JOINED: Final = 4
"""Words that may be written as one."""
_BEGINNING: Final = 20
"""Letters by which a word is looked for first."""
_LANGUAGE_SAMPLE: Final = 4_000
"""Characters of all names that tell which language they are in."""
_MOST_TEXTS: Final = 100
_ALWAYS_PREFIXES: Final = frozenset({"non"})
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
_DASH: Final = regex.compile(r"[-\u2010-\u2015\u2212]?")
_COMMA_GROUPS: Final = frozenset({"en", "ja", "ko", "th", "zh"})
"""Languages in which a comma groups digits."""
_LONGEST_ACRONYM: Final = 5
_NUMBER: Final = regex.compile(r"-?\d+(?:\.\d+)*[-+]?")
_ROMAN: Final = regex.compile(r"(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10}
_SIGNS: Final = {"<=": "≤", ">=": "≥", "⩽": "≤", "⩾": "≥", "+": "&"}
_COMPARING: Final = frozenset("<>≤≥=±")

_Kind: TypeAlias = Literal["word", "name", "joining", "sign"]
"""`name`: a number, or a letter by itself, as in `type 2` and `vitamin A`."""


@dataclass(frozen=True)
class _Part:
    """A word, number or sign of a name."""

    text: str
    kind: _Kind
    attached: bool = False
    """To the one before it, by a hyphen or by nothing."""
    capital: bool = False


@dataclass
class _Form:
    """A word as names have it."""

    languages: set[str]
    noun: bool


class NameReader:
    """Reads the names of one analysis."""

    def __init__(self, names: Iterable[str], texts: Iterable[str] = ()) -> None:
        """Read all names that are to be compared.

        Args:
            names: of outcomes, groups and studies.
            texts: in which they stand; they tell the language where names alone do not.
        """
        distinct = sorted({name for name in names if name.strip()})
        around = text_language(" ".join(sorted(texts)[:_MOST_TEXTS]))
        common = _detect_language("; ".join(distinct)[:_LANGUAGE_SAMPLE], around)
        self._languages = {name: _detect_language(name, common) for name in distinct}
        self._parts = {name: tuple(_split_name(name, language)) for name, language in self._languages.items()}
        forms = self._collect_forms()
        self._spelled = {language: _index_spellings(forms, language) for language in {*self._languages.values()}}
        self._first = _find_first_forms(forms, self._spelled)
        read = self._parts.values()
        self._compounds = {self._first[_join_parts(run).text] for parts in read for run in _list_compounds(parts)}
        """Words that hyphens join, which spaces may join, too."""
        alone = (one.text for parts in read for one in parts if one.kind == "word" and not one.attached)
        self._joined = self._compounds.union(self._first[word] for word in alone)
        """These and all other words, which may be written as several."""
        self._beginnings = {word[:end] for word in forms for end in range(_BEGINNING + 1)}
        self._words = {name: self._join_words(name) for name in distinct}

    def words_of(self, name: str) -> Words:
        """What a name says; empty if it says nothing. It is one that this was made with."""
        return self._words.get(name, ())

    def says_something(self, name: str) -> bool:
        """Whether a name has more than articles, negations and prepositions."""
        return any(one.kind in ("word", "name") for one in self._parts.get(name, ()))

    def may_overlap(self, name: str, other: str) -> bool:
        """Whether one of two names has all words of the other; one that says nothing overlaps every other."""
        one, two = self._list_single_words(name), self._list_single_words(other)
        return one <= two or two <= one

    def find_longer_names(self, names: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        """Each of the names whose words are all in others of them, and these."""
        by_word: dict[str, set[str]] = defaultdict(set)
        for name in names:
            for word in self._list_single_words(name):
                by_word[word].add(name)
        for name in names:
            having = sorted((by_word[word] for word in self._list_single_words(name)), key=len)
            longer = set.intersection(*having) - {name} if having else set()
            if longer:
                yield name, sorted(longer)

    def _list_single_words(self, name: str) -> frozenset[str]:
        return frozenset(self._first.get(one.text, one.text) for one in self._parts.get(name, ()))

    def _collect_forms(self) -> Mapping[str, _Form]:
        forms: dict[str, _Form] = {}
        for name, parts in self._parts.items():
            language = self._languages[name]
            compounds = [_join_parts(run) for run in _list_compounds(parts)]
            for one in (*parts, *compounds):
                if one.kind == "word":
                    form = forms.setdefault(one.text, _Form(set(), noun=True))
                    form.languages.add(language)
                    form.noun &= one.capital
        return forms

    def _join_words(self, name: str) -> Words:
        found: list[str] = []
        numbers: list[str] = []
        waiting: list[str] = []
        for one in self._join_compounds(self._parts[name], self._languages[name]):
            if one.kind == "joining" or one.text in _COMPARING:
                waiting.append(one.text)
                continue
            if one.kind == "sign":
                found.append(one.text)
                continue
            if one.kind == "name":
                numbers.append(one.text)
            found.append(" ".join((*waiting, self._first.get(one.text, one.text))))
            waiting.clear()
        order = (" ".join(numbers),) if len(numbers) > 1 else ()  # grade 3 at week 4 is not grade 4 at week 3
        return (*sorted(found + waiting), *order)

    def _join_compounds(self, parts: Sequence[_Part], language: str) -> Iterator[_Part]:
        at = 0
        while at < len(parts):
            length = next(
                (
                    length
                    for length in range(min(_MOST_JOINED, len(parts) - at), 1, -1)
                    if self._is_one_word(parts, at, at + length, language)
                ),
                1,
            )
            run = parts[at : at + length]
            one = _join_parts(run) if length > 1 else run[0]
            yield replace(one, text=self._find_form(one.text, language) or one.text) if length > 1 else one
            at += length

    def _is_one_word(self, parts: Sequence[_Part], start: int, end: int, language: str) -> bool:
        run = parts[start:end]
        if any(one.kind == "sign" for one in run) or parts[start].attached or _part_numbers(run):
            return False
        if end < len(parts) and parts[end].attached and not _part_numbers(parts[end - 1 : end + 1]):
            return False
        if all(one.attached for one in run[1:]):
            return True
        joined = _join_parts(run).text
        if joined[: min(len(run[0].text) + 2, _BEGINNING)] not in self._beginnings:  # saves most of the time
            return False
        found = self._find_form(joined, language)
        if run[0].kind == "joining" and run[0].text not in _ALWAYS_PREFIXES:  # `in complete` is not `incomplete`
            return found in self._compounds
        return found in self._joined

    def _find_form(self, word: str, language: str) -> str | None:
        """The first of the forms of a word that names have; None if they have none."""
        if word in self._first:
            return self._first[word]
        spelled = self._spelled[language]
        found = sorted(one for form in list_forms(word, language) for one in spelled.get((form, False), ()))
        return self._first[found[0]] if found else None


def _detect_language(text: str, otherwise: str) -> str:
    """The language of a text, if it is one whose words are known here."""
    found = language_of(text, (otherwise,))
    return found if found in NAME_LANGUAGES else otherwise


def _split_name(name: str, language: str) -> Iterator[_Part]:
    """The parts of a name without those that say nothing."""
    text = _write_digits(_COUNT_OF.sub("number ", name), language)  # before 10⁶ becomes 106
    text = unicodedata.normalize("NFKC", text).translate(_LIGATURES)
    text = _GREEK.sub(lambda letter: unicodedata.name(letter[0]).split()[-1].lower(), text)
    text = _PARTICLE.sub("", text)
    shouted = text.isupper() and any(len(word) > _LONGEST_ACRONYM for word in text.split())
    parts: list[_Part] = []
    found = list(_PART.finditer(text))
    for place, one in enumerate(found):
        if one["elision"]:
            continue
        if one["sign"]:
            sign = _SIGNS.get(one["sign"], one["sign"])
            parts.append(_Part(sign, "sign"))
            continue
        attached = bool(place) and _DASH.fullmatch(text, found[place - 1].end(), one.start()) is not None
        attached = attached and not found[place - 1]["sign"] and not found[place - 1]["elision"]
        last = place + 1 == len(found)
        held = attached or (not last and _DASH.fullmatch(text, one.end(), found[place + 1].start()) is not None)
        words = (after["word"] for after in found[place + 1 :] if after["word"])
        behind = next((word for word in words if len(word) == 1 or not is_link(word.casefold(), language)), None)
        beside = (found[place - 1]["word"] if place else None, behind)
        part = _read_word(one["word"], language, beside, held=held, shouted=shouted)
        if part is not None:
            parts.append(replace(part, text=part.text + (one["status"] or ""), attached=attached and bool(parts)))
    yield from parts


def _read_word(
    written: str, language: str, beside: tuple[str | None, str | None], *, held: bool, shouted: bool
) -> _Part | None:
    """A word as a part of its name; None if it says nothing there.

    Args:
        written: the word.
        language: the name's.
        beside: the word before it, and the next behind it that is no article.
        held: a hyphen joins it to one of them.
        shouted: the whole name is in capitals.
    """
    word = written.casefold()
    before, behind = beside
    acronym = written.isupper() and len(written) > 1 and not shouted
    if _NUMBER.fullmatch(word):
        return _Part(word, "name")
    if _ROMAN.fullmatch(written):
        return _Part(str(_read_roman(written)), "name")
    if not acronym and not held and behind is not None:
        if before is not None and is_and(word, language):
            return _Part("&", "sign")
        if is_at(word, language) and behind[0].isdigit():
            return None
        if is_link(word, language) and (len(word) > 1 or _calls_for_article(before, language)):
            return None
    if len(word) == 1 and word.isascii():
        return _Part(word, "name")
    if not acronym and not held and is_link(word, language):
        return None
    if not acronym and word in JOINING_WORDS:
        return _Part(word, "joining")
    number = _read_number_word(word, language)
    return _Part(number, "name") if number else _Part(word, "word", capital=written[:1].isupper())


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


def _read_roman(written: str) -> int:
    digits = [_ROMAN_DIGITS[one] for one in written]
    return sum(-one if one < max(digits[place:]) else one for place, one in enumerate(digits))


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


def _list_compounds(parts: Sequence[_Part]) -> Iterator[Sequence[_Part]]:
    """The runs of parts that hyphens join."""
    start = 0
    for end in range(1, len(parts) + 1):
        if end == len(parts) or not parts[end].attached or _part_numbers(parts[end - 1 : end + 1]):
            if end - start > 1:
                yield parts[start:end]
            start = end


def _part_numbers(run: Sequence[_Part]) -> bool:
    """Whether two numbers stand beside each other, which are a range."""
    return any(_NUMBER.fullmatch(one.text) and _NUMBER.fullmatch(two.text) for one, two in pairwise(run))


def _join_parts(run: Sequence[_Part]) -> _Part:
    """One word of several. A letter behind another word stays apart: `vitamin-A` is no `vitamina`."""
    text = "".join(f" {one.text}" if place and _is_letter(one) else one.text for place, one in enumerate(run))
    return _Part(text, "word", capital=run[0].capital)


def _is_letter(one: _Part) -> bool:
    return one.kind == "name" and one.text.isalpha()


def _index_spellings(forms: Mapping[str, _Form], language: str) -> Mapping[tuple[str, bool], Sequence[str]]:
    """All words by their spelling in a language; those that may be nouns also as nouns."""
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for word in sorted(forms):
        for noun in {False, forms[word].noun}:
            found[spell_alike(word, language, noun=noun), noun].append(word)
    return found


def _find_first_forms(
    forms: Mapping[str, _Form], spelled: Mapping[str, Mapping[tuple[str, bool], Sequence[str]]]
) -> dict[str, str]:
    """For each word the first of its forms, by the alphabet. They are forms in a language of one of them."""
    first = {word: word for word in forms}

    def find_first(word: str) -> str:
        while first[word] != word:
            word = first[word] = first[first[word]]
        return word

    for word, form in sorted(forms.items()):
        for language in sorted(form.languages):
            for noun in {False, form.noun}:
                for alike in list_forms(word, language, noun=noun):
                    for other in spelled[language].get((alike, noun), ()):
                        one, two = sorted((find_first(word), find_first(other)))
                        first[two] = one
    return {word: find_first(word) for word in first}
