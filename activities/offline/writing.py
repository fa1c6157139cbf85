"""A report in quotations: what the passages say to each part of the question, and nothing of its own.

If no passage holds enough of the question, it says so and names the nearest passages. Without that gate a question on
medicine finds words in a programming manual. Redundancy is kept out by maximal marginal relevance (Carbonell and
Goldstein, 1998).
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from elcano.activities.offline.assessing import ANSWERABLE, answerable, part_coverage
from elcano.activities.offline.language import in_its_language
from elcano.activities.offline.limitations import left_open, silent, unanswered
from elcano.activities.offline.planning import anchor, part_anchor, sub_questions
from elcano.activities.offline.scoring import Candidate, Material, candidates, material
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.values.report import Citation, Claim, DraftSection, ReportDraft, heading_for, title_for

KEY_FINDINGS: Final = 4
SECTION_CLAIMS: Final = 4
FEWEST_DETAILS: Final = 1
PER_PASSAGE: Final = 3
MOST_RELATED: Final = 6
FLOOR: Final = 0.42
"""Below this score a sentence shares little but a common word with the question; 1.0 holds each term about once."""
SECTION_FLOOR: Final = 0.6
RELATED_COVERAGE: Final = 0.3
REDUNDANCY: Final = 0.6
TWIN: Final = 0.7
"""Two sentences that share this much of the shorter one's telling words say the same."""


@in_its_language
def write(task: TaskEnvelope) -> ReportDraft:
    """The draft for `task`, in which every claim is a literal quotation."""
    question, given = task.question, material(task)
    if len(sub_questions(given.context)) > 1:
        given = replace(given, context="")  # Of a question of several parts a section is on one of them alone.
    parts = sub_questions(question)
    several = len(parts) > 1
    spoken = [part for part in parts if part_coverage(question, part, given) >= ANSWERABLE]
    key = key_findings(given, question, spoken if several else []) if answerable(question, given) else []
    if not key:
        return ReportDraft(
            title=title_for(question),
            answered=False,
            quoted=True,
            related=_nearest(given),
            limitations=unanswered(given),
        )
    sections, used = _sections(given, question, spoken, key, several=several)
    subject = given.on_subject(anchor(question, given))
    return ReportDraft(
        title=title_for(question),
        quoted=True,
        key_findings=tuple(_claim(given, chosen) for chosen in key),
        sections=sections,
        related=_nearest(subject, but={given.passages[one.passage].item.title for one in used}),
        limitations=(*left_open(parts, spoken, (one.text for one in used), given), *silent(given)),
    )


def key_findings(
    given: Material, question: str, parts: Sequence[str], *, part_floor: float = FLOOR, floor: float = FLOOR
) -> list[Candidate]:
    """The best sentence for each part of the question that has several, then the best for all of it."""
    chosen: list[Candidate] = []
    for part in parts[:KEY_FINDINGS]:
        _choose(chosen, _candidates_of(given, question, part), len(chosen) + 1, part_floor)
    ranked = candidates(given, given.terms, question, anchor(question, given))
    if not chosen:
        _choose(chosen, ranked, 1, floor)
    _choose(chosen, ranked, KEY_FINDINGS, max(floor, SECTION_FLOOR))
    return chosen


def _sections(
    given: Material, question: str, parts: Sequence[str], key: Sequence[Candidate], *, several: bool
) -> tuple[tuple[DraftSection, ...], list[Candidate]]:
    """One section a part, of what the key findings do not say already, the best first."""
    used = list(key)
    sections: list[DraftSection] = []
    for part in parts:
        before = set(used)
        _choose(used, _candidates_of(given, question, part), len(used) + SECTION_CLAIMS, SECTION_FLOOR)
        new = [one for one in used if one not in before]
        if len(new) >= (1 if several else FEWEST_DETAILS):
            heading = _heading(part) if several else "Further passages"
            sections.append(DraftSection(heading=heading, claims=tuple(_claim(given, chosen) for chosen in new)))
        else:
            used = [one for one in used if one in before]
    return tuple(sections), used


def _candidates_of(given: Material, question: str, part: str) -> list[Candidate]:
    return candidates(given, given.terms.of(part), part, part_anchor(question, part, given), question)


def _choose(chosen: list[Candidate], ranked: Sequence[Candidate], wanted: int, floor: float) -> None:
    """Adds to `chosen` until it has `wanted` sentences: the best that says something new, again and again."""
    left = [candidate for candidate in ranked if candidate.score >= floor]
    while left and len(chosen) < wanted:
        taken = Counter(one.passage for one in chosen)
        left = [one for one in left if taken[one.passage] < PER_PASSAGE and _likeness(one, chosen) < TWIN]
        if left:
            best = max(left, key=lambda one: one.score * (1 - REDUNDANCY * _likeness(one, chosen)))
            chosen[:] = [*(one for one in chosen if not best.extends(one)), best]


def _likeness(one: Candidate, chosen: Sequence[Candidate]) -> float:
    """The largest share of telling words that `one` has in common with a chosen sentence.

    Overlapping quotations are the same one, unless the longer may take the shorter one's place.
    """
    return max((_shared(one, other) for other in chosen), default=0.0)


def _shared(one: Candidate, other: Candidate) -> float:
    if one.passage == other.passage and one.start < other.end and other.start < one.end:
        return 0.0 if one.extends(other) else 1.0
    shorter = min(len(one.stems), len(other.stems))
    return len(one.stems & other.stems) / shorter if shorter else 1.0


def _claim(given: Material, chosen: Candidate) -> Claim:
    key = given.passages[chosen.passage].item.key
    return Claim(text=chosen.text, citations=(Citation(evidence=key, quote=chosen.text),))


def _nearest(given: Material, but: Collection[str] = ()) -> tuple[str, ...]:
    """Keys of the passages that hold most of the question, best first; one a title, none with a title in `but`."""
    ranked = sorted(given.passages, key=lambda passage: -given.terms.coverage(passage.found))
    by_title: dict[str, str] = {}
    for passage in ranked:
        if given.terms.coverage(passage.found) >= RELATED_COVERAGE and passage.item.title not in but:
            by_title.setdefault(passage.item.title, passage.item.key)
    return tuple(by_title.values())[:MOST_RELATED]


def _heading(part: str) -> str:
    heading = heading_for(part)
    return heading[0].upper() + heading[1:]
