"""The modes of the plugin, and when `auto` chooses each."""

from typing import Final

from elcano.graphs.modes import Mode
from elcano.plugins.teams.hierarchical import HIERARCHICAL
from elcano.plugins.teams.magentic import MAGENTIC

MODES: Final = (
    Mode(
        MAGENTIC,
        "A question whose way is not known beforehand: a manager says after each turn who of its team speaks next.",
        aliases=("advanced",),
        when="nobody can say beforehand what has to be looked up, because it asks for the possible causes, "
        "explanations or hypotheses of something, to be weighed against each other",
        instead="iterative",
    ),
    Mode(
        HIERARCHICAL,
        "As deep, where each section has to hold: a team drafts it, its judge says what is missing.",
        when="it asks outright for rigour over several sections, each of which has to be checked before it counts: a "
        "thorough, exhaustive or due diligence report; a plain overview or comparison is none",
        instead="deep",
    ),
)
