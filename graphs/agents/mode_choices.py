"""The ways among which the input parser chooses for a run that was left to choose: modes, and when each one fits.

A new way is its entry here and its edge in `modes/auto.py`, where a graph says which of them it has. Ways for questions
of one kind stand first, and say what is gone instead where they cannot be; the others are for any question.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from elcano.graphs.frozen import Frozen

DATABASE: Final = "database"
"""The kind of a source that is a database."""


class Way(Frozen):
    """A mode that can be chosen."""

    name: str
    when: str
    """For which questions, as the one who chooses is told."""
    kinds: tuple[str, ...] = ()
    """It needs a source of one of these kinds (`SourceSpec.kind`); none: any will do."""
    instead: str = ""
    """Of a way for one kind of question: the one that is gone where this cannot be. Empty: it is for any question, so
    it may be gone instead of others, and the one before it instead of it."""


_LISTED: Final = (
    Way(
        name="data",
        when=(
            "its answer is a figure, a list or a forecast that comes of counting, adding, ranking or comparing rows of "
            "the tables that `databases` tells of; never if it asks what texts say, why something is, or of what no "
            "table is about"
        ),
        kinds=(DATABASE,),
        instead="iterative",
    ),
    Way(
        name="analysis",
        when=(
            "it asks how large or how certain an effect is that several studies have measured, so that their numbers "
            "have to be pooled: a meta-analysis, a pooled estimate, an effect size"
        ),
        instead="literature_review",
    ),
    Way(
        name="magentic",
        when=(
            "nobody can say beforehand what has to be looked up, because it asks for the possible causes, explanations "
            "or hypotheses of something, to be weighed against each other"
        ),
        instead="iterative",
    ),
    Way(
        name="hierarchical",
        when=(
            "it asks outright for rigour over several sections, each of which has to be checked before it counts: a "
            "thorough, exhaustive or due diligence report; a plain overview or comparison is none"
        ),
        instead="deep",
    ),
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
"""By name: those for one kind of question, then those for any, the cheapest of these first."""

USUAL: Final = "iterative"
"""The way of a question of which nothing better is known."""


def describe_modes(names: Iterable[str]) -> dict[str, str]:
    """Return when each of these ways fits, by name; unknown names are left out."""
    return {name: WAYS[name].when for name in names if name in WAYS}


def instead_of(wanted: str, ways: Sequence[str], barred: Collection[str]) -> str:
    """Return the way to go if `wanted` is barred: its own substitute, else the one before it that fits any question.

    Where there is none, the first such way that is open; where there is none either, the first that is. If all are
    barred, as though none were.
    """
    open_ways = [way for way in ways if way not in barred] or [*ways]
    said = {way: WAYS[way].instead for way in ways if way in WAYS}
    while wanted not in open_ways and said.get(wanted) in ways:
        wanted = said[wanted]
    if wanted in open_ways:
        return wanted
    usual = [way for way in open_ways if not said.get(way)]
    before = [way for way in usual if ways.index(way) < ways.index(wanted)]
    return [*before[-1:], *usual, *open_ways][0]
