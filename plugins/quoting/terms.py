"""Terms: what a question asks about, each word weighted by how much it tells.

Weights are inverse document frequencies. They come from the sources; where these cannot tell, the given passages stand
in for them.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Final

from elcano.activities.text.stems import (
    content_words,
    find_word_root,
    find_word_stem,
    list_stems,
    list_synonyms,
    list_verb_forms,
)
from elcano.activities.text.stopwords import ASKED_NOUNS
from elcano.activities.text.words import split_words
from elcano.plugins.quoting.facts import subject_of

LEAST_WEIGHT: Final = 0.1
"""A word that is everywhere still counts a little; weights below zero would punish finding it."""
FEW_WORDS: Final = 3
"""A question of no more telling words is also measured by nouns that others only ask with, such as `types`."""

SATURATION: Final = 1.2
"""BM25's k1: how much length matters."""
LENGTH_WEIGHT: Final = 0.4
"""BM25's b, below its usual 0.75: short sentences are often fragments."""
USUAL_LENGTH: Final = 12
"""Telling words of a usual sentence. A constant, so that a score means the same for any set of passages."""
LONGEST: Final = 1.5
"""Times the usual length; what is longer, a list for instance, does not lose more."""


@dataclass(frozen=True)
class Terms:
    """What a question asks about."""

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

    def missing(self, found: Collection[str]) -> tuple[str, ...]:
        """The words that are not among `found`, the most telling first."""
        return tuple(self.written[one] for one in self.absent(found))

    def absent(self, found: Collection[str]) -> list[str]:
        """The stems that are not among `found`, the most telling first."""
        return sorted((one for one in self.weights if one not in found), key=lambda one: -self.weights[one])

    def of(self, text: str) -> "Terms":
        """Only the terms that occur in `text`, with the same weights."""
        here = set(list_stems(text))
        return Terms({one: weight for one, weight in self.weights.items() if one in here}, self.written)


def fit_of(own: Sequence[str], terms: Terms) -> float:
    """BM25 with a fixed usual length, each term counted once: in one sentence a repetition tells nothing new."""
    long = min(len(own) / USUAL_LENGTH, LONGEST)
    length = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * long)
    return terms.coverage(set(own)) * (SATURATION + 1) / (1 + length)


def weighted(
    question: str, given: Mapping[str, float], passages: Sequence[Collection[str]], texts: Sequence[str] = ()
) -> Terms:
    """The terms of `question`, weighted by `given` (by word), or else by their frequency among `passages` (stems).

    `texts` are the passages in lower case, as they are written.
    """
    asked = content_words(subject_of(question)) or content_words(question)
    written = {find_word_stem(word): word for word in asked}
    if given:
        by_stem: dict[str, float] = {}
        for word, weight in given.items():
            key = find_word_stem(word.lower())
            by_stem[key] = max(weight, by_stem.get(key, 0.0))
        unknown = max(by_stem.values())
        weights = {one: by_stem.get(one, unknown) for one in written}
        _bound_forms(weights, written, passages, texts)
    else:
        weights = {one: _frequency_weight(one, passages) for one in written}
    usual = fmean(weights.values()) if weights else 0.0
    if 0 < len(asked) <= FEW_WORDS:
        for word in ASKED_NOUNS.intersection(split_words(subject_of(question))).difference(asked):
            written[find_word_stem(word)], weights[find_word_stem(word)] = word, usual / 2
    # A word stands for all of its kin, which together are more frequent than the one that was asked with.
    bounded = {one: min(weight, usual) if list_synonyms(written[one]) else weight for one, weight in weights.items()}
    return Terms({one: max(weight, LEAST_WEIGHT) for one, weight in bounded.items()}, written)


def _bound_forms(
    weights: dict[str, float], written: Mapping[str, str], passages: Sequence[Collection[str]], texts: Sequence[str]
) -> None:
    """Who counts `lose` in the sources does not count `lost`: a verb found in other forms alone is not rare."""
    for one, word in written.items():
        if not list_verb_forms(word) or not any(one in passage for passage in passages):
            continue
        as_asked = re.compile(rf"\b{re.escape(find_word_root(word))}")
        if not any(as_asked.search(text) for text in texts):
            others = max((weight for other, weight in weights.items() if other != one), default=weights[one])
            weights[one] = min(weights[one], others)


def _frequency_weight(one: str, passages: Sequence[Collection[str]]) -> float:
    """The inverse document frequency of BM25 in the form that is never negative."""
    holding = sum(one in passage for passage in passages)
    return math.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))
