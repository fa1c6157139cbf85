"""Figures that follow by arithmetic from figures that a statement names, and from those of quotes that it means.

Which figures are meant takes understanding, so a fact's figure counts as computed only for a reviewer who agrees, and
if few others could be meant: one operand is named in the statement, and the other by words before it in its quote; or
both stand side by side in a quote, or are of the few quoted ones of a column that the statement names. An inference may
combine any two of what it names.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow
from itertools import chain, permutations, product
from typing import Final

from elcano.text.stems import list_stems
from elcano.text.support.computed_figures import (
    find_neighbours,
    follows_from_pair,
    is_bounded_multiple,
    is_computed,
    is_year,
)
from elcano.text.support.figure_comparison import is_same_multiple
from elcano.text.support.figures import Figure, extract_figures
from elcano.text.support.flattened_quotes import restore_quotes
from elcano.text.unit_comparison import convert_amount
from elcano.text.units import SHARE, TIMES

MOST_OPERANDS: Final = 24
"""Number of figures that are combined: more could produce nearly any other one."""
MOST_IN_COLUMN: Final = 4
FEW: Final = 3
"""Figures of the quotes that may be meant by a statement that names one of them, without a name of their own."""
_BETWEEN: Final = re.compile(r"[^\W\d_]{2,}|\w*[^\W\d_]\w*")
"""Words and names, as `UAE` and `v3`, that tell what a figure is of."""


def list_uncomputed(
    missing: Sequence[Figure], own: Sequence[Figure], text: str, quotes: Sequence[str], columns: Sequence[str] = ()
) -> list[Figure]:
    """The figures of `missing` that do not follow from others, in one step or from those that do.

    Args:
        missing: figures of a statement that its quotes do not have.
        own: its other figures.
        text: the statement.
        quotes: what it quotes.
        columns: the quoted cells of each column that the statement names.
    """
    if not missing:
        return []
    left, known = list(missing), list(own)
    words = frozenset(list_stems(text))
    found = [list(_name_figures(quote)) for quote in quotes]
    meant = [one for one, names in chain.from_iterable(found) if names & words]
    few = [one for one, _ in chain.from_iterable(found)]
    others = few if len(few) <= FEW else meant
    neighbours = list(find_neighbours(restore_quotes(quotes, bare=False)))
    within = [pair for column in columns for pair in _pair_in_column(extract_figures(column))]
    while True:
        pairs = [*_pair(known, others), *within]
        computed = [
            one
            for one in left
            if any(one.values)  # what is denied is no amount
            and (
                follows_from_pair(one, known[:MOST_OPERANDS], neighbours)
                or any(_is_width(one, *pair) for pair in neighbours)
                or any(is_computed(one, *pair) for pair in pairs)
                or any(is_same_multiple(one, other) for other in known)
            )
        ]
        if not computed:
            return left
        left = [one for one in left if one not in computed]
        known += computed


def _pair(known: Sequence[Figure], others: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    for one, other in product(known[:MOST_OPERANDS], others[:MOST_OPERANDS]):
        if one.unit == other.unit or not other.unit:
            there = replace(other, unit=one.unit)
            yield one, there
            yield there, one


def _pair_in_column(figures: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Each two figures of a column, if they are so few that not any difference is one of theirs."""
    if len(figures) <= MOST_IN_COLUMN:
        yield from ((one, other) for one, other in permutations(figures, 2) if one.unit == other.unit)


def _name_figures(quote: str) -> Iterator[tuple[Figure, frozenset[str]]]:
    """The figures of a quote, each with the words before it; those of a row share the words before the first one."""
    names: frozenset[str] = frozenset()
    end = 0
    for one in extract_figures(quote):
        if _BETWEEN.search(between := quote[end : one.start]):
            names = frozenset(list_stems(between))
        yield one, names
        end = one.start + len(one.written)


def _is_width(one: Figure, first: Figure, second: Figure) -> bool:
    """Whether a figure is how far two of a quote lie apart, to the last digit: 100 nm of `from 1500 nm to 1600 nm`."""
    if not one.unit or one.unit == SHARE or one.change == "by" or not one.unit == first.unit == second.unit:
        return False  # a change has a direction
    same = one.places == first.places == second.places
    return same and any(a - b == abs(value) for a, b, value in product(first.values, second.values, one.values))


_FRACTION: Final = re.compile(
    r"\b(?:fraction|proportion|share|probabilit|Anteil|Bruchteil|Wahrscheinlichkeit|fracción|proporción|frazione"
    r"|proporzione|fração|proporção|aandeel)\w*\b[^.;\d]{0,24}\Z",
    re.IGNORECASE,
)


def is_share_of_one(one: Figure, quotes: Iterable[str]) -> bool:
    """Whether a percentage is a number up to 1 that quotes call a share: `79 %` of `a fraction of 0.79`."""
    if one.unit != SHARE or one.share is not None:
        return False
    return any(
        0 < value <= 1 and value * 100 in one.values
        for quote in quotes
        for other in extract_figures(quote)
        if not other.unit and other.places and _FRACTION.search(quote, max(0, other.start - 50), other.start)
        for value in other.values
    )


def list_underived(lacking: Sequence[Figure], there: Sequence[Figure]) -> list[Figure]:
    """The figures of an inference that do not follow by one operation from those that it rests on."""
    values = dict.fromkeys(value for one in there for value in one.values) if lacking else {}
    made = list(_derive_results(list(values)[:MOST_OPERANDS]))

    def follows(one: Figure) -> bool:
        if one.unit == TIMES and one.bound:  # `more than twice` is a ratio on one side of two
            ratios = list(_list_ratios(there[:MOST_OPERANDS]))
            return any(is_bounded_multiple(one, many, ratio) for many in one.values for ratio in ratios)
        step = Decimal(1).scaleb(-one.places) / 2  # signs are ignored, as a change has none
        return any(abs(abs(value) - abs(exact)) <= step for value in one.values for exact in made)

    return [one for one in lacking if not follows(one)]


def _list_ratios(there: Sequence[Figure]) -> Iterator[Decimal]:
    """The ratios of figures of the same kind, whatever their units; one without a unit has that of the other."""
    for one, other in permutations((one for one in there if one.unit != TIMES and not is_year(one)), 2):
        alike = one.unit == other.unit or not one.unit or not other.unit
        for value, part in product(one.values, other.values):
            parts = [part] if alike else convert_amount(part, other.unit, one.unit, differences=False)
            yield from (value / same for same in parts if same)


def _derive_results(there: Sequence[Decimal]) -> Iterator[Decimal]:
    if there:
        yield sum(there, Decimal(0))
        yield sum(there, Decimal(0)) / len(there)
    for one, other in permutations(there, 2):
        try:
            yield from (one + other, one - other, one * other, (one + other) / 2)
            yield from (one / other, one / other * 100, (one - other) / abs(other) * 100)
        except (DivisionByZero, InvalidOperation, Overflow):
            continue
