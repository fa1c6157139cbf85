"""A question asked as `deep` would ask it, without a run: a plan, a report of each section, and what joins them.

Every section is asked as `iterative` asks it, and none is cut for want of budget.
"""

from typing import Final

from benchmarks.quality.asking import Answered, Library
from elcano.activities.agents.answer_drafts import drop_repeated_claims
from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.activities.agents.section_drafts import join_section_drafts
from elcano.graphs.agents.envelope import OfferedSource, SectionItem, TaskEnvelope
from elcano.graphs.report.report import Claim, DraftSection, ReportDraft, heading_for
from elcano.graphs.state.plan import SectionPlan, SectionResult
from elcano.storage.evidence import Evidence
from elcano.subjects.quoting.planning import plan_report
from elcano.subjects.quoting.report_writing import write_section, write_summary
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY
from elcano.subjects.research.agents.planner import AGENT

SURVEYED: Final = 20
"""Passages of the first search, as the graph asks for them."""
SOURCE: Final = (OfferedSource(name="library"),)


async def answer_in_sections(library: Library, question: str) -> tuple[ReportDraft, dict[str, Evidence]]:
    """The draft of the whole report, and the passages that it cites by their keys."""
    weights = await library.weights(question)
    shown = fit_passages_to_tokens(await library.passages(question, SURVEYED), (), AGENT.evidence_tokens).items
    plan = plan_report(
        TaskEnvelope(kind="planner", question=question, evidence=shown, sources=SOURCE, term_weights=weights)
    )
    planned = [SectionPlan(title=one.title, key_question=one.key_question) for one in plan.report_outline]
    reports = [
        await library.answer(one.key_question, "iterative", background=plan.background_context) for one in planned
    ]
    drafts = [_by_id(report) for report in reports]
    known = {one.id: one for report in reports for one in report.passages.values()}
    results = [
        SectionResult(title=one.title, key_question=one.key_question, unanswered=not draft.answered)
        for one, draft in zip(planned, drafts, strict=True)
    ]
    found = join_section_drafts(results, drafts, list(known.values()))
    task = TaskEnvelope(
        kind=SECTION, question=question, evidence=found.shown.items, sources=SOURCE, term_weights=weights
    )
    written = [one if one.missing else _written(task, one) for one in found.sections]
    summary = write_summary(task.model_copy(update={"kind": SUMMARY, "written": tuple(written)}))
    said = {claim.text for claim in _claims(summary.key_findings)}
    sections = tuple(
        DraftSection(heading=heading_for(one.title), claims=one.claims)
        for one in written
        if any(claim.text not in said for claim in one.claims)
    )
    draft = ReportDraft(
        title=plan.report_title,
        key_findings=_claims(summary.key_findings),
        sections=sections,
        limitations=summary.limitations,
        answered=summary.answered,
        quoted=True,
    )
    return drop_repeated_claims(draft), {key: known[id] for key, id in found.shown.ids.items()}


def _written(task: TaskEnvelope, section: SectionItem) -> SectionItem:
    text = write_section(task.model_copy(update={"sections": (section,)})).text
    return section.model_copy(update={"claims": _claims(text)})


def _claims(prose: str | tuple[Claim, ...]) -> tuple[Claim, ...]:
    """The extractive model writes claims, never text."""
    assert not isinstance(prose, str)
    return prose


def _by_id(report: Answered) -> ReportDraft:
    """The draft of a section, citing by id as it is kept."""
    ids = {key: passage.id for key, passage in report.passages.items()}

    def moved(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        return tuple(
            one.model_copy(
                update={
                    "citations": tuple(
                        cited.model_copy(update={"evidence": ids[cited.evidence]}) for cited in one.citations
                    )
                }
            )
            for one in claims
        )

    draft = report.draft
    sections = tuple(one.model_copy(update={"claims": moved(one.claims)}) for one in draft.sections)
    # As a branch keeps it: the key findings are claims of the section like others, and come first.
    return draft.model_copy(update={"key_findings": moved(draft.key_findings), "sections": sections, "related": ()})
