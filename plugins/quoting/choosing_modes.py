"""Which way a question goes, by rules over its words: what they cannot know they do not say; they say what they are.

Rules know the words of English and German alone. A question in another language is broad if it has several parts. To a
database a question goes beside other sources only if it is a saved question of that database; every other one stays
with the documents.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from elcano.activities.text.languages import get_current_language
from elcano.activities.text.same_question import is_same_question, list_readings
from elcano.activities.text.stems import content_words
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.modes import PLUGIN_MODES
from elcano.graphs.text import shorten_text
from elcano.plugins.quoting.mode_words import LANGUAGES, Words

BY_RULES: Final = "Chosen by rules, without a language model:"
FACT_WORDS: Final = 8
"""A question of more telling words has conditions that one search seldom meets."""
SHOWN_CHARACTERS: Final = 200
"""Of what a rule went by."""


def way_of(task: TaskEnvelope, parts: Sequence[str]) -> tuple[str, str]:
    """The name of the way that the question of `task` goes, and why; `parts` are its own."""
    way, why = _way(task, " ".join(task.question.split()), parts, _ways(task))
    return way, " ".join([BY_RULES, why, *_unread(task)])


def _unread(task: TaskEnvelope) -> Iterator[str]:
    """Which databases may hold the answer without anybody knowing it."""
    told = task.given.get("databases")
    for name, schema in told.items() if isinstance(told, dict) else ():
        if isinstance(schema, str):
            yield f"The database {name!r} could not be read."


def _way(task: TaskEnvelope, question: str, parts: Sequence[str], ways: Collection[str]) -> tuple[str, str]:
    if ways and all(name in PLUGIN_MODES and DATABASE in PLUGIN_MODES[name].kinds for name in ways):
        return next(iter(ways)), "all that is searched are databases."
    if "data" in ways and (database := _find_database(task)):
        return "data", f"it is a saved question of the database {database!r}."
    words = LANGUAGES.get(get_current_language())
    if words is not None and (found := _of_one_kind(question, words, ways)) is not None:
        return found
    if len(parts) > 1:
        return "deep", f"it has {len(parts)} parts, each of which can be researched by itself."
    if words is None:
        known = "English and German"
        return (
            "iterative",
            f"it has one part, and what its words ask for is not known: rules know those of {known} alone.",
        )
    if (said := words.broad.search(question)) and not _only_named(words, words.broad, question):
        return "deep", f"its words ask for breadth ({_quoted(said)})."
    if "simple" in ways and (said := words.fact.search(question)) and 1 <= len(content_words(question)) <= FACT_WORDS:
        return "simple", f"it asks for one fact ({_quoted(said)})."
    return "iterative", "it has one part, and nothing in its words asks for breadth."


def _find_database(task: TaskEnvelope) -> str:
    """The first of a task's databases that has its question saved; empty: none."""
    told = task.given.get("saved_questions")
    for name, saved in told.items() if isinstance(told, dict) else ():
        questions = [one for one in saved if isinstance(one, str)] if isinstance(saved, list) else []
        if any(is_same_question(one, other) for one in list_readings(task) for other in questions):
            return name
    return ""


def _of_one_kind(question: str, words: Words, ways: Collection[str]) -> tuple[str, str] | None:
    """The way of a question that asks for something that one way is made for; None: it is any question."""
    kinds = (
        ("analysis", words.pooled, "it asks for numbers of several studies put together"),
        ("literature_review", words.studies, "it asks for a review of studies"),
        ("literature_review", words.pooled, "it asks for a review of studies"),
        ("hierarchical", words.rigorous, "it asks for a report in which every section holds"),
        ("magentic", words.causes, "it asks for explanations to be found and weighed"),
    )
    for way, pattern, why in kinds:
        if way in ways and (said := pattern.search(question)) and not _only_named(words, pattern, question):
            return way, f"{why} ({_quoted(said)})."
    return None


def _only_named(words: Words, pattern: re.Pattern[str], question: str) -> bool:
    """Whether a question asks what something is that is called so, as “What is a meta-analysis?” does."""
    defined = words.defines.search(question)
    return defined is not None and pattern.search(defined["what"]) is not None


def _quoted(said: re.Match[str]) -> str:
    return f"“{shorten_text(said[0].strip(), SHOWN_CHARACTERS)}”"


def _ways(task: TaskEnvelope) -> Collection[str]:
    """Those that are open; of a graph that names none, the two that there always were."""
    ways = task.given.get("ways")
    return ways.keys() if isinstance(ways, dict) else ("iterative", "deep")
