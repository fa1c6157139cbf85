"""Figures of a statement or a quote: its numbers, as far as they stand for an amount.

A number may be read in more than one way; all are kept, so that a figure is found again however its source writes it,
and one that none of the readings finds is another one. What is said to fall by an amount is also read as that amount
below nothing. The parts of a date are figures of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from elcano.text.amounts import Number
from elcano.text.languages import STOP_WORDS
from elcano.text.number_words import parse_scale_word
from elcano.text.support.fractions import find_shares
from elcano.text.support.qualifiers import (
    is_about,
    is_below_zero,
    is_decrease_amount,
    is_exact,
    may_be_difference,
    read_bound,
    read_change,
)
from elcano.text.units import PER_MILLE, POINTS, SHARE, find_time_near, find_unit, read_rate
from elcano.text.written_dates import WrittenMoment, parse_month_name
from elcano.text.written_numbers import find_numbers

MOST_FIGURES: Final = 2_000
"""Maximum number of figures of one text; more than any sentence or quote has."""
_RANGE: Final = re.compile(r"\s{0,2}(?:[-\u2013\u2014\u2012]|to|bis|\u00e0|a|tot)\s{0,2}$")
_JOINED: Final = re.compile(
    r"[ \u00a0]?(?:[-\u2013]|[ \u00a0](?:and|or|und|oder|et|ou|y|e|o|en|of|to|bis|tot|versus|vs\.?))[ \u00a0]?",
    re.IGNORECASE,
)
"""What stands between figures of which the first says for both that it is about that."""
_NO_THINGS: Final = STOP_WORDS | {"vs", "versus", "sd", "se", "sem", "ci", "iqr"}
_CENTURY: Final = re.compile(r"(?<!\d)((?:1\d|20)\d\d)[-\u2013/]\Z")
_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?![\w-])")
_SHARES: Final = (SHARE, PER_MILLE, POINTS)
_COUNTED_WORD: Final = re.compile(
    r"[ \u00a0]?(?P<of>(?:of|de|di)[ \u00a0])?(?P<word>[A-Za-z\u00b5\u03bc\u03a9]{2,20})(?!\w)"
)
_SQUARE: Final = re.compile(r"[ \u00a0](?:c[uú][aá]dr|carr|c[uú]b|qu?adr)")
"""In Latin letters: other scripts inflect it, or part no words."""
_ARTICLE: Final = re.compile(
    r"(?<![\w-])(?:(?P<gross>an?[ \u00a0]gross(?=[ \u00a0]of[ \u00a0][a-z]))"
    r"|(?:an?|one|eine?[rmn]?|une?|un[ao]?|uma?|een|одна|одну|один|bir)(?=[ \u00a0][^\W\d_]{3,}))",
    re.IGNORECASE,
)
_MINUTES_AND_SECONDS: Final = re.compile(r"\d{1,2}:\d\d")
"""A time without `am` or `pm`, which may as well be a score, a ratio or a verse."""
_TEMPERATURES: Final = ("kelvin", "degC", "degF")
_NO_LONE_UNITS: Final = frozenset(("second", "bar", "foot", "yard", "cup", "degree", "angular_degree", "mole", "beat"))
"""What is also another word behind an article: `a second trial`."""


@dataclass(frozen=True)
class Figure:
    """A number of a text with its unit."""

    written: str
    values: frozenset[Decimal]
    """All that it may be read as."""
    unit: str = ""
    places: int = 0
    """Digits behind its point."""
    spelled: bool = False
    """In words."""
    start: int = 0
    bound: Literal["", "least", "most"] = ""
    """Whether the amount is only said to be no less, or no more."""
    exactly: bool = False
    """Whether it is said to be that amount, by `=` or as a probability."""
    share: Decimal | None = None
    """The share that a fraction says, such as `three quarters of`; None: it is none."""
    per: str = ""
    """The time or thing that a share is for, as in `2% p.a.`."""
    change: Literal["", "by", "to"] = ""
    """Whether something rises or falls by the amount, or to it; empty: neither is said."""
    difference: bool = False
    """Whether it may be one of temperatures: something rises or differs by it."""
    about: bool = False
    """Whether it is said to be nearly that amount."""
    rate: str = ""
    """Its unit with the time that the sentence says behind it: `40 IU of insulin a day`."""
    parts: tuple["Figure", ...] = ()
    """Those of what may be a time or a score, `28:25`."""
    counted: str = ""
    """The word behind it: a thing, or, where no unit is known, a symbol that is none of ours."""


def extract_figures(text: str, *, dates: bool = False) -> list[Figure]:
    """The figures of `text`, in order. Digits within a name (`IL-6`, `B12`) are no figures.

    `dates`: with what dates say otherwise, ordinals as `9th` and months by their names.
    """
    return list(_extract_figures(text, dates))


@lru_cache(maxsize=500)  # statements and quotes are read after each repair, and once more for the report
def _extract_figures(text: str, dates: bool) -> tuple[Figure, ...]:
    numbers = [one for one in find_numbers(text, ambiguous=True) if not one.name]
    ends = {one.start: one.end for one in numbers}
    shares = [one for one in find_shares(text) if ends.get(one.start, 0) <= one.end]  # no `quarter of a million`
    within = {place for share in shares for place in range(share.start, share.end)}
    numbers = [one for one in numbers if one.start not in within]
    scales = [0] * len(numbers)
    for place, (one, following) in enumerate(pairwise(numbers)):
        if not one.unit and _RANGE.fullmatch(text, one.end, following.start):
            scales[place] = read_scale(text[following.start : following.end])
    found: list[Figure] = []
    for one, power in zip(numbers, scales, strict=True):
        if one.moment is not None and (seconds := _read_clock(one)):  # `2:17:25` is also 2 h 17 min 25 s
            parts = tuple(_read_parts(text, one.moment)) if _MINUTES_AND_SECONDS.fullmatch(one.text) else ()
            found.append(Figure(one.text, seconds, "second", start=one.start, parts=parts))
        elif one.moment is not None:
            found += _read_parts(text, one.moment)
        elif dates or not one.ordinal:
            built = _build_figure(text, one)
            more = frozenset(value.scaleb(power) for value in built.values) if power else built.values
            found.append(replace(built, values=built.values | more))
    for said in shares:
        bound = read_bound(text, said.start, said.end)
        change, about = read_change(text, said.start), is_about(text, said.start)
        found.append(
            Figure(
                *(said.written, said.values),
                start=said.start,
                bound=bound,
                share=said.exact,
                change=change,
                about=about,
            )
        )
    if dates:
        found += _extract_month_names(text)
        covered = {place for one in found for place in range(one.start, one.start + len(one.written))}
        found += (one for one in extract_lone_units(text) if one.start not in covered)
    ordered = sorted(found, key=lambda each: each.start)[:MOST_FIGURES]
    for place in range(1, len(ordered)):
        first, then = ordered[place - 1 : place + 1]
        if first.about and _JOINED.fullmatch(text, first.start + len(first.written), then.start):
            ordered[place] = replace(then, about=True)
    return tuple(ordered)


def _read_parts(text: str, moment: WrittenMoment) -> Iterator[Figure]:
    for start, end, number in moment.parts:
        if text[start].isdigit():
            values = frozenset({Decimal(number)}) | _read_end_of_years(text, start, end)
            yield Figure(text[start:end], values, start=start)


def extract_lone_units(text: str) -> Iterator[Figure]:
    """The amounts that an article says: `an hour`, `une semaine`, `a gross of`; many are rates, as in `twice a day`."""
    for found in _ARTICLE.finditer(text):
        if found["gross"]:
            yield Figure(found[0], frozenset({Decimal(144)}), spelled=True, start=found.start())
            continue
        unit, end = find_unit(text, found.end())
        lone = unit not in _NO_LONE_UNITS or found[0].lower() == "one"
        if unit and lone and not unit.isupper() and unit not in _SHARES:
            yield Figure(text[found.start() : end], frozenset({Decimal(1)}), unit, spelled=True, start=found.start())


def read_scale(number: str) -> int:
    """The power of ten that a word of a number multiplies by, which the first of `30 to 50 thousand` shares; or 0."""
    return max((parse_scale_word(word) for word in re.findall(r"[^\W\d_]+", number)), default=0)


def _build_figure(text: str, one: Number) -> Figure:
    unit = one.unit
    values = one.values | _read_end_of_years(text, one.start, one.end)
    digits = text[one.start : one.end]
    if not one.signed and not one.spelled and is_decrease_amount(text, one.start, one.unit_end):
        values |= {-value for value in values}
    fraction = re.search(r"[.,](\d+)(?!.*[.,]\d)", digits)
    if is_below_zero(text, one.start, one.unit_end):
        values = frozenset(-abs(value) for value in values)
    written = text[one.start : one.unit_end].strip()
    places = len(fraction[1]) if fraction else max(0, *(-int(value.as_tuple().exponent) for value in one.values), 0)
    bound = read_bound(text, one.start, max(one.end, one.unit_end))
    exactly = not bound and is_exact(text, one.start)
    per = read_rate(text, one.unit_end, unit)[0].partition("/")[2] if unit in _SHARES else ""
    change = read_change(text, one.start)
    counted = _COUNTED_WORD.match(text, max(one.end, one.unit_end))
    if counted and not unit and counted["of"] and not _SQUARE.match(text, counted.end()):  # `35 millions de tonnes`
        unit = find_unit(text, counted.start("word"))[0]
    if counted and not unit and (behind := find_unit(text, counted.end()))[1] > counted.end() + 2:  # `5 full litres`
        unit, counted = behind[0], None
    return Figure(
        *(written, values, unit, places, one.spelled, one.start, bound, exactly),
        per=per,
        change=change,
        difference=unit in _TEMPERATURES and may_be_difference(text, one.start, one.unit_end),
        about=is_about(text, one.start),
        rate=f"{unit}/{time}"
        if unit and "/" not in unit and (time := find_time_near(text, one.start, one.unit_end))
        else "",
        counted=counted["word"] if counted and counted["word"].casefold() not in _NO_THINGS else "",
    )


def _read_clock(one: Number) -> frozenset[Decimal]:
    """The seconds of a time of day, which may be how long something takes; none of a date."""
    moment = one.moments[0]
    if moment.hour is None or moment.day is not None or moment.year is not None:
        return frozenset()
    seconds = {moment.hour * 3600 + (moment.minute or 0) * 60 + (moment.second or 0)}
    if moment.second is None and _MINUTES_AND_SECONDS.fullmatch(one.text):
        seconds.add(moment.hour * 60 + (moment.minute or 0))
    return frozenset(map(Decimal, seconds))


def _read_end_of_years(text: str, start: int, end: int) -> frozenset[Decimal]:
    """The year that two digits stand for behind another year, as in `2018-19`; empty where none does."""
    year = _CENTURY.search(text, max(0, start - 5), start) if end - start == 2 else None
    return frozenset({Decimal(year[1][:2] + text[start:end])}) if year else frozenset()


def _extract_month_names(text: str) -> Iterator[Figure]:
    for match in _WORD.finditer(text):
        if number := parse_month_name(match[0].lower()):
            yield Figure(match[0], frozenset({Decimal(number)}), spelled=True, start=match.start())


_LABELS: Final = (
    "fig figs figure figures table tables tab eq eqs equation chapter chap section sect sec appendix app p pp page ref "
    "refs abb abbildung tabelle kapitel abschnitt anhang seite figura tabla tableau tabella chapitre capitulo "
    "cap\u00edtulo hoofdstuk"
)
_POINTERS: Final = re.compile(
    r"(?:https?://|www\.|doi:)[^\s<>\"']+|\b10\.\d{4,9}/[^\s<>\"']+"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|(?<!CI )(?<!CI: )(?<!CI, )(?<!interval )(?<!range )(?<!= )(?<!\d )\[\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\]"
    rf"|\b(?i:{'|'.join(_LABELS.split())})\b\.?[\s\u00a0]?\d{{1,3}}(?:[.\u2013-]\d{{1,3}})*[a-z]?\b"
    r"(?!\s?[%\u2030])"
)


def without_pointers(text: str) -> str:
    """`text`, as long as it is, without digits that count nothing."""
    return _POINTERS.sub(lambda found: " " * len(found[0]), text)
