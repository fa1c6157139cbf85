"""Which sentences are quoted: the best for each part, for all of the question, and a result of each study cited.

Redundancy is kept out by maximal marginal relevance (Carbonell and Goldstein, 1998). Results are added, not weighed
up: an aim shares more words with the question than the result does, and it is what finds the right study.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from elcano.activities.text.stems import list_stems
from elcano.plugins.quoting.asking import PROCEDURE, REASON, asks_which, kind_of
from elcano.plugins.quoting.manuals import instructs, is_long, is_manual
from elcano.plugins.quoting.passages import Material
from elcano.plugins.quoting.planning import anchor, compared, part_anchor
from elcano.plugins.quoting.results import RESULT, is_aim, is_study, told
from elcano.plugins.quoting.scoring import Candidate, candidates
from elcano.plugins.quoting.sentences import readable
from elcano.plugins.quoting.terms import Terms
from elcano.plugins.quoting.wording import beginning

KEY_FINDINGS: Final = 4
_ON_ONE_THING: Final = re.compile(r"What should one know about\b")
"""As the outline asks of a part: what is said of it beside its best sentence has to say what it is."""
PER_PASSAGE: Final = 3
FLOOR: Final = 0.42
"""Below this score a sentence shares little but a common word with the question; 1.0 holds each term about once."""
SECTION_FLOOR: Final = 0.6
LEAST: Final = 0.0
"""Of documents that hold enough of the question the best sentence is quoted, however little it holds itself."""
NEAR: Final = 0.6
"""A further finding has this share of the best one's score, or `SECTION_FLOOR`. On XQuAD the answer is in the first
sentence for 70 % of the questions that are answered, in the first three of such a score for 89 %."""
FEW: Final = 3
"""So many findings may be weaker than `SECTION_FLOOR`."""
FURTHER: Final = 0.7
"""What stands in a section has this share of the best score for its part."""
LEADING: Final = 0.2
"""From this score on a sentence stands beside a better one, if it is near it or in the document that holds most."""
MANUAL_FINDINGS: Final = 3
MANUAL_HELD: Final = 0.65
"""In a manual a sentence is quoted if it holds this share of the question together with its headings,"""
MANUAL_FEWER: Final = 0.3
"""and of a question of n telling words an nth of this more,"""
MANUAL_OWN: Final = 0.25
"""and this share by itself."""
MANUAL_HELD_FURTHER: Final = 0.8
PART_HELD: Final = 0.5
"""For the one sentence on a part of a question: that a passage holds enough of it was seen before."""
MANUAL_OWN_FURTHER: Final = 0.5
"""A further finding holds these shares."""
MANUAL_NEAR: Final = 0.75
EVERYWHERE: Final = 1.0
"""A word that tells less is in more than a third of all passages."""
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
    if is_manual(given):
        return _of_manual(given, question, parts, max(LEADING, floor))
    chosen: list[Candidate] = []
    for part in parts[:KEY_FINDINGS]:
        choose(chosen, candidates_of(given, question, part), len(chosen) + 1, part_floor)
    ranked = candidates(given, given.terms, question, anchor(question, given))
    if not chosen:
        choose(chosen, ranked, 1, floor)
        near = NEAR * max((one.score for one in chosen), default=0.0)
        choose(chosen, ranked, FEW, max(floor, near, LEADING))
    choose(chosen, ranked, KEY_FINDINGS, max(floor, SECTION_FLOOR))
    return chosen


def _of_manual(given: Material, question: str, parts: Sequence[str], floor: float) -> list[Candidate]:
    """The best sentence for each part, or for all, and what holds as much and is nearly as good: often nothing.

    Of things that are compared each is said what it is, if that is said, beside what is said of all of them.
    """
    chosen: list[Candidate] = []
    things = compared(question)
    for thing in things[:KEY_FINDINGS]:
        terms = given.terms.of(thing)
        about = max(terms.weights, key=lambda one: terms.weights[one], default=None)
        said = candidates(given, terms, f"What is {thing}?", about)
        choose(chosen, [one for one in said if one.defining], len(chosen) + 1, floor)
    for part in () if things else parts[:KEY_FINDINGS]:
        said = [one for one in candidates_of(given, question, part) if one.held >= PART_HELD and one.own >= MANUAL_OWN]
        choose(chosen, said, len(chosen) + 1, floor)
    every = candidates(given, given.terms, question, anchor(question, given))
    ranked = fit_for_manuals(every, given.terms, which=asks_which(question))
    if kind_of(question) is REASON:
        ranked = [one for one in ranked if REASON.answered.search(one.text)]
    if not chosen:
        choose(chosen, ranked, 1, floor)
    least = MANUAL_NEAR * max((one.score for one in ranked), default=0.0)
    further = [one for one in ranked if one.held >= MANUAL_HELD_FURTHER and one.own >= MANUAL_OWN_FURTHER]
    further = [one for one in further if not is_long(one.text)]
    alone = len(given.terms.weights) == 1  # Whatever has that word holds all of the question.
    if not things and (alone or any(one.defining for one in chosen)):
        further = [one for one in further if one.defining]
    if kind_of(question) is PROCEDURE:
        further = [one for one in further if instructs(one.text)]
    if _ON_ONE_THING.match(question):
        further = [one for one in further if one.defining]
    choose(chosen, further, MANUAL_FINDINGS, max(least, FLOOR))
    return chosen


def fit_for_manuals(ranked: Sequence[Candidate], terms: Terms, *, which: bool = False) -> list[Candidate]:
    """Those that hold enough of the question, with what stands above them and by themselves.

    Who asks `which packages` names a kind of things, and answers name the things: less has to be held, unless a
    sentence holds enough. Of a question whose only word is everywhere what says what that is can be told from all
    else, and nothing more.
    """
    if len(terms.weights) == 1 and max(terms.weights.values()) < EVERYWHERE:
        return [one for one in ranked if one.defining]
    own = [one for one in ranked if one.own >= MANUAL_OWN and one.together]
    needed = MANUAL_HELD + MANUAL_FEWER / max(1, len(terms.weights))
    held = [one for one in own if one.held >= needed]
    return held if held or not which else [one for one in own if one.held >= PART_HELD]


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


def further(
    given: Material, terms: Terms, chosen: Sequence[Candidate], ranked: Sequence[Candidate], wanted: int
) -> list[Candidate]:
    """What says more than `chosen` and nearly as well; nothing that quotes what is quoted already.

    The document that holds most of `terms`, what the part asks about, is trusted further than others: of a question of
    several parts that may be another one for each.
    """
    trusted = given.leading(terms)
    new = list(chosen)
    floor = max(SECTION_FLOOR, FURTHER * max((one.score for one in ranked), default=0.0))
    fresh = [one for one in ranked if not any(_overlap(one, other) for other in chosen) and not _only_aims(given, one)]
    leading = [one for one in fresh if one.score >= floor or given.passages[one.passage].document == trusted]
    choose(new, leading, len(new) + wanted, LEADING)
    return [one for one in new if one not in chosen]


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


def _only_aims(given: Material, one: Candidate) -> bool:
    """Whether a sentence says only what a study wanted to know."""
    return is_aim(one.text) and is_study(given.of_document(given.passages[one.passage].document))


def _result_of(given: Material, document: str) -> Candidate | None:
    """The sentence of a document that is a result most clearly and holds most of the question; None if it has none."""
    best: Candidate | None = None
    if not is_study(given.of_document(document)):
        return None
    for number, passage in enumerate(given.passages):
        before = None
        for one in told(passage) if passage.document == document else ():
            start, _ = beginning(one.sentence, before)
            before = one.sentence
            if one.measure < LEAST_RESULT:
                continue
            own = list_stems(readable(one.sentence.text))
            worth = min(one.measure, MOST_RESULT) + FIT * given.terms.coverage(set(own))
            if best is None or worth > best.score:
                text = passage.item.text[start : one.sentence.end]
                best = Candidate(number, start, one.sentence.end, text, frozenset(list_stems(readable(text))), worth)
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
