"""Facts in the place of which quotes say another one: the letter or numeral of a name, and the month of a date.

`vitamin A` is not `vitamin C`, `World War II` is not `World War I`, and `May 2018` is not `June 2018`, though nearly
all words are the same. A quote without any letter or month there contradicts nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from elcano.text.languages import STOP_WORDS
from elcano.text.number_words import list_ordinals, parse_roman_numeral
from elcano.text.written_dates import Moment, find_moments, parse_month_name

_LABEL: Final = r"(?:[IVX]{2,5}|[A-Z](?!\.[ \u00a0]?[A-Z]|[\u2019'&])|\d{1,2}(?![.,%]?\d|%))"
_LABELLED: Final = re.compile(
    rf"(?<![\w-])(?P<word>[^\W\d_]{{3,}})[ \u00a0-](?P<label>{_LABEL})(?![\w-])(?![ \u00a0]?[/&])"
)
_LISTED: Final = re.compile(
    rf"(?:e?s)?[ \u00a0-](?P<labels>{_LABEL}(?:(?:,?[ \u00a0](?:and|or|und|oder|et|ou|y|e|to|bis|[-\u2013])[ \u00a0]"
    rf"|,[ \u00a0]?|[/&+\u2013-]){_LABEL})*)(?![\w-])"
)
_SECTION: Final = re.compile(
    r"(?<![\w-])(?P<word>[Ss]ection|[Cc]hapter|Kapitel|Abschnitt|[Cc]hapitre|[Cc]apítulo|[Cc]apitolo|[Hh]oofdstuk)"
    r"[ \u00a0](?P<number>\d{1,4}[a-z]?)(?![\w.-])"
)
_RANGED: Final = re.compile(r"\b(?:to|bis)\b|[-\u2013]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_VERBS: Final = frozenset({"may", "march", "mar"})
"""Names of months that are other words where they have no capital."""


def find_changed_facts(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names, sections and dates of which `texts` have another label, number or month, and how they have them."""
    yield from _find_changed_labels(text, texts)
    yield from _find_changed_sections(text, texts)
    yield from _find_changed_months(text, texts)


def _find_changed_labels(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names with a letter or a Roman numeral, and how `texts` have them where all of them have another one."""
    labels: dict[str, list[str]] = {}
    """Those that a word has in `texts`: looked for once, however often it is in `text`."""
    for found in _LABELLED.finditer(text):
        word, label = found["word"], found["label"]
        if label.isdigit() or word.casefold() in STOP_WORDS:
            continue
        if word not in labels:
            labels[word] = list(dict.fromkeys(one for each in texts for one in _find_labels_of(word, each)))
        others = labels[word]
        number = parse_roman_numeral(label)
        if not others or any(_is_same_label(label, other) for other in others):
            continue
        if number and any(list_ordinals(number) & set(re.findall(r"\w+", each.lower())) for each in texts):
            continue
        yield found[0], f"{word} {others[0]}"


def _find_changed_sections(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Sections of laws and books, and how `texts` have them where all of these have another one: `Section 230`."""
    for found in _SECTION.finditer(text):
        word = found["word"].casefold()
        others = [one for each in texts for one in _SECTION.finditer(each) if one["word"].casefold() == word]
        if others and all(one["number"] != found["number"] for one in others):
            yield found[0], others[0][0]


def is_label_in_other_digits(text: str, start: int, number: Decimal, texts: Iterable[str]) -> bool:
    """Whether the number at `start` is a label, as in `type 2`, that one of the texts has as a numeral, `type II`."""
    word = re.search(r"(?<![\w-])[^\W\d_]{3,}(?=[ \u00a0-]\Z)", text[max(0, start - 30) : start])
    return word is not None and any(
        parse_roman_numeral(label) == number != 0 for each in texts for label in _find_labels_of(word[0], each)
    )


def _find_labels_of(word: str, text: str) -> Iterator[str]:
    for at in re.finditer(rf"(?<![\w-]){re.escape(word)}", text, re.IGNORECASE):
        listed = _LISTED.match(text, at.end())
        if listed and not text[at.start() : listed.end()].isupper():  # in capitals, an article is a letter, too
            labels = listed["labels"]
            yield from ("*",) if _RANGED.search(labels) else re.findall(_LABEL, labels)


def _is_same_label(label: str, other: str) -> bool:
    if other in ("*", label):  # a range may have it
        return True
    numbers = [int(one) if one.isdigit() else parse_roman_numeral(one) for one in (label, other)]
    return numbers[0] == numbers[1] != 0


def _find_changed_months(text: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Dates with a month, and a date of that year or day in `texts` where none of these says the month."""
    said = [(text[one.start : one.end], one.readings) for one in find_moments(text)]
    said = [
        (written, readings)
        for written, readings in said
        if all(one.month and (one.year or one.day) for one in readings)
    ]
    if not said:
        return
    there = [(each[one.start : one.end], one.readings) for each in texts for one in find_moments(each)]
    words = {one for each in texts for one in _WORD.findall(each)} - _VERBS
    named = {parse_month_name(one.lower()) for one in words}
    for written, readings in said:
        if any(one.month in named for one in readings):
            continue
        dated = [
            (other, found)
            for other, found in there
            if found[0].month and any(_may_be_meant(one, found[0]) for one in readings)
        ]
        if dated and not any(_is_compatible(one, two) for one in readings for _, found in there for two in found):
            yield written, dated[0][0]


def _may_be_meant(one: Moment, other: Moment) -> bool:
    """Whether `other` is of the same year, or of the same day where a year is missing."""
    return one.year == other.year if one.year and other.year else one.day == other.day is not None


def _is_compatible(one: Moment, other: Moment) -> bool:
    """Whether both may be of one month; a date without its year may be of any."""
    return one.month == other.month and (None in (one.year, other.year) or one.year == other.year)
