"""Which names of outcomes and groups are the same: those that differ in form alone, never by a word.

The names of one analysis are read together. Whether `follow up`, `follow-up` and `followup` are one word, and of which
word another one is the plural, is decided by the names themselves, not by a list.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from elcano.subjects.analysis.statistics.name_parts import NamePart, holds_range, join_parts, list_compounds, split_name
from elcano.text.languages import language_of, text_language
from elcano.text.name_words import NAME_LANGUAGES, list_forms, spell_alike

Words: TypeAlias = tuple[str, ...]
"""Sorted words of a name: two names of one thing have the same."""

_MOST_JOINED: Final = 4
"""Words that may be written as one."""
_BEGINNING: Final = 20
"""Letters by which a word is looked for first."""
_LANGUAGE_SAMPLE: Final = 4_000
"""Characters of all names that tell which language they are in."""
_MOST_TEXTS: Final = 100
_ALWAYS_PREFIXES: Final = frozenset({"non"})
_COMPARING: Final = frozenset("<>≤≥=±")


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
        self._parts = {name: tuple(split_name(name, language)) for name, language in self._languages.items()}
        forms = self._collect_forms()
        self._spelled = {language: _index_spellings(forms, language) for language in {*self._languages.values()}}
        self._first = _find_first_forms(forms, self._spelled)
        read = self._parts.values()
        self._compounds = {self._first[join_parts(run).text] for parts in read for run in list_compounds(parts)}
        """Words that hyphens join, which spaces may join, too."""
        alone = (one.text for parts in read for one in parts if one.kind == "word" and not one.attached)
        self._joined = self._compounds.union(self._first[word] for word in alone)
        """These and all other words, which may be written as several."""
        self._beginnings = {word[:end] for word in forms for end in range(_BEGINNING + 1)}
        self._words = {name: self._join_words(name) for name in distinct}

    def words_of(self, name: str) -> Words:
        """Return the words of a name; empty if it says nothing. It is one that this was made with."""
        return self._words.get(name, ())

    def says_something(self, name: str) -> bool:
        """Whether a name has more than articles, negations and prepositions."""
        return any(one.kind in ("word", "name") for one in self._parts.get(name, ()))

    def may_overlap(self, name: str, other: str) -> bool:
        """Whether one of two names has all words of the other; one that says nothing overlaps every other."""
        one, two = self._list_single_words(name), self._list_single_words(other)
        return one <= two or two <= one

    def find_mentioned_names(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The names all of whose words stand in a text, without those that a longer one of them has in it."""
        own = self._list_single_words(text)
        found = {words: name for name in names if (words := self._list_single_words(name)) and words <= own}
        return [name for words, name in found.items() if not any(words < other for other in found)]

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
            compounds = [join_parts(run) for run in list_compounds(parts)]
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

    def _join_compounds(self, parts: Sequence[NamePart], language: str) -> Iterator[NamePart]:
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
            one = join_parts(run) if length > 1 else run[0]
            yield replace(one, text=self._find_form(one.text, language) or one.text) if length > 1 else one
            at += length

    def _is_one_word(self, parts: Sequence[NamePart], start: int, end: int, language: str) -> bool:
        run = parts[start:end]
        if any(one.kind == "sign" for one in run) or parts[start].attached or holds_range(run):
            return False
        if end < len(parts) and parts[end].attached and not holds_range(parts[end - 1 : end + 1]):
            return False
        if all(one.attached for one in run[1:]):
            return True
        joined = join_parts(run).text
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
