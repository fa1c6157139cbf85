"""Whether two figures are the same amount, and whether a text says that there is none of what another one counts.

A group of three digits may be thousands or decimals. The language of its text decides where it is known; a measure that
stays ambiguous is compared with figures of the same mark alone: `12,500 kg` passes neither as 12.5 kg nor as 12500 kg.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product
from typing import Final

from elcano.text.languages import possible_languages
from elcano.text.stems import find_word_root
from elcano.text.support.figures import Figure, extract_figures, read_scale
from elcano.text.unit_comparison import convert_amount, is_rounded_conversion, is_same_difference, same_amount
from elcano.text.units import POINTS, RATIO_UNITS, SHARE, TIMES

_GROUP: Final = re.compile(r"[^\d]{0,4}[1-9]\d{0,2}([.,])\d{3}(?![\d.,]*\d)")
_THOUSANDS: Final = {
    **dict.fromkeys(("de", "it", "nl", "pt", "tr"), "."),
    **dict.fromkeys(("en", "ja", "ko", "th", "zh"), ","),
}
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
    thousands = one.unit.isupper() and group is not None and group[0].endswith("000")  # money has two decimals
    if group is None or not (thousands or marks == {group[1]} or (not marks and group[0].endswith(",000"))):
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


_LEAST_BARE: Final = 10
"""Per cent of a share that a number alone may say, as a cell does: `2 died` are not 1 in 50."""


def is_same_figure(one: Figure, other: Figure, *, rounded: bool) -> bool:
    """Whether both are the same amount with the same bound; `rounded`: `one` is only said to be about that."""
    if one.bound and other.bound and one.bound != other.bound:  # `at least 5` is not `at most 5`
        return False
    if one.exactly and other.bound:  # `p = 0.001` is not `p < 0.001`
        return False
    if (one.per and other.per and one.per != other.per) or is_other_change(one, other):
        return False
    if _counts_things(one, other) or _is_of_another_kind(one, other) or _is_of_another_kind(other, one):
        return False
    if (one.share is None) != (other.share is None):
        share, alone = (one, other) if other.share is None else (other, one)
        if alone.unit != SHARE and not any(value < 1 or value >= _LEAST_BARE for value in share.values & alone.values):
            return False
    if not _is_readable_alike(one, other):  # `12,500 kg` alone may be 12.5 kg
        return False
    if (one.spelled or other.spelled) and {one.unit, other.unit} == {TIMES, SHARE}:
        return is_same_multiple(one, other)
    if one.unit and other.unit:
        if _is_same_measure(one, other):
            return True
    elif one.values & other.values:
        return True
    return rounded and any(
        is_rounding_of(one, value, exact) for value in one.values for exact in _list_values_in_unit(other, one)
    )


def is_same_multiple(one: Figure, other: Figure) -> bool:
    """Whether one figure is a change or a share in per cent and the other the same as a multiple: `1.5 times, 50 %`."""
    if {one.unit, other.unit} != {TIMES, SHARE}:
        return False
    many, percent = (one, other) if one.unit == TIMES else (other, one)
    shares = {abs(share) for share in percent.values}
    return any(
        100 * abs(times - 1) in shares or (100 * times in shares and percent.change != "by") for times in many.values
    )


def is_shortened(one: Figure, other: Figure) -> bool:
    """Whether a figure is another one with fewer decimals, rightly rounded: `38%` of `38.4%`, `9.43 million`."""
    if one.unit != other.unit or one.change != other.change or one.per != other.per or one.bound != other.bound:
        return False
    for value, exact in product(one.values, other.values):
        scale = read_scale(one.written)
        step = Decimal(1).scaleb(int(value.normalize().as_tuple().exponent) if scale else -one.places)
        digits = len(value.normalize().as_tuple().digits) if scale or one.places else len(str(abs(int(value))))
        whole = exact == exact.to_integral_value() and not scale  # `26` of `25` is no rounding
        if digits > 1 and not whole and abs(value - exact) <= step / 2:
            return True
    return False


def _list_values_in_unit(other: Figure, one: Figure) -> Iterable[Decimal]:
    """The values of a figure in the unit of another one; none where it cannot be converted."""
    if other.unit == one.unit:
        return other.values
    differences = one.difference or other.difference
    return (
        there
        for value in other.values
        if other.unit and one.unit
        for there in convert_amount(value, other.unit, one.unit, differences=differences)
    )


def _is_same_measure(one: Figure, other: Figure) -> bool:
    """Whether both are the same amount with a unit, as far as each is exact."""
    for value, found in product(one.values, other.values):
        if same_amount(value, one.unit, found, other.unit):
            return True
        if (one.difference or other.difference) and is_same_difference(value, one.unit, found, other.unit):
            return True
        if value == found and (one.rate == other.unit or other.rate == one.unit):
            return True
        if is_rounded_conversion(value, one.unit, found, other.unit, _count_places(other, found)):
            return True
        if is_rounded_conversion(found, other.unit, value, one.unit, _count_places(one, value)):
            return True
    return False


def _count_places(one: Figure, value: Decimal) -> int:
    """The decimals to which a figure is exact; less than none for `about 150` and `45 million`."""
    coarse = one.about or read_scale(one.written)
    return min(one.places, -int(value.normalize().as_tuple().exponent)) if coarse else one.places


def is_in_parts(one: Figure, there: Sequence[Figure]) -> bool:
    """Whether figures are the parts of what may be a time or a score: `28-25` of `28:25`."""
    return bool(one.parts) and all(
        any(is_same_figure(part, other, rounded=False) for other in there) for part in one.parts
    )


def is_other_change(one: Figure, other: Figure) -> bool:
    """Whether something changes by one amount, and to the other."""
    return bool(one.change and other.change and one.change != other.change)


def _counts_things(one: Figure, other: Figure) -> bool:
    """Whether the first counts something and the other is a share: 95 women are no 95 %."""
    return other.unit == SHARE and not one.unit and len(one.counted) > 3 and not one.places


def _is_of_another_kind(one: Figure, other: Figure) -> bool:
    """Whether a symbol that may be a unit is held against a unit: `50 xVA` is no `50 kV`.

    Held against no unit it may be what is counted: `14 RCTs` are 14 trials.
    """
    if one.unit or not other.unit or not _SYMBOL.fullmatch(one.counted):
        return False
    behind = _BARE.sub("", other.written) or other.unit  # `30 fps` may be `30 frames per second`
    return not (_abbreviates(one.counted, behind) or _abbreviates(behind, one.counted))


def is_count_of_others(one: Figure, same: Iterable[Figure], asked: Iterable[Figure], there: Sequence[Figure]) -> bool:
    """Whether a statement has two counts of the quotes the other way round: `12 points and 31 rebounds`."""
    thing, others = _name_thing(one), {_name_thing(other) for other in same}
    if not thing or {"", thing} & others:
        return False
    turned = [second for second in asked if _name_thing(second) in others]
    return any(_name_thing(other) == thing and second.values & other.values for second in turned for other in there)


def _name_thing(one: Figure) -> str:
    word = find_word_root(one.counted) if len(one.counted) > 2 else ""
    return word or (one.unit if one.unit == POINTS else "")


def find_turned_changes(figures: Sequence[Figure], text: str, quotes: Sequence[str]) -> Iterator[tuple[Figure, Figure]]:
    """Find changes of `text` that quotes have the other way round only: `from 80 to 60`, `from 60 to 80`."""
    own = list(_find_changes(figures, text))
    there = [change for quote in quotes for change in _find_changes(extract_figures(quote), quote)] if own else []
    for first, then in own:
        turned = [other for other, last in there if first.values & last.values and then.values & other.values]
        if turned and not any(first.values & one.values and then.values & last.values for one, last in there):
            yield first, turned[0]


def _find_changes(figures: Sequence[Figure], text: str) -> Iterator[tuple[Figure, Figure]]:
    for one, following in pairwise(figures):
        between = text[one.start + len(one.written) : following.start]
        if _FROM.search(text, max(0, one.start - 8), one.start) and _TO.fullmatch(between):
            yield one, following


_FROM: Final = re.compile(r"(?<!\w)(?:from|von|de|da|dal|van|desde|от)[ \u00a0]\Z", re.IGNORECASE)
_TO: Final = re.compile(r"[ \u00a0](?:to|auf|\u00e0|a|al|naar|tot|para|hasta|до)[ \u00a0]", re.IGNORECASE)


_SYMBOL: Final = re.compile(r"[b-df-hj-np-tv-xz]{2,5}|[A-Za-z\u00b5\u03bc]{1,3}[A-Z\u03a9][A-Za-z]{0,3}")
"""A word that only a symbol can be: without a vowel, or with a capital within."""
_BARE: Final = re.compile(r"^[\W\d]+")


def _abbreviates(symbol: str, words: str) -> bool:
    """Whether the letters of a symbol are in the words in this order, beginning with the first one."""
    letters = iter(words.casefold())
    return symbol[:1].casefold() == words[:1].casefold() and all(one in letters for one in symbol.casefold())


_NEAR: Final = Decimal("0.15")
"""How much of itself an amount may be off the round one that it is said to be about."""


def is_rounding_of(one: Figure, value: Decimal, exact: Decimal) -> bool:
    """Return whether `value` of a figure may stand for `exact`.

    They differ by at most half of its last nonzero digit; of a bound they may by a whole one, on its side alone, and by
    half of the larger.
    """
    step = Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))
    if one.bound:
        beyond = (exact - value) * (1 if one.bound == "least" else -1)
        return 0 <= beyond < step and beyond <= max(abs(exact), abs(value)) / 2
    return abs(value - exact) <= min(step / 2, abs(exact) * _NEAR)


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
