"""Which mode a question is researched in, by its parts and a few of its words.

Words are known of English and German; a question in another language is broad if it has several parts. To a database a
question goes beside other sources only if it is a saved question of that database.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from elcano.activities.text.same_question import is_same_question, list_readings
from elcano.activities.text.stems import content_words
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.mode_choice import PLUGIN_MODES

BY_RULES: Final = "Chosen by rules, without a language model:"
FACT_WORDS: Final = 8
"""A question of more telling words has conditions that one search seldom meets."""

_REVIEWS: Final = re.compile(
    r"\b(?:(?:literature|systematic|scoping) review|meta-?analy\w+|review of (?:the )?(?:literature|studies|trials)"
    r"|review (?:the |all )?(?:literature|studies|trials)|(?:literatur|studien)(?:übersicht|überblick|recherche)\w*"
    r"|systematische\w* (?:übersicht|literatur|review)\w*|stand der studien)\b",
    re.IGNORECASE,
)
"""Studies are to be reviewed."""
_BROAD: Final = re.compile(
    r"\b(?:reports?|overviews?|surveys?|reviews?|summar(?:y|ise|ize)|compar(?:e|es|ed|ing|isons?)|analy\w+|comprehensive"
    r"|in depth|detailed|landscape|state of the art|market|differences?|advantages?|trade-?offs?|pros and cons|versus"
    r"|vs|berichte?|überblick|übersicht|vergleich\w*|zusammenfassung|umfassend\w*|ausführlich\w*|unterschiede?n?"
    r"|unterscheide[nt]|vorteile?n?|nachteile?n?|gegenüber)\b",
    re.IGNORECASE,
)
"""A subject as a whole, or things beside each other."""
_FACT: Final = re.compile(
    r"^\W*(?:who|when|where|(?:in )?(?:which|what) (?:year|month|day|date|city|country|version|port)"
    r"|how (?:many|much|old|long|tall|far|high|large|big)"
    r"|what (?:is|was) (?:the |its )?(?:\w+ )?(?:name|number|date|year|capital|price|size|version|default|limit)"
    r"|wer|wann|wo|(?:in )?welche[nmrs]? (?:jahr|monat|tag|datum|stadt|land)"
    r"|wie (?:viele?|alt|lange?|groß|weit|hoch))\b",
    re.IGNORECASE,
)
"""One fact, by the beginning of its question."""
_DEFINITION: Final = re.compile(
    r"^\W*(?:what (?:is|are)|was (?:ist|sind|bedeutet))\s+(?:(?:an?|the|eine?|der|die|das)\s+)?[\w-]+\W*$",
    re.IGNORECASE,
)
"""`What is a meta-analysis?` asks for no meta-analysis."""


def choose_mode(task: TaskEnvelope, parts: Sequence[str]) -> tuple[str, str]:
    """The name of the mode for the question of `task`, and why; `parts` are its own."""
    mode, why = _choose(task, " ".join(task.question.split()), parts)
    return mode, f"{BY_RULES} {why}"


def _choose(task: TaskEnvelope, question: str, parts: Sequence[str]) -> tuple[str, str]:
    given = task.given.get("ways")
    modes: Collection[str] = given.keys() if isinstance(given, dict) else ("iterative", "deep")
    if modes and all(name in PLUGIN_MODES and DATABASE in PLUGIN_MODES[name].kinds for name in modes):
        return next(iter(modes)), "all that is searched are databases."
    if "data" in modes and (database := _find_database(task)):
        return "data", f"it is a saved question of the database {database!r}."
    defines = _DEFINITION.match(question) is not None
    if "literature_review" in modes and not defines and (said := _REVIEWS.search(question)):
        return "literature_review", f"it asks for a review of studies (“{said[0]}”)."
    if len(parts) > 1:
        return "deep", f"it has {len(parts)} parts, each of which can be researched by itself."
    if not defines and (said := _BROAD.search(question)):
        return "deep", f"its words ask for breadth (“{said[0]}”)."
    if "simple" in modes and (said := _FACT.search(question)) and 1 <= len(content_words(question)) <= FACT_WORDS:
        return "simple", f"it asks for one fact (“{said[0].strip()}”)."
    return "iterative", "it has one part, and nothing in its words asks for breadth."


def _find_database(task: TaskEnvelope) -> str:
    """The first of a task's databases that has its question saved; empty: none."""
    told = task.given.get("saved_questions")
    for name, saved in told.items() if isinstance(told, dict) else ():
        questions = [one for one in saved if isinstance(one, str)] if isinstance(saved, list) else []
        if any(is_same_question(one, other) for one in list_readings(task) for other in questions):
            return name
    return ""
