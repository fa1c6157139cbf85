"""A report in quotations: what the passages say to each part of the question, and nothing of its own.

If no passage holds enough of the question, it says so and names the nearest passages.
"""

from collections.abc import Collection, Sequence
from typing import Final

from elcano.activities.phrases import get_phrases
from elcano.activities.text.languages import get_current_language
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft, heading_for, title_for
from elcano.plugins.quoting.limitations import explain_refusal, list_open_parts, list_silence
from elcano.plugins.quoting.passages import Material, in_question_language, read_material
from elcano.plugins.quoting.question_parts import list_answerable_parts, split_into_parts
from elcano.plugins.quoting.sentence_choice import (
    add_results,
    choose_findings,
    choose_further,
    keep_holding,
)
from elcano.plugins.quoting.sentence_scoring import Candidate, is_manual, score_sentences

SECTION_CLAIMS: Final = 4
DETAILS: Final = 3
"""Further passages of a question of one part."""
MOST_RELATED: Final = 6
RELATED_COVERAGE: Final = 0.3


@in_question_language
def write_report(task: TaskEnvelope) -> ReportDraft:
    """The draft for `task`, in which every claim is a literal quotation."""
    question, given = task.question, read_material(task)
    parts = split_into_parts(question)
    several = len(parts) > 1
    spoken = list_answerable_parts(question, given)
    key = choose_findings(given, question, spoken if several else ()) if spoken else []
    if not key:
        return ReportDraft(
            title=title_for(question),
            answered=False,
            quoted=True,
            related=_list_nearest(given),
            limitations=explain_refusal(given),
        )
    key = add_results(given, key)
    sections, used = _write_sections(given, question, spoken, key, several=several)
    return ReportDraft(
        title=title_for(question),
        quoted=True,
        key_findings=tuple(_make_claim(given, chosen) for chosen in key),
        sections=sections,
        related=_list_nearest(given, but={given.passages[one.passage].item.title for one in used}),
        limitations=(*list_open_parts(parts, spoken, [one.text for one in used], given), *list_silence(given)),
    )


def _write_sections(
    given: Material, question: str, parts: Sequence[str], key: Sequence[Candidate], *, several: bool
) -> tuple[tuple[DraftSection, ...], list[Candidate]]:
    """One section a part, of what the key findings do not say already, the best first."""
    used = list(key)
    sections: list[DraftSection] = []
    manual = is_manual(given)
    for part in parts if several or not manual else ():
        terms = given.terms.of(part)
        ranked = score_sentences(given, part, terms)
        kept = keep_holding(ranked) if manual else ranked
        new = choose_further(given, terms, used, kept, SECTION_CLAIMS if several else DETAILS)
        if new:
            used.extend(new)
            heading = _make_heading(part) if several else get_phrases(get_current_language()).further
            sections.append(DraftSection(heading=heading, claims=tuple(_make_claim(given, one) for one in new)))
    return tuple(sections), used


def _make_claim(given: Material, chosen: Candidate) -> Claim:
    key = given.passages[chosen.passage].item.key
    return Claim(text=chosen.text, citations=(Citation(evidence=key, quote=chosen.text),))


def _list_nearest(given: Material, but: Collection[str] = ()) -> tuple[str, ...]:
    """Keys of the passages that hold most of the question, best first; one a title, none with a title in `but`."""
    ranked = sorted(given.passages, key=lambda passage: -given.terms.coverage(passage.found))
    by_title: dict[str, str] = {}
    for passage in ranked:
        if given.terms.coverage(passage.found) >= RELATED_COVERAGE and passage.item.title not in but:
            by_title.setdefault(passage.item.title, passage.item.key)
    return tuple(by_title.values())[:MOST_RELATED]


def _make_heading(part: str) -> str:
    heading = heading_for(part)
    return heading[0].upper() + heading[1:]
