"""How well sentences fit a question: words in common, weighted by how much they tell.

On XQuAD that alone puts a sentence with the answer first for 85 % of the questions that are answered. In a manual,
where many sentences hold a question's words without answering, it counts as well where a sentence stands and whether
it says what the subject is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from elcano.activities.text.stems import list_stems
from elcano.plugins.quoting.passages import USUAL_LENGTH, Material, Passage, Terms, is_english
from elcano.plugins.quoting.question_parts import find_subject, list_names
from elcano.plugins.quoting.quotable_sentences import Sentence, read_plainly

ELSEWHERE: Final = 0.1
"""For a passage without the name that the question is about: it may use the same words of something else."""
SHORT: Final = 3
"""Telling words of a question that a sentence on somebody else holds most of."""
HEADED: Final = 0.5
"""A text is a manual if more than this share of its passages stands below headings."""
FOCUSED: Final = 0.6
"""What a heading adds in a manual that is made of the question's words alone."""
DEFINING: Final = 1.6
"""For a sentence that says what the subject is, to who asks that."""
NAMED: Final = 0.5
"""What is said of a subject with a smaller share of the question is said of something more general."""

_WHOLE_WORKS: Final = re.compile(r"^packages \(|\b(?:articles|preprints|trials)\)$")
"""The sources of readmes and of literature: each is a whole of its own on another thing, no reference."""
_LEANING: Final = re.compile(
    r"^[\W_]*(?:this|that|these|those|its?|they|their|them|he|she|such|however|but|also|then|so|therefore|thus|here|"
    r"there|both|the (?:other|former|latter|same))\b",
    re.IGNORECASE,
)
_DEFINITION_ASKED: Final = re.compile(r"^\W*(?:what (?:is|are|does)\b|how (?:do|does) [^?,;]+ work\b)", re.IGNORECASE)
_DEFINES: Final = re.compile(
    r"^[\W_]*(?P<subject>[^.;:]{1,70}?) (?:\([^()]*\) )?(?:(?:is|are)(?= (?:an?|the|one|any|used|called|\w+ing)\b)"
    r"|means?|refers? to|represents?|provides?|allows?|lets?|consists? of)\b"
)


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
    held: float = 1.0
    """The share of the question that it holds with what stands above it."""
    defining: bool = False
    """It says what the subject of the question is or does."""
    together: bool = True
    """Words that stand together in the question do so in it or above it, or it is short and holds all of them."""

    def overlaps(self, other: "Candidate") -> bool:
        """Whether both quote some of the same characters."""
        return self.passage == other.passage and self.start < other.end and other.start < self.end

    def extends(self, other: "Candidate") -> bool:
        """Whether it quotes all of `other` and more."""
        mine, theirs = (self.start, self.end), (other.start, other.end)
        return self.passage == other.passage and mine != theirs and mine[0] <= theirs[0] and theirs[1] <= mine[1]


def score_sentences(given: Material, question: str, terms: Terms) -> list[Candidate]:
    """Every quotable sentence that shares a word with `terms`, scored, best first."""
    names = {one for name in list_names(question) for one in list_stems(name)} if is_english() else set()
    about = names & {find_subject(question, given)}
    found = [
        replace(one, score=one.score * (1.0 if about <= passage.found else ELSEWHERE))
        for number, passage in enumerate(given.passages)
        for one in _score_passage(number, passage, question, terms, names)
    ]
    return sorted(found, key=lambda one: (-one.score, len(one.text), one.passage, one.start))  # Markup is longer.


def is_manual(given: Material) -> bool:
    """Whether most of what was found stands below headings, in texts that treat a subject page by page."""
    headed = sum(bool(one.item.heading.strip()) and not _WHOLE_WORKS.search(one.item.source) for one in given.passages)
    return headed > HEADED * len(given.passages)


def find_beginning(sentence: Sentence, before: Sentence | None) -> int:
    """Where the quote begins: `This ...` is quoted with the sentence before it in its paragraph."""
    leans = is_english() and _LEANING.match(sentence.text) is not None
    if not leans or before is None or before.block != sentence.block or _LEANING.match(before.text):
        return sentence.start
    return before.start if sentence.start - before.end <= 2 else sentence.start


def _score_passage(number: int, passage: Passage, question: str, terms: Terms, names: set[str]) -> Iterator[Candidate]:
    """The candidates of one passage, in its order."""
    before: Sentence | None = None
    for place, sentence in enumerate(passage.sentences):
        start = find_beginning(sentence, before)
        before = sentence
        if terms.weights.keys().isdisjoint(list_stems(sentence.text)):
            continue
        if len(terms.weights) <= SHORT and _is_on_another(names, passage, place):
            continue
        text = passage.item.text[start : sentence.end]
        own = list_stems(read_plainly(text))
        held = terms.coverage(passage.above.union(own))
        score = terms.fit(own)
        if passage.item.heading:
            score = (score + held) / 2 * (1 + FOCUSED * _measure_focus(passage, terms))
        defining = _is_definition(text, question, terms)
        whole = len(own) <= USUAL_LENGTH and terms.coverage(own) == 1.0
        together = whole or _is_together(text, passage, question)
        score *= DEFINING if defining else 1.0
        yield Candidate(number, start, sentence.end, text, frozenset(own), score, held, defining, together)


def _is_on_another(names: set[str], passage: Passage, place: int) -> bool:
    """Whether a sentence names somebody, and neither it nor what stands above and beside it has one of `names`."""
    if not names or names & passage.above or not list_names(passage.sentences[place].text):
        return False
    beside = passage.sentences[max(0, place - 1) : place + 2]
    return names.isdisjoint(list_stems(passage.item.text[beside[0].start : beside[-1].end]))


def _measure_focus(passage: Passage, terms: Terms) -> float:
    """The share of the nearest heading's words that the question has."""
    headings = (list_stems(one) for one in reversed([passage.item.title, *passage.item.heading.split(" > ")]))
    nearest = next((stems for stems in headings if stems), [])
    return sum(one in terms.weights for one in nearest) / max(1, len(nearest))


def _is_definition(text: str, question: str, terms: Terms) -> bool:
    """Whether `text` says what the question is about: only words of the question stand before its verb."""
    match = _DEFINES.match(text) if is_english() and _DEFINITION_ASKED.match(question) else None
    subject = set(list_stems(match["subject"])) if match else set()
    return subject <= terms.weights.keys() and terms.coverage(subject) >= NAMED


def _is_together(text: str, passage: Passage, question: str) -> bool:
    """Whether some of the question's neighbouring words stand together in a sentence or above it."""
    wanted = {frozenset(pair) for pair in pairwise(list_stems(question)) if pair[0] != pair[1]}
    said = [list_stems(one) for one in (text, passage.item.title, *passage.item.heading.split(" > "))]
    near = {frozenset(one) for words in said for gap in (1, 2) for one in zip(words, words[gap:], strict=False)}
    return not wanted or not wanted.isdisjoint(near)
