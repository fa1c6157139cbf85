"""Whether a question is answered at all: enough of its words in one document, and its names somewhere.

Without this gate a question on medicine finds words in a programming manual.
"""

from typing import Final

from elcano.activities.text.languages import get_current_language
from elcano.activities.text.stems import find_word_stem
from elcano.plugins.quoting.passages import COMPOUNDING, Material
from elcano.plugins.quoting.question_parts import find_part_subject, list_compared, list_names, split_into_parts
from elcano.plugins.quoting.question_terms import Terms

ANSWERABLE: Final = 0.512
FEWER_WORDS: Final = 0.3
"""The best single document must hold the first share and, of a question of n telling words, an nth of the second."""
BY_LANGUAGE = {**dict.fromkeys(COMPOUNDING, 0.88)}
"""What is needed elsewhere, as a multiple."""
WHOLE_OF_PARTS: Final = 0.9
"""Of a question of n parts that is answered by one of them alone, a document must hold an nth of this share."""
ANSWERABLE_PART: Final = 0.75
"""A part of a question is short, so that more of it must be in one passage."""


def is_answerable(question: str, given: Material) -> bool:
    """Whether one document holds enough of the question, or of one of its parts, to be quoted for it."""
    held = given.best_document_coverage(given.terms)
    if held >= _compute_needed(given.terms) and not _lacks_name(question, given):
        return True
    parts = split_into_parts(question)
    return (
        len(parts) > 1
        and held >= WHOLE_OF_PARTS / len(parts)
        and any(is_part_answerable(question, part, given) for part in parts)
    )


def is_part_answerable(question: str, part: str, given: Material) -> bool:
    """Whether a passage holds enough of one part of a question; a part of one word is only a word."""
    alone = len(given.terms.of(part).weights) > 1 or bool(list_compared(question))
    return alone and cover_part(question, part, given) >= ANSWERABLE_PART


def cover_part(question: str, part: str, given: Material) -> float:
    """The share of one part of the question that the best single passage on its subject holds."""
    about = given.keep_subject(find_part_subject(question, part, given))
    return about.best_passage_coverage(given.terms.of(part))


def _compute_needed(terms: Terms) -> float:
    needed = ANSWERABLE + FEWER_WORDS / max(1, len(terms.weights))
    return min(1.0, BY_LANGUAGE.get(get_current_language(), 1.0) * needed)


def _lacks_name(question: str, given: Material) -> bool:
    """Whether the most telling word of a question is a name that occurs nowhere."""
    first = max(given.terms.weights, key=lambda one: given.terms.weights[one], default="")
    named = {find_word_stem(name.lower()) for name in list_names(question) if not name.isupper()}
    return first in named and not given.mentions(first)
