"""Which way a question goes, by rules over its words: what they cannot know they do not say; they say what they are.

Rules know the words of English alone. A question in another language is broad if it has several parts.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from elcano.activities.offline.language import in_english
from elcano.activities.text.stems import content_words
from elcano.graphs.agents.envelope import TaskEnvelope

BY_RULES: Final = "Chosen by rules, without a language model:"
FACT_WORDS: Final = 8
"""A question of more telling words has conditions that one search seldom meets."""

_BROAD: Final = re.compile(
    r"\b(?:reports?|overviews?|survey|surveys|review|reviews|summar(?:y|ise|ize)|compar(?:e|es|ed|ing|ison|isons)"
    r"|anal(?:yse|yze|ysis|yses)|comprehensive|in depth|detailed|landscape|state of the art|sections?|market"
    r"|differences?|advantages?|trade-?offs?|pros and cons|versus|vs)\b",
    re.IGNORECASE,
)
_STUDIES: Final = re.compile(
    r"\b(?:(?:literature|systematic|scoping) review|review of (?:the )?(?:literature|studies|trials)"
    r"|meta-?analys[ei]s)\b",
    re.IGNORECASE,
)
_FACT: Final = re.compile(
    r"^\W*(?:who|when|where|(?:in )?(?:which|what) (?:year|month|day|date|city|country|version|port)"
    r"|how (?:many|much|old|long|tall|far|high|large|big|heavy|fast)"
    r"|what (?:is|was|are|were) (?:the |its )?(?:\w+ )?(?:name|number|date|year|capital|population|price|size|version"
    r"|default|maximum|minimum|limit|length|height|weight|author|address|value|unit|symbol|abbreviation|licen[cs]e|port))\b",
    re.IGNORECASE,
)


def way_of(task: TaskEnvelope, parts: Sequence[str]) -> tuple[str, str]:
    """The name of the way that the question of `task` goes, and why; `parts` are its own."""
    way, why = _way(" ".join(task.question.split()), parts, _ways(task))
    return way, f"{BY_RULES} {why}"


def _way(question: str, parts: Sequence[str], ways: Collection[str]) -> tuple[str, str]:
    if "literature_review" in ways and (said := _STUDIES.search(question)):
        return "literature_review", f"it asks for a review of studies (“{said[0]}”)."
    if len(parts) > 1:
        return "deep", f"it has {len(parts)} parts, each of which can be researched by itself."
    if said := _BROAD.search(question):
        return "deep", f"its words ask for breadth (“{said[0]}”)."
    if not in_english():
        return (
            "iterative",
            "it has one part, and what its words ask for is not known: rules know those of English alone.",
        )
    if "simple" in ways and (said := _FACT.search(question)) and 1 <= len(content_words(question)) <= FACT_WORDS:
        return "simple", f"it asks for one fact (“{said[0].strip()}”)."
    return "iterative", "it has one part, and nothing in its words asks for breadth."


def _ways(task: TaskEnvelope) -> Collection[str]:
    """Those that are open; of a graph that names none, the two that there always were."""
    ways = task.given.get("ways")
    return ways.keys() if isinstance(ways, dict) else ("iterative", "deep")
