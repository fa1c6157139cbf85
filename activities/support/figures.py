"""Figures of a statement or a quote: its numbers, as far as they stand for an amount and not in a name.

A number may be read in more than one way; all are kept, so that a figure is found again however its source writes it,
and one that none of the readings finds is another one. What is said to fall by an amount is also read as that amount
below nothing. The parts of a date are figures of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Final

from elcano.activities.text.written_dates import parse_month_name
from elcano.activities.text.written_numbers import Number, find_numbers

MOST_FIGURES: Final = 2_000
"""Maximum number of figures of one text; more than any sentence or quote has."""
_RANGE: Final = re.compile(r"\s{0,2}(?:[-\u2013\u2014\u2012]|to|bis|\u00e0|a|tot)\s{0,2}$")
_CENTURY: Final = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)[-\u2013/]\Z")
_FALLS: Final = re.compile(
    r"\b(?:reduc\w*|decreas\w*|declin\w*|dropp?\w*|fell|fall\w*|lower\w*|los[ts]\w*|lose|shr[aiu]nk\w*|cut|down|less|fewer"
    r"|sank\w*|sink\w*|gesunken|fiel\w*|gefallen|verringert\w*|gesenkt|senkt\w*|reduziert\w*|baiss\w*|diminu\w*|r\u00e9dui\w*"
    r"|redu[cj]\w*|baj\w*|cay\u00f3|ca\u00eddo|dismin\w*|ridott\w*|cal[ao]t?\w*|caiu|daald\w*|gedaald)\b"
)
_BY: Final = re.compile(
    r"(?:[^.;!?\d]{0,40}\b(?:by|of|um|de|con|del|met|por|em|is|was)\b|\W{0,3})[^.;!?\d]{0,12}$", re.IGNORECASE
)
_TO: Final = re.compile(r"\b(?:to|auf|\u00e0|a|naar|para|below|under|than)\W{0,3}$", re.IGNORECASE)
_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?![\w-])")


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


def extract_figures(text: str, *, dates: bool = False) -> list[Figure]:
    """The figures of `text`, in order. Digits within a name (`IL-6`, `B12`) are no figures.

    `dates`: with what dates say otherwise, ordinals as `9th` and months by their names.
    """
    numbers = [one for one in find_numbers(text, ambiguous=True) if not one.name]
    units = [one.unit for one in numbers]
    for place, (one, following) in enumerate(pairwise(numbers)):
        if not one.unit and _RANGE.fullmatch(text, one.end, following.start):
            units[place] = following.unit
    found: list[Figure] = []
    for one, unit in zip(numbers, units, strict=True):
        if one.moment is not None:
            for start, end, number in one.moment.parts:
                if text[start].isdigit():
                    values = frozenset({Decimal(number)}) | _read_end_of_years(text, start, end)
                    found.append(Figure(text[start:end], values, start=start))
        elif dates or not one.ordinal:
            found.append(_build_figure(text, one, unit))
    if dates:
        found += _extract_month_names(text)
    return sorted(found, key=lambda one: one.start)[:MOST_FIGURES]


def _build_figure(text: str, one: Number, unit: str) -> Figure:
    values = one.values | _read_end_of_years(text, one.start, one.end)
    digits = text[one.start : one.end]
    if not one.signed and not one.spelled and _is_decrease_amount(text, one.start):
        values |= {-value for value in values}
    fraction = re.search(r"[.,](\d+)(?!.*[.,]\d)", digits)
    written = text[one.start : one.unit_end].strip()
    return Figure(written, values, unit, len(fraction[1]) if fraction else 0, one.spelled, one.start)


def _read_end_of_years(text: str, start: int, end: int) -> frozenset[Decimal]:
    """The year that two digits stand for behind another year, as in `2018-19`; empty where none does."""
    year = _CENTURY.search(text, max(0, start - 5), start) if end - start == 2 else None
    return frozenset({Decimal(year[1][:2] + text[start:end])}) if year else frozenset()


def _extract_month_names(text: str) -> Iterator[Figure]:
    for match in _WORD.finditer(text):
        if number := parse_month_name(match[0].lower()):
            yield Figure(match[0], frozenset({Decimal(number)}), spelled=True, start=match.start())


def _is_decrease_amount(text: str, at: int) -> bool:
    """Whether something falls by the amount at `at`, not to it."""
    before = text[max(0, at - 60) : at]
    if _TO.search(before):
        return False
    return any(_BY.fullmatch(before[found.end() :]) for found in _FALLS.finditer(before.lower()))


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
