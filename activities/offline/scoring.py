"""How well sentences and passages fit a question: words in common, weighted by how much they tell.

A sentence's score is 0.6 of its own words and 0.4 of its passage's. On XQuAD questions over passages that a search
found, that chose a sentence with the answer first for 74 % and among five for 95 %; centrality measures stayed below
half of that, and sentence embeddings added one point.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from activities.agents.envelope import EvidenceItem, TaskEnvelope
from activities.offline.sentences import Sentence, sentences
from activities.offline.terms import Terms, content_words, stem, stems, weighted, words

SENTENCE_SHARE: Final = 0.6
SATURATION: Final = 1.2
"""BM25's k1: how soon repeating a word stops helping."""
LENGTH_WEIGHT: Final = 0.4
"""BM25's b, below its usual 0.75: short sentences are often fragments."""
USUAL_LENGTH: Final = 12
"""Telling words of a usual sentence. A constant, so that a score means the same for any set of passages."""
NAME_CHARACTERS: Final = 5
"""From this length on a word that a title's word begins with is taken for its subject."""

_DANGLING: Final = re.compile(
    r"^[\W_]*(?:this|that|these|those|it|its|they|their|them|he|she|such|however|but|also|then|so|therefore|thus|hence|"
    r"instead|otherwise|additionally|furthermore|moreover|similarly|both|here|there|and|or|in (?:this|that|these|such)|"
    r"because of (?:this|that)|which|who|for (?:this|that)|as a result|the (?:former|latter|above|following|same))\b",
    re.IGNORECASE,
)
_POINTER: Final = re.compile(
    r"^[\W_]*(?:see|for (?:more|further|a|an|details)|check out|read more|refer to|visit|learn more|have a look|"
    r"take a look|more (?:information|details)|head over|note that this readme)\b"
    r"|^[\W_]*to [^.]*\b(?:see|visit|refer to|check out)\b"
    r"|\b(?:sections?|examples?|described|shown|listed) (?:below|above)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\b(?:change ?logs?|changes|what['\u2019]s (?:changed|new)|release notes|release history|news|history|fixed|fixes|"
    r"added)\b"
    r"|\b(?:contributing|licen[cs]e|sponsors|credits)\b"
    r"|\bv?\d+\.\d+(?:\.\d+)?\b.*\d{4}",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(r":[\w:-]+:`")
"""Cross-references of reStructuredText: of two sources of one text the one without them reads better."""
_ENTRY: Final = re.compile(r"^[*_]*`[^`]+`[*_]*\s+(?:-|\u2013|\u2014)")
_CHANGE_ENTRY: Final = re.compile(r"\bby @\w|\(?#\d+\)?[.)]*$")
_CHANGE_ASKED: Final = re.compile(
    r"\b(?:changed?|changes|changelog|release[ds]?|version|new|news|added|fix(?:ed|es)?)\b", re.I
)
_DEFINITION_ASKED: Final = re.compile(r"^\W*(?:what (?:is|are|does)\b|how (?:do|does) [^?,;]+ work\b)", re.IGNORECASE)
_DEFINES: Final = re.compile(r"^[^.;:]{1,60}?\b(?:is|are) (?:an?|the|used|what|how)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """One passage, read."""

    item: EvidenceItem
    found: frozenset[str]
    """Its stems, those of its title and headings included: a page on a subject need not keep naming it."""

    @cached_property
    def aside(self) -> bool:
        """Whether it lists changes or gives thanks: what once was rarely says what is."""
        return _ASIDE.search(f"{self.item.title}\n{self.item.heading}") is not None

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """What can be quoted from it."""
        return tuple(sentences(self.item.text))


@dataclass(frozen=True)
class Material:
    """An envelope's evidence beside the terms of its question."""

    passages: tuple[Passage, ...]
    terms: Terms

    @cached_property
    def found(self) -> frozenset[str]:
        """The stems of all passages together."""
        return frozenset().union(*(passage.found for passage in self.passages))

    def on_subject(self, about: str | None) -> "Material":
        """Only the passages that hold the stem `about`: the same words in a text on something else answer nothing."""
        if about is None:
            return self
        return Material(tuple(one for one in self.passages if about in one.found), self.terms)

    def best_coverage(self, terms: Terms) -> float:
        """The share of `terms` that the best single passage holds."""
        return max((terms.coverage(passage.found) for passage in self.passages), default=0.0)


@dataclass(frozen=True)
class Candidate:
    """A sentence that may be quoted, with the one before it if its meaning depends on that."""

    passage: int
    """Position of the passage in the envelope."""
    start: int
    end: int
    text: str
    stems: frozenset[str]
    score: float

    def extends(self, other: "Candidate") -> bool:
        """Whether it quotes all of `other` and more."""
        mine, theirs = (self.start, self.end), (other.start, other.end)
        return self.passage == other.passage and mine != theirs and mine[0] <= theirs[0] and theirs[1] <= mine[1]

    @property
    def place(self) -> tuple[int, int]:
        """For sorting into the order of the sources."""
        return self.passage, self.start


def material(task: TaskEnvelope) -> Material:
    """The evidence and the question of `task`, read."""
    asked = {stem(word): word for word in content_words(task.question)}
    passages = tuple(Passage(item, _found(item, asked)) for item in task.evidence)
    terms = weighted(task.question, task.term_weights, [passage.found for passage in passages])
    return Material(passages, terms)


def _found(item: EvidenceItem, asked: Mapping[str, str]) -> frozenset[str]:
    above = f"{item.title}\n{item.heading}"
    found = set(stems(f"{above}\n{item.text}"))
    names = words(above)
    # Products are called after their subject: the page of `temporalio` is about Temporal.
    found.update(
        one
        for one, word in asked.items()
        if len(word) >= NAME_CHARACTERS and any(name.startswith(word) for name in names)
    )
    return frozenset(found)


def candidates(given: Material, terms: Terms, question: str, about: str | None) -> list[Candidate]:
    """Every quotable sentence that shares a word with `terms`, scored, best first.

    `about` is the stem of what the whole question is about: passages without it may use the same words of something
    else, and a sentence that shares nothing but it says nothing on the question.
    """
    asked = _Asked(
        terms=terms,
        whole=given.terms,
        about=about,
        definition=_DEFINITION_ASKED.match(question) is not None,
        changes=_CHANGE_ASKED.search(question) is not None,
    )
    found = [candidate for number, passage in enumerate(given.passages) for candidate in asked.of(number, passage)]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.place))


@dataclass(frozen=True)
class _Asked:
    terms: Terms
    whole: Terms
    about: str | None
    definition: bool
    changes: bool

    def of(self, number: int, passage: Passage) -> Iterator[Candidate]:
        """The candidates of one passage, in its order."""
        context = (1 - SENTENCE_SHARE) * self.whole.coverage(passage.found)
        factor = self._factor(passage)
        before: Sentence | None = None
        for sentence in passage.sentences:
            start, dangling = _beginning(sentence, before)
            before = sentence
            text = passage.item.text[start : sentence.end]
            own = stems(text)
            fit = self._fit_of(own)
            if fit == 0 or not any(one in self.terms.weights for one in stems(sentence.text)):
                continue
            score = (SENTENCE_SHARE * fit + context) * factor * dangling * _penalty(sentence)
            if self.definition and _DEFINES.match(text):
                score *= 1.25
            yield Candidate(number, start, sentence.end, text, frozenset(own), score)

    def _factor(self, passage: Passage) -> float:
        factor = 1.0 if self.about is None or self.about in passage.found else 0.5
        return factor * 0.6 if passage.aside and not self.changes else factor

    def _fit_of(self, own: Sequence[str]) -> float:
        fit = _fit(own, self.terms)
        only_about = {one for one in own if one in self.terms.weights} == {self.about}
        return fit * 0.5 if only_about and len(self.terms.weights) > 1 else fit


def _fit(own: Sequence[str], terms: Terms) -> float:
    """BM25 with a fixed usual length, as a share of what holding each term once would give."""
    length = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(own) / USUAL_LENGTH)
    counts = Counter(one for one in own if one in terms.weights)
    score = sum(terms.weights[one] * times * (SATURATION + 1) / (times + length) for one, times in counts.items())
    return score / terms.total if terms.total else 0.0


def _penalty(sentence: Sentence) -> float:
    """Pointers to other texts are no findings; list items and links read worse than plain sentences."""
    penalty = 0.5 if _POINTER.match(sentence.text) else 1.0
    if _CHANGE_ENTRY.search(sentence.text):
        penalty *= 0.5
    if not sentence.whole:
        penalty *= 0.7
    if _ENTRY.match(sentence.text):
        penalty *= 0.7
    if _ROLE.search(sentence.text):
        penalty *= 0.95
    return penalty * 0.9 if sentence.links else penalty


def _beginning(sentence: Sentence, before: Sentence | None) -> tuple[int, float]:
    """Where the quote begins and what that costs: `This ...` needs the sentence before it, or says nothing."""
    if not _DANGLING.match(sentence.text):
        return sentence.start, 1.0
    adjoins = before is not None and before.block == sentence.block and sentence.start - before.end <= 2
    if before is None or not adjoins or _DANGLING.match(before.text):
        return sentence.start, 0.6
    return before.start, 0.9
