"""Figures that follow in one step from figures of quotes: differences, multiples, shares, changes in per cent."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import permutations, product
from typing import Final

from elcano.text.support.figure_comparison import is_rounding_of, is_same_figure
from elcano.text.support.figures import Figure, extract_figures
from elcano.text.support.fractions import find_ratio_at, find_ratios
from elcano.text.unit_comparison import convert_amount
from elcano.text.units import POINTS, SHARE, TIMES

_NEARLY_MULTIPLE: Final = (Decimal("0.03"), Decimal("0.1"))
"""How much of itself a multiple may be off; of `about three times` more."""
_MOST_COMPARED: Final = 60
HALF: Final = re.compile(
    r"\b(?:half|halv\w+|halb\w*|hälfte|moitié|mitad|met[aà]|metade|helft|dimezz\w+)\b", re.IGNORECASE
)


def find_neighbours(quotes: Iterable[str]) -> Iterator[tuple[Figure, Figure]]:
    """Yield figures in one unit that a quote sets side by side, both ways round.

    Errors and what stands in brackets are also passed over: `13 (8) days and 25 (9) days`. Only with such figures is
    computed: among all pairs of a passage there is one for nearly every number.
    """
    for quote in quotes:
        figures = extract_figures(quote)[:_MOST_COMPARED]
        outer = [one for one in figures if not _is_aside(quote, one)]
        for among in (figures, outer):
            last: dict[str, Figure] = {}
            for one in among:
                kind = _YEAR_UNIT if is_year(one) else one.unit
                if one.share is None and (before := last.get(kind)):
                    yield from ((before, one), (one, before))
                last[kind] = one


def _is_aside(quote: str, one: Figure) -> bool:
    """Whether a figure only goes with the one before it: its error, one in brackets, the second of `38:1`."""
    end = one.start + len(one.written)
    if one.written == "1" and quote[max(0, one.start - 1) : one.start] in (":", "\u2236"):
        return True
    error = _ERROR.search(quote, max(0, one.start - 6), one.start)
    return bool(error) or quote[max(0, one.start - 1) : one.start] + quote[end : end + 1] == "()"


_ERROR: Final = re.compile(r"(?:±|\+/-)[ \u00a0]?\Z")
_YEAR_UNIT: Final = "calendar year"
_YEARS: Final = (Decimal(1500), Decimal(2100))


def is_year(one: Figure) -> bool:
    """Whether a figure is written as a year."""
    written = one.written[:4].isdigit() and not one.unit and not one.places  # `2,000` and `2 тыс.` are none
    return written and all(_YEARS[0] <= abs(value) <= _YEARS[1] for value in one.values)


def is_multiple_of_figures(one: Figure, many: Decimal, quotes: Iterable[str]) -> bool:
    """Whether a figure of the quotes is so many times the one next to it, as where deaths halved `from 40 to 20`."""
    off = many * _NEARLY_MULTIPLE[one.about]
    ratios = (
        value / other_value
        for first, second in find_neighbours(quotes)
        for value, other_value in product(first.values, second.values)
        if other_value
    )
    if one.bound and many < 1:  # `more than halved` is less than half, and `more than half` is more
        return False
    if one.bound:
        return any(is_bounded_multiple(one, many, ratio) for ratio in ratios)
    return any(abs(ratio - many) <= off for ratio in ratios)


def is_bounded_multiple(one: Figure, many: Decimal, ratio: Decimal) -> bool:
    """Whether a ratio is on the side of a multiple that is said and not far from it: `more than doubled`."""
    return many <= ratio <= many + 1 if one.bound == "least" else many - 1 < ratio <= many


def _is_percent_of_ratio(one: Figure, quotes: Iterable[str]) -> bool:
    """Whether quotes have the counts of a percentage: `30%` of `12 of 40`, rounded as it is written."""
    if one.unit != SHARE or len(one.values) != 1:
        return False
    percent, half = next(iter(one.values)), Decimal("0.5").scaleb(-one.places)
    return any(abs(ratio * 100 - percent) <= half for quote in quotes for ratio in find_ratios(quote))


def follows_from_share(one: Figure, text: str, quotes: Sequence[str], there: Sequence[Figure]) -> bool:
    """Whether a count or a percentage says what quotes say as the other: `30%` of `12 of 40`, `12 of 48` of `25%`."""
    return _is_percent_of_ratio(one, quotes) or _is_part_of_share(one, text, there)


def _is_part_of_share(one: Figure, text: str, there: Sequence[Figure]) -> bool:
    """Whether a count of `text`, `12 of 48`, is the share of the whole that the quotes' figures say: `25 % of 48`."""
    found = find_ratio_at(text, one.start)
    if found is None or not any(found[1] in other.values for other in there):
        return False
    ratio = found[0] / found[1]
    return any(
        abs(ratio * 100 - value) <= Decimal("0.5").scaleb(-other.places)
        for other in there
        if other.unit == SHARE or other.share is not None
        for value in (other.values if other.share is None else [other.share * 100])
    )


def find_figure_ratios(quotes: Sequence[str]) -> Iterator[Decimal]:
    """Yield the ratios below 1 of figures that stand next to each other, and of what is so many times less."""
    counts = (one for quote in quotes for one in extract_figures(quote) if one.unit == TIMES)
    yield from (1 / value for one in counts for value in one.values if value > 1)
    for one, other in find_neighbours(quotes):
        yield from (part / whole for part, whole in product(one.values, other.values) if 0 < part < whole)


def follows_from_pair(one: Figure, own: Sequence[Figure], neighbours: Sequence[tuple[Figure, Figure]]) -> bool:
    """Whether a figure is one step from two: of `own`, those of its statement, or of neighbours in the quotes.

    Of the latter the statement names one, unless the figure can only be a result: something changes by it, it is in
    percentage points, or the time from one year to another.
    """
    if any(is_computed(one, *pair) for pair in permutations(own[:_MOST_COMPARED], 2) if pair[0].unit == pair[1].unit):
        return True
    result = one.unit in (POINTS, TIMES) or one.change == "by"
    return any(
        result
        or is_year(pair[0])
        or any(is_same_figure(said, there, rounded=False) for said, there in product(own, pair))
        for pair in neighbours
        if is_computed(one, *pair)
    )


def is_computed(one: Figure, first: Figure, second: Figure) -> bool:
    """Whether a figure is the sum, difference, ratio or change in per cent of two in one unit.

    What something changes by is no sum, and where a quote has both figures, `from 40 to 50`, it has their direction.
    """
    moved = one.change == "by"
    directed = moved and "to" in (first.change, second.change)
    if directed and (second.change != "to" or first.start > second.start):
        return False  # the other order of these
    for value, a, b in product(one.values, first.values, second.values):
        made = [a + b] if one.unit == first.unit and not moved else []
        if one.unit == first.unit != SHARE or (one.unit == POINTS and first.unit in (SHARE, "")):
            made.append(b - a)  # a share that is less by 4 percentage points is not 4 % less
        if is_year(first) and is_year(second) and one.unit:
            made += convert_amount(b - a, "year", one.unit, differences=False)
        if b and (one.unit == TIMES or (not one.unit and (one.places or first.unit))):
            made.append(a / b)
        if a and one.unit == SHARE:
            made += [(b - a) / abs(a) * 100, *([] if moved else [b / a * 100])]
        if directed:
            falls = min(one.values) < 0
            made = [result for result in made if (result < 0) == falls]
        if any(_is_result(one, abs(value), abs(result)) for result in made):
            return True
    return False


def _is_result(one: Figure, value: Decimal, result: Decimal) -> bool:
    if one.about and is_rounding_of(one, value, result):
        return True
    if one.bound and one.unit == TIMES and value >= 1:
        return is_bounded_multiple(one, value, result)
    step = Decimal(1).scaleb(-one.places) / 2
    off = min(step, value * _NEARLY_MULTIPLE[True]) if one.unit == TIMES else step  # 1.5 times is not doubled
    return not one.bound and abs(result - value) <= off


_RATIO_NAME: Final = re.compile(
    r"(?:\b[a-z]?(?:OR|HR|RR|IRR)s?|\b(?:odds|hazards?|risk|rate|incidence)[ \u00a0]ratios?)\b[^.;\d]{0,24}\Z"
)


def is_change_by_ratio(one: Figure, quotes: Iterable[str]) -> bool:
    """Whether a percentage is more or less by a ratio: `27% higher` of an odds ratio of 1.27."""
    if one.unit != SHARE:
        return False
    step = Decimal("0.5").scaleb(-one.places)
    ratios = (
        value
        for quote in quotes
        for there in extract_figures(quote)
        if there.unit != SHARE and _RATIO_NAME.search(quote, max(0, there.start - 45), there.start)
        for value in there.values
    )
    less = min(one.values) < 0
    return any(
        (ratio < 1) == less and abs(abs(ratio - 1) * 100 - abs(value)) <= step
        for ratio, value in product(ratios, one.values)
    )


_LUNAR: Final = Decimal("0.082")
"""How much of itself a month may be off: of four weeks."""
_CALENDAR: Final = ({"day", "week"}, {"month", "year", "calendar_decade"})


def is_calendar_time(one: Figure, other: Figure) -> bool:
    """Whether both are the same time, of which one counts days: 12 weeks are three months to a reader."""
    if not any(one.unit in few and other.unit in many for few, many in permutations(_CALENDAR)):
        return False
    return one.bound == other.bound and any(
        abs(value - there) <= _LUNAR * max(value, there)
        for value in one.values
        for exact in other.values
        for there in convert_amount(exact, other.unit, one.unit, differences=False)
    )
