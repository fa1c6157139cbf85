"""A report in quotations: what the passages say to each part of the question, and nothing of its own.

If no passage holds enough of the question, it says so and names the nearest passages. Without that gate a question on
medicine finds words in a programming manual.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from elcano.activities.phrases import get_phrases
from elcano.activities.text.languages import get_current_language
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.draft import Citation, Claim, heading_for, title_for
from elcano.graphs.report.report import DraftSection, ReportDraft
from elcano.plugins.quoting.assessing import ANSWERABLE, answerable, part_coverage
from elcano.plugins.quoting.choosing import candidates_of, fit_for_manuals, further, key_findings, with_results
from elcano.plugins.quoting.language import in_its_language
from elcano.plugins.quoting.limitations import left_open, silent, unanswered
from elcano.plugins.quoting.manuals import is_manual
from elcano.plugins.quoting.passages import Material, material
from elcano.plugins.quoting.planning import anchor, compared, sub_questions
from elcano.plugins.quoting.scoring import Candidate

SECTION_CLAIMS: Final = 4
DETAILS: Final = 2
"""Further passages of a question of one part."""
MOST_RELATED: Final = 6
RELATED_COVERAGE: Final = 0.3


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
    key = with_results(given, key)
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


def _sections(
    given: Material, question: str, parts: Sequence[str], key: Sequence[Candidate], *, several: bool
) -> tuple[tuple[DraftSection, ...], list[Candidate]]:
    """One section a part, of what the key findings do not say already, the best first."""
    used = list(key)
    sections: list[DraftSection] = []
    for part in parts if not is_manual(given) or (several and not compared(question)) else ():
        said = candidates_of(given, question, part)
        if is_manual(given):
            said = fit_for_manuals(said, given.terms.of(part))
        new = further(given, given.terms.of(part), used, said, SECTION_CLAIMS if several else DETAILS)
        if new:
            used.extend(new)
            heading = _heading(part) if several else get_phrases(get_current_language()).further
            sections.append(DraftSection(heading=heading, claims=tuple(_claim(given, chosen) for chosen in new)))
    return tuple(sections), used


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
