"""Terms: what a question asks about, each word weighted by how much it tells.

Weights are inverse document frequencies. They come from the sources; where these cannot tell, the given passages stand
in for them. Words that only ask (`how many`, `what year`) stand in questions and not in answers, so a question is not
measured by them.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Final

from elcano.activities.text.stems import content_words, find_word_stem, list_stems, list_synonyms

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
        """How well the stems of a sentence fit: BM25 with a fixed usual length, each term counted once."""
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
    # A word stands for all of its kin, which together are more frequent than the one that was asked with.
    bounded = {one: min(weight, usual) if list_synonyms(written[one]) else weight for one, weight in weights.items()}
    return Terms({one: max(weight, LEAST_WEIGHT) for one, weight in bounded.items()}, written)


def _compute_rarity(one: str, passages: Sequence[Collection[str]]) -> float:
    """The inverse document frequency of BM25 in the form that is never negative."""
    holding = sum(one in passage for passage in passages)
    return math.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))
