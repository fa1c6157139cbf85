"""The evidence of a task, read: the stems of each passage, and which passages are of one document.

What a question asks about is spread over a document: an abstract names the patients in its first sentences and the
outcome in its last. So whether a question can be answered is counted over documents, and a passage alone is what is
quoted from.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from elcano.activities.text.languages import get_current_language
from elcano.activities.text.stems import content_words, find_word_stem, list_stems
from elcano.activities.text.words import split_words
from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.plugins.quoting.question_terms import Terms, weigh_terms
from elcano.plugins.quoting.quotable_sentences import Sentence, find_sentences

NAME_CHARACTERS: Final = 5
"""From this length on a word that a title's word begins with is taken for its subject."""
RELATED_CHARACTERS: Final = 5
RELATED_ENDING: Final = 3
"""Words are related if they begin with the same letters, at least five, and up to the last three of a stem."""
RELATED_SHARE: Final = 0.5
"""The weight of a related word, such as `embolic` for `embolism`: on PubMedQA that lowered wrong answers at 90 % of
right ones from 12.8 to 10.4 %."""
COMPOUNDING: Final = frozenset({"de", "nl", "sv", "da", "no"})
"""Languages that write several words as one, so that a question may have a part of what a text has, or more."""

_PLACE: Final = re.compile(r"(?:#[^#]*|, (?:page|paragraph) \d+)$")


@dataclass(frozen=True)
class Passage:
    """One passage, read."""

    item: EvidenceItem
    found: frozenset[str]
    """Its stems, those of its title and headings included: a page on a subject need not keep naming it."""
    above: frozenset[str]
    """Those of its title and headings alone."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The quotable sentences."""
        return tuple(find_sentences(self.item.text))

    @cached_property
    def lower(self) -> str:
        """Its title, headings and text in lower case."""
        return f"{self.item.title}\n{self.item.heading}\n{self.item.text}".lower()

    @cached_property
    def document(self) -> str:
        """What tells its document from others: its title without the heading, and the locator without the place."""
        return f"{self.item.title.split(' > ')[0]}\n{_PLACE.sub('', self.item.locator)}"


@dataclass(frozen=True)
class Material:
    """An envelope's evidence beside the terms of its question."""

    passages: tuple[Passage, ...]
    terms: Terms

    @cached_property
    def found(self) -> frozenset[str]:
        """The stems of all passages together."""
        return frozenset().union(*(passage.found for passage in self.passages))

    @cached_property
    def documents(self) -> Mapping[str, frozenset[str]]:
        """The stems of each document, those of its passages together."""
        by_name: dict[str, frozenset[str]] = {}
        for passage in self.passages:
            by_name[passage.document] = by_name.get(passage.document, frozenset()) | passage.found
        return by_name

    def keep_subject(self, about: str | None) -> "Material":
        """Only the passages that hold the stem `about`: the same words in a text on something else answer nothing."""
        if about is None:
            return self
        return replace(self, passages=tuple(one for one in self.passages if about in one.found))

    def best_passage_coverage(self, terms: Terms) -> float:
        """The share of `terms` that the best single passage holds."""
        return max((terms.coverage(passage.found) for passage in self.passages), default=0.0)

    def best_document_coverage(self, terms: Terms) -> float:
        """The share of `terms` that the best single document holds; a related word counts half."""
        return max((_cover_with_related(terms, found) for found in self.documents.values()), default=0.0)

    def find_leading_document(self, terms: Terms) -> str:
        """The document that holds most of `terms`."""
        return max(self.documents, key=lambda one: _cover_with_related(terms, self.documents[one]), default="")

    def mentions(self, one: str) -> bool:
        """Whether any passage holds the stem `one`, or a word related to it."""
        return one in self.found or _has_related(one, self.found)


def read_material(task: TaskEnvelope) -> Material:
    """The evidence and the question of `task`, read."""
    asked = {find_word_stem(word): word for word in content_words(task.question)}
    passages = tuple(_read_passage(item, asked) for item in task.evidence)
    return Material(passages, weigh_terms(task.question, task.term_weights, [one.found for one in passages]))


def _read_passage(item: EvidenceItem, asked: Mapping[str, str]) -> Passage:
    title = f"{item.title}\n{item.heading}"
    above = set(list_stems(title))
    names = split_words(title)
    # Products are called after their subject: the page of `temporalio` is about Temporal.
    above.update(
        one
        for one, word in asked.items()
        if len(word) >= NAME_CHARACTERS and any(name.startswith(word) for name in names)
    )
    return Passage(item, frozenset(above.union(list_stems(item.text))), frozenset(above))


def _cover_with_related(terms: Terms, found: Collection[str]) -> float:
    related = sum(terms.weights[one] for one in terms.weights if one not in found and _has_related(one, found))
    return terms.coverage(found) + (RELATED_SHARE * related / terms.total if related else 0.0)


def _has_related(one: str, found: Collection[str]) -> bool:
    if len(one) < RELATED_CHARACTERS:
        return False
    beginning = one[: max(RELATED_CHARACTERS, len(one) - RELATED_ENDING)]
    if any(other.startswith(beginning) for other in found):
        return True
    return get_current_language() in COMPOUNDING and any(
        _is_part(other, one) or _is_part(one, other) for other in found
    )


def _is_part(part: str, compound: str) -> bool:
    """Whether a compound ends with `part`, as `fußballspiel` does with `spiel`, or begins with it."""
    return RELATED_CHARACTERS <= len(part) < len(compound) and (compound.endswith(part) or compound.startswith(part))
