"""Chooses the language of a report's fixed words: that of the question, detected with the help of its results."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from elcano.activities.phrases import Phrases, get_phrases
from elcano.activities.text.language_detection import language_of, languages_of
from elcano.storage.evidence import Evidence

LOOKED_AT: Final = 30
"""Passages that tell which languages to expect of a question."""


def words_for(question: str, evidence: Iterable[Evidence]) -> Phrases:
    """The fixed words of a report on `question`, of which `evidence` was found."""
    found = languages_of([passage.text for passage in islice(evidence, LOOKED_AT)])
    return get_phrases(language_of(question, found))
