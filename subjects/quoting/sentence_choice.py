"""Which sentences are quoted: the best for each part, for all of the question, and a result of each study cited.

How well a sentence fits a question are words in common, weighted by how much they tell. On XQuAD that alone puts a
sentence with the answer first for 85 % of the questions that are answered. In a manual, where many sentences hold a
question's words without answering, it counts as well where a sentence stands and whether it says what the subject is.

Results are added, not weighed up: an aim shares more words with the question than the result does, and it is what finds
the right study.

Who asks what something is or does is given sentences on that thing, not on others that mention it; and no sentence on
what `it` is where nothing shows that this is what the question is about.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from elcano.subjects.quoting.passages import USUAL_LENGTH, Material, Passage, Terms, is_english
from elcano.subjects.quoting.question_parts import find_subject, list_names
from elcano.subjects.quoting.quotable_sentences import Sentence, read_plainly
from elcano.subjects.quoting.study_results import is_aim, is_study, measure_results
from elcano.text.stems import list_stems

ELSEWHERE: Final = 0.1
"""For a passage without the name that the question is about: it may use the same words of something else."""
SHORT: Final = 3
"""Telling words of a question that a sentence on someone else holds most of."""
HEADED: Final = 0.5
"""A text is a manual if more than this share of its passages stands below headings."""
FOCUSED: Final = 0.6
"""Weight of a manual's heading that consists of the question's words alone."""
DEFINING: Final = 1.6
"""For a sentence that says what the subject is, to who asks that."""
NAMED: Final = 0.5
"""A subject with a smaller share of the question is taken for something more general."""

_WHOLE_WORKS: Final = re.compile(r"^packages \(|\b(?:articles|preprints|trials)\)$")
"""The sources of readmes and of literature: each is a whole of its own on another thing, no reference."""
_LEANING: Final = re.compile(
    r"^[\W_]*(?:this|that|these|those|its?|they|their|them|he|she|such|however|but|also|then|so|therefore|thus|here|"
    r"there|both|the (?:other|former|latter|same))\b",
    re.IGNORECASE,
)
_REFERRING: Final = re.compile(r"^[\W_]*(?:this|that|these|those|its?|they|their|them)\b", re.IGNORECASE)
"""Beginning of a sentence whose subject is in the one before it."""
_DEFINITION_ASKED: Final = re.compile(r"^\W*(?:what (?:is|are|does)\b|how (?:do|does) [^?,;]+ work\b)", re.IGNORECASE)
_SUBJECT_ASKED: Final = re.compile(
    r"^\W*what (?:(?:is|are) (?:an? )?(?!(?:the|this|that|these|those|your|its|their)\b)"
    r"(?P<is>[\w.+#-]+(?: [\w.+#-]+)?)"
    r"|do(?:es)? (?:an? |the )?(?P<does>[\w.+#-]+(?: [\w.+#-]+)?) (?:do|mean))\W*$",
    re.IGNORECASE,
)
"""A question for what something of one or two words is or does, and for nothing else."""
_AFTER_PREPOSITION: Final = re.compile(
    r"\b(?:of|for|with|in|on|to|by|from|about|using|via)\b.*", re.IGNORECASE | re.DOTALL
)
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
    if subject := find_defined_subject(question):
        found = [one for one in found if one.defining or _is_about(one, given.passages[one.passage], subject)]
    return sorted(found, key=lambda one: (-one.score, len(one.text), one.passage, one.start))  # Markup is longer.


def find_defined_subject(question: str) -> frozenset[str]:
    """The stems of what a question wants to know what it is or does, if it asks for nothing else; else none."""
    asked = _SUBJECT_ASKED.match(question) if is_english() else None
    return frozenset(list_stems(asked["is"] or asked["does"])) if asked else frozenset()


def _is_about(one: Candidate, passage: Passage, subject: frozenset[str]) -> bool:
    """Whether a sentence speaks of `subject`, rather than of something else that has to do with it.

    It begins with it, names it before the verb that says what something is, or stands right below it as the heading.
    """
    text = read_plainly(one.text)
    first = list_stems(text)[: len(subject)]
    if subject == set(first) and not _LEANING.match(text):
        return True
    defines = _DEFINES.match(text)
    phrase = defines["subject"] if defines else ""
    if subject <= set(list_stems(_AFTER_PREPOSITION.sub("", phrase))):
        return True
    nearest = next((stems for stems in passage.headings if stems), [])
    return subject == set(nearest)


def is_manual(given: Material) -> bool:
    """Whether most of what was found stands below headings, in texts that treat a subject page by page."""
    headed = sum(bool(one.item.heading.strip()) and not _WHOLE_WORKS.search(one.item.source) for one in given.passages)
    return headed > HEADED * len(given.passages)


def find_beginning(sentence: Sentence, before: Sentence | None) -> int:
    """Find where the quote begins: `This ...` is quoted with the sentence before it in its paragraph."""
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
        if _refers_elsewhere(passage, start, sentence, terms):
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


def _refers_elsewhere(passage: Passage, start: int, sentence: Sentence, terms: Terms) -> bool:
    """Whether a sentence speaks of `it`, and neither what is quoted before it nor a heading has a word of the question.

    Then its words of the question are said of something else, which it does not even name.
    """
    if not is_english() or not _REFERRING.match(sentence.text):
        return False
    before = list_stems(passage.item.text[start : sentence.start])
    return terms.weights.keys().isdisjoint(passage.above.union(before))


def _is_on_another(names: set[str], passage: Passage, place: int) -> bool:
    """Whether a sentence names someone, and neither it nor what stands above and next to it has one of `names`."""
    if not names or names & passage.above or not list_names(passage.sentences[place].text):
        return False
    beside = passage.sentences[max(0, place - 1) : place + 2]
    return names.isdisjoint(list_stems(passage.item.text[beside[0].start : beside[-1].end]))


def _measure_focus(passage: Passage, terms: Terms) -> float:
    """The share of the nearest heading's words that the question has."""
    nearest = next((stems for stems in passage.headings if stems), [])
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


KEY_FINDINGS: Final = 3
PER_PASSAGE: Final = 3
NEAR: Final = 0.6
"""A further finding has this share of the best one's score."""
FURTHER: Final = 0.7
STRONG: Final = 0.6
LEADING: Final = 0.1
"""A sentence in a section has this share of the best score for its part and is strong, or at least leads and is in the
document that holds most."""
TWIN: Final = 0.7
"""Two sentences that share this much of the shorter one's telling words say the same."""
MANUAL_HELD: Final = 0.8
"""In a manual a sentence is quoted if it holds this share of the question together with its headings."""


def choose_findings(given: Material, question: str, parts: Sequence[str], floor: float = 0.0) -> list[Candidate]:
    """The best sentence for each part of the question that has several, then the best for all of it."""
    chosen: list[Candidate] = []
    for part in parts[:KEY_FINDINGS]:
        add_best(chosen, score_sentences(given, part, given.terms.of(part)), len(chosen) + 1, floor)
    ranked = score_sentences(given, question, given.terms)
    if is_manual(given):
        ranked = keep_holding(ranked)
    if not chosen:
        add_best(chosen, ranked, 1, floor)
        if any(one.defining for one in chosen):
            ranked = [one for one in ranked if one.defining]
        near = NEAR * max((one.score for one in chosen), default=0.0)
        add_best(chosen, ranked, KEY_FINDINGS, max(floor, near, LEADING))
    return chosen


def keep_holding(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Keep candidates that hold enough of the question for a manual, with what is above them."""
    return [one for one in ranked if one.held >= MANUAL_HELD and one.together]


def add_best(chosen: list[Candidate], ranked: Sequence[Candidate], wanted: int, floor: float) -> None:
    """Adds to `chosen` until it has `wanted` sentences: the best that says something new, again and again."""
    for one in ranked:
        if len(chosen) >= wanted or one.score < floor:
            return
        if Counter(other.passage for other in chosen)[one.passage] < PER_PASSAGE and not _is_said(one, chosen):
            chosen[:] = [*(other for other in chosen if not one.extends(other)), one]


def choose_further(
    given: Material, terms: Terms, chosen: Sequence[Candidate], ranked: Sequence[Candidate], wanted: int
) -> list[Candidate]:
    """Choose sentences that say more than `chosen` and nearly as well; nothing that quotes what is quoted already.

    The document that holds most of `terms`, what the part asks about, is trusted further than others: of a question of
    several parts that may be another one for each.
    """
    trusted = given.find_leading_document(terms)
    floor = max(STRONG, FURTHER * max((one.score for one in ranked), default=0.0))
    fresh = [one for one in ranked if not any(one.overlaps(other) for other in chosen) and not _only_aims(given, one)]
    new = list(chosen)
    fit = [one for one in fresh if one.score >= floor or given.passages[one.passage].document == trusted]
    add_best(new, fit, len(new) + wanted, LEADING)
    return [one for one in new if one not in chosen]


def add_results(given: Material, chosen: Sequence[Candidate]) -> list[Candidate]:
    """`chosen` with the best result of each study that it cites, in the place of a sentence that only says an aim."""
    kept: list[Candidate] = []
    for one in chosen:
        result = _find_result(given, given.passages[one.passage].document)
        if result is not None and not any(result.overlaps(other) for other in (*chosen, *kept)):
            kept.append(result)
        if result is None or not is_aim(one.text):
            kept.append(one)
    return kept


def _find_result(given: Material, document: str) -> Candidate | None:
    """The sentence of a study that is a result most clearly; None if it has none."""
    passages = [(number, one) for number, one in enumerate(given.passages) if one.document == document]
    if not is_study([one for _, one in passages]):
        return None
    found: list[Candidate] = []
    for number, passage in passages:
        before = None
        for sentence, measure in measure_results(passage):
            start = find_beginning(sentence, before)
            before = sentence
            text = passage.item.text[start : sentence.end]
            if measure > 0:
                stems = frozenset(list_stems(read_plainly(text)))
                found.append(Candidate(number, start, sentence.end, text, stems, measure))
    return max(found, key=lambda one: one.score, default=None)


def _only_aims(given: Material, one: Candidate) -> bool:
    """Whether a sentence says only what a study wanted to know."""
    document = given.passages[one.passage].document
    return is_aim(one.text) and is_study([other for other in given.passages if other.document == document])


def _is_said(one: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Whether a chosen sentence says the same; the longer of two that overlap may take the other's place."""
    return any(
        not one.extends(other)
        if one.overlaps(other)
        else len(one.stems & other.stems) >= TWIN * max(1, min(len(one.stems), len(other.stems)))
        for other in chosen
    )
