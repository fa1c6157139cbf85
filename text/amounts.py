"""A number of a text with all that it may mean, and what follows its digits or words: scales and units."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import regex

from elcano.text.languages import possible_languages
from elcano.text.number_words import UNSURE_SCALES, is_long_scale_word, parse_scale_word
from elcano.text.units import POINTS, RATIO_UNITS, TIMES, find_unit
from elcano.text.written_dates import Moment, WrittenMoment

_SCALES: Final = regex.compile(
    r"[-\s]{0,2}([十百千십백천]?[\u4e07\u842c\u4ebf\u5104\u5343\u5146\ub9cc\uc5b5\uc870\ucc9c]|[\u0e00-\u0e4e]{3,12}"
    r"|\p{L}[\p{L}\p{M}]{0,14}+(?!\w)|百)\.?"
)
"""Marks are part of words, as in `लाख`."""
_OPEN_RANGE: Final = re.compile(r"\+ ?[^\W\d]")
"""`100+ billion`"""
_GLUED: Final = re.compile(r"[ \u00a0]?(k|M|Mio|Md|Mds|Mrd)[ \u00a0]?(?=[€$£])", re.IGNORECASE)
_GLUED_POWERS: Final = {"k": 3, "m": 6, "mio": 6, "md": 9, "mds": 9, "mrd": 9}
_POINTS: Final = re.compile(
    r"\s{0,2}(?:%|percent(?:age)?|prozent)?[-\s]{0,2}(?:points?\s+de\s+pourcentage|puntos\s+porcentuales"
    r"|points?\b|punkte\w?\b|pp\b|p\.p\.)",
    re.IGNORECASE,
)

_RANGE: Final = re.compile(
    r"-[ \u00a0](?:and|or|und|oder)[ \u00a0]"
    r"|-?[ \u00a0]?(?:[-\u2010-\u2015\u2212~±]|\+/?-|\+/[\u2012-\u2212]"
    r"|plus(?:[ -]or)?[ -]minus|to|bis|à|a|до)[ \u00a0]?"
)
_SIDES: Final = re.compile(r"[ \u00a0]?[x\u00d7][ \u00a0]?|[ \u00a0]by[ \u00a0]")
_LISTED: Final = re.compile(r",[ \u00a0](?:(?:and|or)[ \u00a0])?|[ \u00a0](?:and|or)[ \u00a0]")
_BOTH: Final = re.compile(r"[ \u00a0](?:and|or|und|oder|et|ou|y|e|o)[ \u00a0]")
_BEFORE_RANGE: Final = re.compile(r",?[ \u00a0]\(?(?:range|iqr|sd|interquartile range)[:,=]?[ \u00a0]", re.IGNORECASE)
"""Between a mean and what tells how it varies: `4.6, range 0.5 to 10.6 years`."""
_AGAINST: Final = re.compile(r"[ \u00a0](?:vs\.?|versus)[ \u00a0]")


@dataclass(frozen=True)
class NumberReading:
    """One value that a number may have, and the place of its last digit: it is meant to within half of `step`."""

    value: Decimal
    step: Decimal


@dataclass(frozen=True)
class Number:
    """One number of a text, or a date, or a name with digits."""

    text: str
    start: int
    end: int
    readings: tuple[NumberReading, ...] = ()
    unit: str = ""
    """The unit as `unit_of` names it; empty: no known unit."""
    unit_end: int = 0
    """End of its unit; `end` counts only those of `ratio_unit`."""
    signed: bool = False
    ordinal: bool = False
    spelled: bool = False
    """In words."""
    moment: WrittenMoment | None = None
    name: str = ""
    """The whole name around the digits, if they are part of one. It has no value then."""

    @property
    def ratio_unit(self) -> str:
        """`%`, `‰`, percentage points, times, or empty: other units do not change a value."""
        return self.unit if self.unit in RATIO_UNITS else ""

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All that a date may mean."""
        return self.moment.readings if self.moment else ()

    @property
    def values(self) -> frozenset[Decimal]:
        """All that it may be read as."""
        return frozenset(reading.value.normalize() for reading in self.readings)


def build_spelled(
    text: str, start: int, end: int, value: Decimal | int, unit: str = "", unit_end: int = 0, *, step: str = "1"
) -> Number:
    """Build the number of words from `start` to `end`, which is exact to `step`."""
    reading = NumberReading(Decimal(value), Decimal(step))
    return Number(text[start:end], start, end, (reading,), unit, max(end, unit_end), spelled=True)


def is_ideograph(sign: str) -> bool:
    """Whether it is of a script that is written without spaces, so that digits next to it are no part of its word."""
    return ord(sign) >= 0x3000


def read_scale_words(text: str, end: int, exponent: int, *, money: bool) -> tuple[set[int], int]:
    """The powers of ten that words behind a number make of it, and where they end."""
    powers = {exponent}
    if _OPEN_RANGE.match(text, end):
        end += 1
    if glued := _GLUED.match(text, end):  # `3,2 M€`
        return {exponent + _GLUED_POWERS[glued[1].casefold()]}, glued.end(1)
    for _ in range(2):  # `mil millones`
        word = _SCALES.match(text, end)
        if word and "\u0e00" <= word[1][0] <= "\u0e4e":  # Thai parts no words: `5 ล้านบาท`
            lengths = range(len(word[1]), 2, -1)
            scale = next((word[1][:length] for length in lengths if parse_scale_word(word[1][:length])), "")
            if scale:
                powers = {power + parse_scale_word(scale) for power in powers}
                end = word.start(1) + len(scale)
            break
        found = _parse_scale(text, word[1]) if word else 0
        if word is None or not found or (is_ideograph(word[1][0]) and find_unit(text, end)[1] > word.end(1)):
            break
        attached = word.start(1) == end
        if word[1] in ("b", "B", "m", "M", "k", "K", "bi", "mi") and not money and (not attached or len(word[1]) > 1):
            break  # metres, or a name
        unsure = word[1].lower() in UNSURE_SCALES and not money
        powers = {power + found for power in powers} | (powers if unsure else set())
        end = word.end(1)
    return powers, end


def _parse_scale(text: str, word: str) -> int:
    if not is_long_scale_word(word):
        return parse_scale_word(word)
    return parse_scale_word(word, possible_languages(text))


def parse_unit(text: str, end: int) -> tuple[str, int]:
    """The unit that follows a number, and where it ends."""
    if points := _POINTS.match(text, end):
        return POINTS, points.end()
    return find_unit(text, end)


def share_units(text: str, numbers: list[Number]) -> list[Number]:
    """The numbers, those of a range or a list with the unit behind its last: `10-13 %`, `5, 10 and 20 mg`."""
    listed = 1
    for at in range(len(numbers) - 2, -1, -1):
        one, following = numbers[at], numbers[at + 1]
        between = text[one.end : following.start]
        listed = listed + 1 if _LISTED.fullmatch(between) else 1
        degrees = one.unit == "angular_degree" and following.unit in ("degC", "degF")
        if (one.unit and not degrees) or one.name or one.moments or one.ordinal or not following.unit or following.name:
            continue
        both = _BOTH.fullmatch(between) and _has_decimals(one) and _has_decimals(following)
        in_list = listed > 2 or (listed == 2 and _LISTED.search(text[: one.start][-2:]) is not None)
        sides = _SIDES.fullmatch(between) and following.unit.endswith(("meter", "inch", "foot"))
        sides = sides and not _may_count(one, following)
        if degrees:  # `26 degrees +/- 5 degrees C`
            between = text[one.unit_end : following.start]
        joined = _RANGE.fullmatch(between) or _BEFORE_RANGE.fullmatch(between) or _AGAINST.fullmatch(between)
        ranged = joined and not _is_year_before(one, following)
        if (sides or ranged or both or in_list) and not (following.unit == TIMES and following.spelled):
            numbers[at] = replace(one, unit=following.unit, unit_end=one.end)
    return numbers


def _is_year_before(one: Number, following: Number) -> bool:
    """Whether the first is a year, as in `from 91% in 2018 to 85%`."""
    return all(1500 <= value <= 2100 for value in one.values) and all(value < 1000 for value in following.values)


def _may_count(one: Number, following: Number) -> bool:
    """Whether the first may be how many there are of the other, `4 x 100 m`: it is whole and much less."""
    return not _has_decimals(one) and all(
        _LEAST_TIMES * value <= other for value in one.values for other in following.values
    )


_LEAST_TIMES: Final = 5


def _has_decimals(one: Number) -> bool:
    return bool(re.search(r"\d[.,\u00b7\u066b]\d", one.text))
