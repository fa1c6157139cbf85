"""The evidence of a task, read: the stems of each passage, and which passages are of one document.

What a question asks about is spread over a document: an abstract names the patients in its first sentences and the
outcome in its last. So whether a question can be answered is counted over documents, and a passage alone is what is
quoted from.

Terms are what a question asks about, each word weighted by its specificity. Weights are inverse document frequencies.
They come from the sources; where these cannot tell, the given passages stand in for them. Words that only ask
(`how many`, `what year`) occur in questions and not in answers, so a question is not measured by them.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from statistics import fmean
from typing import Final, TypeVar

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.subjects.quoting.quotable_sentences import Sentence, find_sentences
from elcano.text.languages import ENGLISH, get_current_language, language_of, languages_of, use_language
from elcano.text.stems import content_words, find_word_stem, list_stems, list_synonyms

LEAST_WEIGHT: Final = 0.1
"""A word that is everywhere still counts a little; weights below zero would punish finding it."""
SATURATION: Final = 1.2
"""BM25's k1: how much length matters."""
LENGTH_WEIGHT: Final = 0.4
"""BM25's b, below its usual 0.75: short sentences are often fragments."""
USUAL_LENGTH: Final = 12
"""Telling words of a usual sentence. A constant, so that a score means the same for any set of passages."""
LONGEST: Final = 1.5
"""Times the usual length; what is longer, a list for instance, does not lose more."""

_ASKED_WITH: Final = re.compile(
    r"\b(?:how (?:many|much|long|old|often)|when (?:was|were|did|had|has)"
    r"|(?:what|which) (?:\w+ )?(?:year|date|day|month|percent(?:age)?|number|amount|kinds?|types?)|put|takes?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Terms:
    """The terms of a question."""

    weights: Mapping[str, float]
    """By stem."""
    written: Mapping[str, str]
    """By stem, the word as the question has it."""

    @cached_property
    def total(self) -> float:
        """The weight of all terms together."""
        return sum(self.weights.values())

    def coverage(self, found: Collection[str]) -> float:
        """The share of the weight whose stems are among `found`, from 0 to 1; a question about nothing has 0."""
        return sum(self.weights[one] for one in self.weights if one in found) / self.total if self.total else 0.0

    def absent(self, found: Collection[str]) -> list[str]:
        """The stems that are not among `found`, the most telling first."""
        return sorted((one for one in self.weights if one not in found), key=lambda one: -self.weights[one])

    def missing(self, found: Collection[str]) -> tuple[str, ...]:
        """The words that are not among `found`, the most telling first."""
        return tuple(self.written[one] for one in self.absent(found))

    def of(self, text: str) -> "Terms":
        """Only the terms that occur in `text`, with the same weights."""
        here = set(list_stems(text))
        return Terms({one: weight for one, weight in self.weights.items() if one in here}, self.written)

    def fit(self, own: Sequence[str]) -> float:
        """Score the stems of a sentence: BM25 with a fixed usual length, each term counted once."""
        length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * min(len(own) / USUAL_LENGTH, LONGEST)
        return self.coverage(set(own)) * (SATURATION + 1) / (1 + SATURATION * length)


def weigh_terms(question: str, given: Mapping[str, float], passages: Sequence[Collection[str]]) -> Terms:
    """The terms of `question`, weighted by `given` (by word), or else by their frequency among `passages` (stems)."""
    asked = content_words(_ASKED_WITH.sub(" ", question)) or content_words(question)
    written = {find_word_stem(word): word for word in asked}
    known: dict[str, float] = {}
    for word, weight in given.items():
        stem = find_word_stem(word.lower())
        known[stem] = max(weight, known.get(stem, 0.0))
    unknown = max(known.values(), default=0.0)
    weights = {one: known.get(one, unknown) if known else _compute_rarity(one, passages) for one in written}
    usual = fmean(weights.values()) if weights else 0.0
    # A word counts for all of its kin, which together are more frequent than the one that was asked with.
    bounded = {one: min(weight, usual) if list_synonyms(written[one]) else weight for one, weight in weights.items()}
    return Terms({one: max(weight, LEAST_WEIGHT) for one, weight in bounded.items()}, written)


def _compute_rarity(one: str, passages: Sequence[Collection[str]]) -> float:
    """The inverse document frequency of BM25 in the form that is never negative."""
    holding = sum(one in passage for passage in passages)
    return math.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))


RELATED_CHARACTERS: Final = 5
RELATED_ENDING: Final = 3
"""Words are related if they begin with the same letters, at least five, and up to the last three of a stem."""
RELATED_SHARE: Final = 0.5
"""The weight of a related word, such as `embolic` for `embolism`: on PubMedQA that lowered wrong answers at 90 % of
right ones from 12.8 to 10.4 %."""
COMPOUNDING: Final = frozenset({"de", "nl", "sv", "da", "no"})
"""Languages that write several words as one, so that a question may have a part of what a text has, or more."""
LANGUAGE_PASSAGES: Final = 30
"""Passages that show which languages to expect of a question."""

_Answer = TypeVar("_Answer")
_PLACE: Final = re.compile(r"(?:#[^#]*|, (?:page|paragraph) \d+)$")


@dataclass(frozen=True)
class Passage:
    """One passage, read."""

    item: EvidenceItem
    found: frozenset[str]
    """Its stems, those of its title and headings included: a page on a subject need not keep naming it."""
    above: frozenset[str]
    """Stems of its title and headings alone."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The quotable sentences."""
        return tuple(find_sentences(self.item.text))

    @property
    def headings(self) -> Iterator[list[str]]:
        """The stems of each heading above it, the nearest first, and of its title."""
        return (list_stems(one) for one in reversed([self.item.title, *self.item.heading.split(" > ")]))

    @cached_property
    def lower(self) -> str:
        """Its title, headings and text in lower case."""
        return f"{self.item.title}\n{self.item.heading}\n{self.item.text}".lower()

    @cached_property
    def document(self) -> str:
        """Return the identity of its document: its title without the heading, and the locator without the place."""
        return f"{self.item.title.split(' > ')[0]}\n{_PLACE.sub('', self.item.locator)}"


@dataclass(frozen=True)
class Material:
    """An envelope's evidence with the terms of its question."""

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

    def best_passage_coverage(self, terms: Terms) -> float:
        """The share of `terms` that the best single passage holds."""
        return max((terms.coverage(passage.found) for passage in self.passages), default=0.0)

    def best_document_coverage(self, terms: Terms) -> float:
        """The share of `terms` that the best single document holds; a related word counts half."""
        return max((_cover_with_related(terms, found) for found in self.documents.values()), default=0.0)

    def find_leading_document(self, terms: Terms) -> str:
        """The document that holds most of `terms`."""
        return max(self.documents, key=lambda one: _cover_with_related(terms, self.documents[one]), default="")


def in_question_language(answer: Callable[[TaskEnvelope], _Answer]) -> Callable[[TaskEnvelope], _Answer]:
    """`answer`, reading words in the language of its task's question, whatever language the evidence is in.

    Rules on how English is worded hold for English alone and are silent elsewhere.
    """

    @wraps(answer)
    def answer_in_language(task: TaskEnvelope) -> _Answer:
        found = languages_of([item.text for item in task.evidence[:LANGUAGE_PASSAGES] if item.text])
        with use_language(language_of(task.question, found)):
            return answer(task)

    return answer_in_language


def is_english() -> bool:
    """Whether the task is in English."""
    return get_current_language() == ENGLISH


def read_material(task: TaskEnvelope) -> Material:
    """The evidence and the question of `task`, read."""
    passages = tuple(map(_read_passage, task.evidence))
    return Material(passages, weigh_terms(task.question, task.term_weights, [one.found for one in passages]))


def _read_passage(item: EvidenceItem) -> Passage:
    above = frozenset(list_stems(f"{item.title}\n{item.heading}"))
    return Passage(item, above.union(list_stems(item.text)), above)


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
