"""The ways among which the input parser chooses for a run that was left to choose: modes, and when each one fits.

A new way is its entry here and its edge in `modes/auto.py`, where a graph says which of them it has.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from elcano.graphs.frozen import Frozen


class Way(Frozen):
    """A mode that can be chosen."""

    name: str
    when: str
    """For which questions, as the one who chooses is told."""
    needs_model: bool = False
    """Without a language model it cannot be gone."""
    kinds: tuple[str, ...] = ()
    """It needs a source of one of these kinds (`SourceSpec.kind`); none: any will do."""


_LISTED: Final = (
    Way(
        name="simple",
        when="it asks for one fact that a single good search answers: a date, a number, a name, a definition",
    ),
    Way(name="iterative", when="it is after one point, however hard that is to find, or you are in doubt"),
    Way(
        name="literature_review",
        when="it asks for a review of the studies on a matter: what was searched, found and kept has to be counted",
        kinds=("articles", "trials", "preprints"),
    ),
    Way(
        name="deep",
        when=(
            "a careful answer needs several sections that can be researched separately, because it has several parts, "
            "compares things, or asks for an overview, a report or an analysis of a field"
        ),
    ),
)
WAYS: Final[Mapping[str, Way]] = {way.name: way for way in _LISTED}
"""By name, the cheapest first: where one cannot be gone, the one before it is."""

USUAL: Final = "iterative"
"""The way of a question of which nothing better is known."""


def described(names: Iterable[str]) -> dict[str, str]:
    """When each of these ways fits, by name; those that there are not are left out."""
    return {name: WAYS[name].when for name in names if name in WAYS}
