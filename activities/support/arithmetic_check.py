"""Checks that the figures of an inference follow from what it names: each stands there, or two of those give it.

A sum, difference, product, ratio, share, change or mean of two figures is found, and the sum of all, each rounded
as it is shown. What takes more steps is not: the statement that comes between can be written down.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow
from itertools import permutations
from typing import Final

from elcano.activities.support.figures import extract_figures
from elcano.activities.support.quote_coverage import Statement, amounts_unquoted

MOST_OPERANDS: Final = 24
"""Figures that are tried with each other: of so many nearly any other one can be made."""


def find_underived_figures(statement: Statement) -> tuple[str, ...]:
    """Describe the figures of `statement` that neither stand in what it is inferred from nor follow from it."""
    lacking = amounts_unquoted(statement)
    if not lacking:
        return ()
    there = dict.fromkeys(value for text in statement.quotes for one in extract_figures(text) for value in one.values)
    made = list(_derive_results(list(there)[:MOST_OPERANDS]))
    return tuple(
        f"\u201c{one.written}\u201d neither stands in what it is inferred from nor follows from figures there"
        for one in lacking
        if not any(_is_equal_as_displayed(value, one.places, result) for value in one.values for result in made)
    )


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


def _is_equal_as_displayed(shown: Decimal, places: int, exact: Decimal) -> bool:
    """Return whether `exact` rounds to `shown` at so many decimal places; signs are ignored, as a change has none."""
    return abs(abs(shown) - abs(exact)) <= Decimal(1).scaleb(-places) / 2
