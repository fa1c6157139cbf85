"""The sections of a report in quotations: nothing is added, and all sections together answer the question.

The drafts come with each thing said once. What is left to do is to keep sections short and to choose the key findings,
by a stricter floor than a section's: a report opens with them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.activities.text.stems import list_stems
from elcano.graphs.agents.envelope import EvidenceItem, SectionItem, TaskEnvelope
from elcano.graphs.agents.writing import SectionText, Summary
from elcano.graphs.report.report import Claim, DraftSection, ReportDraft, heading_for, title_for
from elcano.plugins.quoting.passages import Material, in_question_language, read_material
from elcano.plugins.quoting.planning import BEARING
from elcano.plugins.quoting.question_parts import split_into_parts
from elcano.plugins.quoting.report_writing import write_report
from elcano.plugins.quoting.sentence_choice import choose_findings

FLOOR: Final = 0.45
"""Below this score a quotation is no key finding, or half of the findings beyond the first ones miss the question."""
SECTION_CLAIMS: Final = 4
BRIEF_CLAIMS: Final = 3
"""Claims a section in a report that is merged in one pass."""


@in_question_language
def write_section(task: TaskEnvelope) -> SectionText:
    """The first claims of the section that bear on the whole question: a draft begins with its answer.

    A section without a draft is quoted from its passages now, without what sections before it say already.
    """
    (section,) = task.sections
    if section.claims:
        return SectionText(text=_keep_bearing(task, section)[:SECTION_CLAIMS])
    texts = tuple(item for item in task.evidence if item.text)
    asked = section.key_question or section.title
    report = write_report(task.model_copy(update={"question": asked, "evidence": texts}))
    drafted = section.model_copy(update={"claims": report.claims})
    said = {claim.text for before in task.written for claim in before.claims}
    new = [claim for claim in _keep_bearing(task, drafted) if claim.text not in said]
    return SectionText(text=tuple(new[:SECTION_CLAIMS]), limitations=report.limitations if report.answered else ())


@in_question_language
def write_summary(task: TaskEnvelope) -> Summary:
    """The quotations that answer the question itself, from whichever section."""
    return Summary(
        key_findings=_choose_claims(task, task.written),
        limitations=_collect_limitations(task.written),
        answered=any(section.claims for section in task.written),
    )


@in_question_language
def proofread(task: TaskEnvelope) -> ReportDraft:
    """Key findings and a few claims a section, none of them twice."""
    findings = _choose_claims(task, task.sections)
    said = {claim.text for claim in findings}
    sections = [
        DraftSection(
            heading=heading_for(section.title),
            claims=tuple(claim for claim in _keep_bearing(task, section) if claim.text not in said)[:BRIEF_CLAIMS],
        )
        for section in task.sections
    ]
    return ReportDraft(
        title=title_for(task.question),
        key_findings=findings,
        sections=tuple(section for section in sections if section.claims),
        limitations=_collect_limitations(task.sections),
        answered=bool(findings) or any(section.claims for section in sections),
        quoted=True,
    )


def _choose_claims(task: TaskEnvelope, sections: Sequence[SectionItem]) -> tuple[Claim, ...]:
    """The claims that answer the whole question best; one for each part of it comes first."""
    by_key: dict[str, list[Claim]] = {}
    for claim in (claim for section in sections for claim in section.claims if claim.citations):
        by_key.setdefault(claim.citations[0].evidence, []).append(claim)
    given = _read_claims(task, {key: "\n\n".join(claim.text for claim in claims) for key, claims in by_key.items()})
    parts = split_into_parts(task.question)
    chosen = choose_findings(given, task.question, parts if len(parts) > 1 else (), FLOOR)
    claims = list(by_key.values())
    return tuple(dict.fromkeys(claim for one in chosen for claim in claims[one.passage] if one.text in claim.text))


def _keep_bearing(task: TaskEnvelope, section: SectionItem) -> tuple[Claim, ...]:
    """The claims of a section that bear on the whole question; all, if the question itself names the section's subject.

    A section's research sees its own question only, and the words of that lead to other subjects too. One without such
    a claim is left out: it would be on something else.
    """
    if set(list_stems(section.title)) <= set(list_stems(task.question)):
        return section.claims
    return tuple(claim for claim in section.claims if _coverage(task, claim) >= BEARING)


def _coverage(task: TaskEnvelope, claim: Claim) -> float:
    """The share of the whole question that the words of a claim hold."""
    return read_material(task).terms.coverage(set(list_stems(claim.text)))


def _read_claims(task: TaskEnvelope, texts: Mapping[str, str]) -> Material:
    """Texts by the key of what they cite, as passages under its title and headings."""
    items = {item.key: item for item in task.evidence}
    nowhere = EvidenceItem(key="", title="", locator="")
    said = [items.get(key, nowhere).model_copy(update={"key": key, "text": text}) for key, text in texts.items()]
    return read_material(task.model_copy(update={"evidence": tuple(said), "background": ""}))


def _collect_limitations(sections: Sequence[SectionItem]) -> tuple[str, ...]:
    """What the drafts of the sections leave open, each thing once; missing sections are told of elsewhere."""
    return tuple(dict.fromkeys(told for section in sections if not section.missing for told in section.limitations))
