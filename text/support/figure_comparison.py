"""Whether two figures are the same amount, and whether a text says that there is none of what another one counts.

A group of three digits may be thousands or decimals. The language of its text decides where it is known; a measure that
stays ambiguous is compared with figures of the same mark alone: `12,500 kg` passes neither as 12.5 kg nor as 12500 kg.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import permutations, product
from typing import Final

from elcano.text.languages import possible_languages
from elcano.text.support.figures import Figure
from elcano.text.support.fractions import find_ratios
from elcano.text.unit_comparison import is_rounded_conversion, same_amount
from elcano.text.units import POINTS, RATIO_UNITS, SHARE, TIMES

_GROUP: Final = re.compile(r"[^\d]{0,4}[1-9]\d{0,2}([.,])\d{3}(?![\d.,]*\d)")
_THOUSANDS: Final = {"de": ".", "it": ".", "nl": ".", "pt": ".", **dict.fromkeys(("en", "ja", "ko", "th", "zh"), ",")}
"""Separators of thousands; in Spanish and French they depend on the country."""


def read_by_thousands(figures: Sequence[Figure], texts: Iterable[str]) -> list[Figure]:
    """The figures, of which `54.700` in German is no 54.7; the first of the texts whose language is known decides.

    Where none is known, or it has both, a group of three digits stays ambiguous.
    """
    if not any(_GROUP.match(one.written) for one in figures):
        return list(figures)
    languages = next(filter(None, map(possible_languages, texts)), frozenset[str]())
    marks = {_THOUSANDS.get(language, "") for language in languages}
    return [_choose_by_mark(one, marks) for one in figures]


def _choose_by_mark(one: Figure, marks: Collection[str]) -> Figure:
    group = _GROUP.match(one.written)
    if group is None or not (marks == {group[1]} or (not marks and group[0].endswith(",000"))):
        return one
    most = max(map(abs, one.values))  # three decimals of nothing are hardly written, whatever the language
    return replace(one, values=frozenset(value for value in one.values if abs(value) == most))


def _find_ambiguous_mark(one: Figure) -> str:
    """The mark in a measure that may be a thousand times as much, `12,500 kg` alone; empty: there is none.

    Of `18.927 litres` the decimals are no round thousand.
    """
    group = _GROUP.match(one.written) if one.unit and one.unit not in RATIO_UNITS else None
    ambiguous = group and group[0].endswith("0") and len({abs(value) for value in one.values}) > 1
    return group[1] if group and ambiguous else ""


def _is_readable_alike(one: Figure, other: Figure) -> bool:
    """Whether neither figure may be a thousand times as much as it seems, or both have the same mark."""
    if not (_find_ambiguous_mark(one) or _find_ambiguous_mark(other)):
        return True
    groups = [_GROUP.match(each.written) for each in (one, other)]
    return len({group and group[1] for group in groups}) == 1


def is_same_figure(one: Figure, other: Figure, *, rounded: bool) -> bool:
    """Whether both are the same amount with the same bound; `rounded`: `one` is only said to be about that."""
    if one.bound and other.bound and one.bound != other.bound:  # `at least 5` is not `at most 5`
        return False
    if one.exactly and other.bound:  # `p = 0.001` is not `p < 0.001`
        return False
    if (one.per and other.per and one.per != other.per) or (one.change and other.change and one.change != other.change):
        return False
    if not _is_readable_alike(one, other):  # `12,500 kg` alone may be 12.5 kg
        return False
    if {one.unit, other.unit} == {TIMES, SHARE} and (one.spelled or other.spelled):
        times, change = (one, other) if one.unit == TIMES else (other, one)
        return any(abs(share) in (100 * many, 100 * abs(many - 1)) for many in times.values for share in change.values)
    if one.unit and other.unit:
        for value, found in product(one.values, other.values):
            if same_amount(value, one.unit, found, other.unit):
                return True
            if is_rounded_conversion(value, one.unit, found, other.unit, other.places):
                return True
            if is_rounded_conversion(found, other.unit, value, one.unit, one.places):
                return True
    elif one.values & other.values:
        return True
    return rounded and one.unit == other.unit and any(_is_rounding_of(a, b) for a in one.values for b in other.values)


def _is_rounding_of(rounded: Decimal, exact: Decimal) -> bool:
    """Return whether `rounded` may stand for `exact`: they differ by at most half of its last nonzero digit."""
    step = Decimal(1).scaleb(int(rounded.normalize().as_tuple().exponent))
    return abs(rounded - exact) <= step / 2


_NEARLY_MULTIPLE: Final = Decimal("0.03")
_MOST_COMPARED: Final = 24
HALF: Final = re.compile(
    r"\b(?:half|halv\w+|halb\w*|hälfte|moitié|mitad|met[aà]|metade|helft|dimezz\w+)\b", re.IGNORECASE
)


def is_multiple_of_figures(many: Decimal, there: Sequence[Figure]) -> bool:
    """Whether a figure of the quotes is so many times another one, as where deaths halved `from 40 to 20`."""
    amounts = [(value, other.unit) for other in there[:_MOST_COMPARED] for value in other.values if value]
    return any(
        unit == other_unit and abs(value / other_value - many) <= many * _NEARLY_MULTIPLE
        for (value, unit), (other_value, other_unit) in permutations(amounts, 2)
    )


def is_percent_of_ratio(one: Figure, quotes: Iterable[str]) -> bool:
    """Whether quotes have the counts of a percentage: `30%` of `12 of 40`, rounded as it is written."""
    if one.unit != SHARE or len(one.values) != 1:
        return False
    percent, half = next(iter(one.values)), Decimal("0.5").scaleb(-one.places)
    return any(abs(ratio * 100 - percent) <= half for quote in quotes for ratio in find_ratios(quote))


def find_figure_ratios(figures: Sequence[Figure]) -> Iterator[Decimal]:
    """Yield the ratios below 1 of every two figures in one unit, and of what is said to be so many times less."""
    amounts = [(value, one.unit) for one in figures[:_MOST_COMPARED] for value in one.values if value > 0]
    for value, unit in amounts:
        if unit == TIMES and value > 1:
            yield 1 / value
    for (part, unit), (whole, other_unit) in permutations(amounts, 2):
        if unit == other_unit and part < whole:
            yield part / whole


def is_computed(one: Figure, others: Sequence[Figure]) -> bool:
    """Whether a figure is the sum, difference, ratio or change in per cent of two of `others` in one unit."""
    step = Decimal(1).scaleb(-one.places) / 2
    pairs = [pair for pair in permutations(others[:_MOST_COMPARED], 2) if pair[0].unit == pair[1].unit]
    for (first, second), value in product(pairs, one.values):
        for a, b in product(first.values, second.values):
            made = [a + b, a - b] if one.unit == first.unit else []
            if one.unit == POINTS and first.unit == SHARE:
                made.append(a - b)
            if b and one.unit in ("", TIMES):
                made.append(a / b)
            if b and one.unit == SHARE:
                made += [(a - b) / abs(b) * 100, a / b * 100]
            if any(abs(abs(result) - abs(value)) <= step for result in made):
                return True
    return False


_NO: Final = r"no|keine?[rnm]?|aucune?|ningún|ninguna|nessun[oa]?|nenhuma?|geen"
_NO_THING: Final = re.compile(rf"\b(?:{_NO})[ \u00a0](?P<thing>[^\W\d_]{{3,}})", re.IGNORECASE)
_NEGATION: Final = re.compile(
    rf"\b(?:{_NO}|none|not|zero|without|nicht|ohne|pas|sans|sin|non|não|niet)\b|\b0\b", re.IGNORECASE
)


def find_denied_counts(text: str, quotes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What `text` says there is none of, and how the quotes count it: `no men` where they have `3 men`."""
    for found in _NO_THING.finditer(text):
        for quote in quotes:
            counted = re.search(rf"(?<![\w.,])[1-9]\d*[ \u00a0]{re.escape(found['thing'])}\b", quote, re.IGNORECASE)
            if counted and not any(map(_NEGATION.search, quotes)):
                yield found[0], counted[0]


def is_denied(behind: str, quotes: Sequence[str]) -> bool:
    """Whether a quote says that there is none of the thing that a text begins with: `no men`."""
    thing = re.match(r"[ \u00a0]([^\W\d_]{3,})", behind)
    return thing is not None and any(
        thing[1].casefold() == found["thing"].casefold() for quote in quotes for found in _NO_THING.finditer(quote)
    )
