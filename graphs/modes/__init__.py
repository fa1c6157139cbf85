"""The built-in graphs, one file each; every mode is data for the one engine."""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.modes.analysis import ANALYSIS
from elcano.graphs.modes.auto import AUTO
from elcano.graphs.modes.data import DATA
from elcano.graphs.modes.deep import DEEP, DEEP_BRIEF
from elcano.graphs.modes.hierarchical import HIERARCHICAL
from elcano.graphs.modes.iterative import ITERATIVE
from elcano.graphs.modes.literature_review import LITERATURE_REVIEW
from elcano.graphs.modes.magentic import MAGENTIC
from elcano.graphs.modes.mode import Mode
from elcano.graphs.modes.simple import SIMPLE
from elcano.graphs.spec.graph import ResearchGraph

LISTED: Final = (
    Mode(AUTO, "Any question: it is read first, and goes the way that fits it, which says why."),
    Mode(SIMPLE, "One fact that a good search answers; the cheapest."),
    Mode(ITERATIVE, "One point, however hard it is to find: each round looks for what is still missing."),
    Mode(DEEP, "A question of several parts, a comparison, an overview: each section is researched by itself."),
    Mode(DEEP_BRIEF, "As deep, for a short report."),
    Mode(HIERARCHICAL, "As deep, where each section has to hold: a team drafts it, its judge says what is missing."),
    Mode(LITERATURE_REVIEW, "What studies have found, with what was searched, found and kept counted."),
    Mode(DATA, "A question to databases: SQL is written, run and mended, and every number names the cell it is from."),
    Mode(ANALYSIS, "An effect that studies have measured: their numbers are pooled, and say whether it holds."),
    Mode(
        MAGENTIC,
        "A question whose way is not known beforehand: a manager says after each turn who of its team speaks next.",
        aliases=("advanced",),
    ),
)
"""In the order in which they are shown. A new mode is its file and its line here."""

MODES: Mapping[str, ResearchGraph] = {mode.name: mode.graph for mode in LISTED}
"""The graphs that a run can be started with, by name."""

ALIASES: Final[Mapping[str, str]] = {alias: mode.name for mode in LISTED for alias in mode.aliases}
"""Other names of them."""

DEFAULT_MODE: Final = AUTO.name
"""Of a run of which nobody says it."""


def mode_named(text: str) -> ResearchGraph | None:
    """The built-in graph of this name or alias; None if there is none."""
    return MODES.get(ALIASES.get(text, text))


def mode_of(name: str) -> Mode:
    """Return the description of the built-in graph `name`, which is its name and no alias."""
    return next((mode for mode in LISTED if mode.name == name), Mode(MODES[name]))
