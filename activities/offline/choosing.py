"""Which sentences are quoted: the best for each part, for all of the question, and a result of each study cited.

Redundancy is kept out by maximal marginal relevance (Carbonell and Goldstein, 1998). Results are added, not weighed
up: an aim shares more words with the question than the result does, and it is what finds the right study.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from elcano.activities.offline.passages import Material
from elcano.activities.offline.planning import anchor, part_anchor
from elcano.activities.offline.results import RESULT, is_aim, told
from elcano.activities.offline.scoring import Candidate, candidates
from elcano.activities.offline.sentences import readable
from elcano.activities.offline.wording import beginning
from elcano.activities.text.stems import stems

KEY_FINDINGS: Final = 4
PER_PASSAGE: Final = 3
FLOOR: Final = 0.42
"""Below this score a sentence shares little but a common word with the question; 1.0 holds each term about once."""
SECTION_FLOOR: Final = 0.6
LEAST: Final = 0.2
"""The best sentence of a document that holds enough of the question is quoted from this score on."""
NEAR: Final = 0.6
"""A further finding has this share of the best one's score, or `SECTION_FLOOR`. On XQuAD the answer is in the first
sentence for 70 % of the questions that are answered, in the first three of such a score for 89 %."""
FEW: Final = 3
"""So many findings may be weaker than `SECTION_FLOOR`."""
REDUNDANCY: Final = 0.6
TWIN: Final = 0.7
"""Two sentences that share this much of the shorter one's telling words say the same."""
FIT: Final = 1.5
"""What holding all of the question adds to how far a sentence is a result."""
MOST_RESULT: Final = 2.0
"""How far a sentence is a result counts no more than this: figures alone answer nothing."""
LEAST_RESULT: Final = 0.6 * RESULT


def key_findings(
    given: Material, question: str, parts: Sequence[str], *, part_floor: float = LEAST, floor: float = LEAST
) -> list[Candidate]:
    """The best sentence for each part of the question that has several, then the best for all of it."""
    chosen: list[Candidate] = []
    for part in parts[:KEY_FINDINGS]:
        choose(chosen, candidates_of(given, question, part), len(chosen) + 1, part_floor)
    ranked = candidates(given, given.terms, question, anchor(question, given))
    if not chosen:
        choose(chosen, ranked, 1, floor)
        near = NEAR * max((one.score for one in chosen), default=0.0)
        choose(chosen, ranked, FEW, max(floor, near))
    choose(chosen, ranked, KEY_FINDINGS, max(floor, SECTION_FLOOR))
    return chosen


def candidates_of(given: Material, question: str, part: str) -> list[Candidate]:
    """The sentences that fit one part of the question, best first."""
    return candidates(given, given.terms.of(part), part, part_anchor(question, part, given), question)


def choose(chosen: list[Candidate], ranked: Sequence[Candidate], wanted: int, floor: float) -> None:
    """Adds to `chosen` until it has `wanted` sentences: the best that says something new, again and again."""
    left = [candidate for candidate in ranked if candidate.score >= floor]
    while left and len(chosen) < wanted:
        taken = Counter(one.passage for one in chosen)
        left = [one for one in left if taken[one.passage] < PER_PASSAGE and _likeness(one, chosen) < TWIN]
        if left:
            best = max(left, key=lambda one: one.score * (1 - REDUNDANCY * _likeness(one, chosen)))
            chosen[:] = [*(one for one in chosen if not best.extends(one)), best]


def with_results(given: Material, chosen: Sequence[Candidate]) -> list[Candidate]:
    """`chosen` with the best result of each study that it cites, in the place of a sentence that only says an aim."""
    kept: list[Candidate] = []
    results = {one: _result_of(given, given.passages[one.passage].document) for one in chosen}
    telling = [one for one in chosen if results[one] is None or not is_aim(one.text)]
    for one in chosen:
        result = results[one]
        if result is not None and not any(_overlap(result, other) for other in (*telling, *kept)):
            kept.append(result)
        if one in telling:
            kept.append(one)
    return kept


def _result_of(given: Material, document: str) -> Candidate | None:
    """The sentence of a document that is a result most clearly and holds most of the question; None if it has none."""
    best: Candidate | None = None
    for number, passage in enumerate(given.passages):
        before = None
        for one in told(passage) if passage.document == document else ():
            start, _ = beginning(one.sentence, before)
            before = one.sentence
            if one.measure < LEAST_RESULT:
                continue
            own = stems(readable(one.sentence.text))
            worth = min(one.measure, MOST_RESULT) + FIT * given.terms.coverage(set(own))
            if best is None or worth > best.score:
                text = passage.item.text[start : one.sentence.end]
                best = Candidate(number, start, one.sentence.end, text, frozenset(stems(readable(text))), worth)
    return best


def _likeness(one: Candidate, chosen: Sequence[Candidate]) -> float:
    """The largest share of telling words that `one` has in common with a chosen sentence.

    Overlapping quotations are the same one, unless the longer may take the shorter one's place.
    """
    return max((_shared(one, other) for other in chosen), default=0.0)


def _shared(one: Candidate, other: Candidate) -> float:
    if _overlap(one, other):
        return 0.0 if one.extends(other) else 1.0
    shorter = min(len(one.stems), len(other.stems))
    return len(one.stems & other.stems) / shorter if shorter else 1.0


def _overlap(one: Candidate, other: Candidate) -> bool:
    return one.passage == other.passage and one.start < other.end and other.start < one.end
