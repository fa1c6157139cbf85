"""What stands in a report for what its budget did not allow to be written: the drafts themselves, and a word on it.

Nothing is made up for it: claims are those of the sections' research, with their citations, and a limitation says that
nobody has joined them.
"""

from collections.abc import Sequence
from typing import Final

from elcano.graphs.agents.envelope import Loaded, SectionItem
from elcano.graphs.agents.writing import SynthesisInput
from elcano.graphs.report.draft import heading_for, title_for
from elcano.graphs.report.report import DraftSection, ReportDraft

MOST_FINDINGS: Final = 8
MOST_LIMITATIONS: Final = 30
NOT_RESEARCHED: Final = "No section was researched. What the first search found is listed, and nobody has read it."
UNREAD: Final = "did not fit into what the model takes at once; it has not read them."
NOT_SUMMARISED: Final = (
    "The budget did not allow the key findings to be written: the first statement of each section stands for them."
)


def as_drafted(given: SynthesisInput, loaded: Loaded) -> ReportDraft:
    """Build the report from sections as they were drafted, because no model could join them."""
    sections = loaded.drafts.sections
    summary = first_statements(given.title or title_for(given.question), sections)
    return summary.model_copy(
        update={
            "sections": tuple(DraftSection(heading=heading_for(one.title), claims=one.claims) for one in sections),
            "limitations": (*summary.limitations, not_rewritten([one.title for one in sections if one.claims])),
        }
    )


def without_sections(given: SynthesisInput) -> ReportDraft:
    """Build the report of a run that ended before any section was researched: its passages appear as related ones."""
    return ReportDraft(title=given.title or title_for(given.question), limitations=(NOT_RESEARCHED,), answered=False)


def with_omissions(draft: ReportDraft, shown: Sequence[SectionItem]) -> ReportDraft:
    """`draft`, with a word among its limitations on drafts that were too long to be shown whole."""
    told = statements_unread(sum(section.left_out for section in shown))
    return draft.model_copy(update={"limitations": (*draft.limitations, *told)}) if told else draft


def statements_unread(count: int) -> tuple[str, ...]:
    """The limitation of a report whose writer has not read so many statements of its sections' drafts."""
    if not count:
        return ()
    return (f"{count} statements of the sections' drafts did not fit into one pass and were left out.",)


def unread_told(draft: ReportDraft, passages: int) -> ReportDraft:
    """`draft`, with a word among its limitations on passages that were too much for the model that wrote it."""
    if not passages:
        return draft
    told = f"{passages} of the passages found {UNREAD}"
    return draft.model_copy(update={"limitations": (*draft.limitations, told)})


def first_statements(title: str, sections: Sequence[SectionItem]) -> ReportDraft:
    """Draft a summary: the first cited claim of each section, and what the sections themselves say is left open."""
    firsts = (next((claim for claim in one.claims if claim.citations), None) for one in sections)
    findings = tuple(claim for claim in firsts if claim is not None)
    open_ends = dict.fromkeys(told for section in sections for told in section.limitations)
    return ReportDraft(
        title=title,
        key_findings=findings[:MOST_FINDINGS],
        limitations=(*tuple(open_ends)[:MOST_LIMITATIONS], NOT_SUMMARISED),
        answered=bool(findings),
    )


def not_rewritten(titles: Sequence[str]) -> str:
    """The limitation of a report whose last sections are drafts."""
    named = "; ".join(f"“{title}”" for title in titles)
    return f"The budget did not allow these sections to be written out; they stand as they were drafted: {named}."
