"""Builds a report from a run's output and stored data: a pure function, so that anybody can rebuild it.

The publisher makes it once; whoever looks through a certificate makes it again and compares.
"""

from collections.abc import Mapping, Sequence

from elcano.activities.report.analysis import cited_by, has_decided_verdict, number_analysis_references
from elcano.activities.report.citations import check_citations
from elcano.activities.report.language import words_for
from elcano.activities.report.parts import render_parts
from elcano.activities.report.references import list_retraction_warnings
from elcano.activities.report.rendering import partial_reason, render_evidence, render_report
from elcano.activities.report.review import build_review
from elcano.activities.report.work_accounts import Works
from elcano.graphs.contracts import PublishCall
from elcano.graphs.references.reference_text import find_citation_mark
from elcano.graphs.values.analysis import Analysis
from elcano.graphs.values.report import Report, ReportDraft, ReportRef, title_for
from elcano.graphs.values.work_metadata import Work
from elcano.storage.evidence import Evidence, StoredText


def build_report(
    call: PublishCall,
    draft: ReportDraft | None,
    evidence: Sequence[Evidence],
    texts: Mapping[str, StoredText],
    builds: tuple[str, ...] = (),
    accounts: tuple[Work, ...] = (),
    searched: tuple[str, ...] = (),
    analysis: Analysis | None = None,
) -> Report:
    """The report of a run, its citations looked up.

    Args:
        call: what the run hands over.
        draft: what its writer wrote; None: the evidence is listed as it is, labelled as no more than that.
        evidence: the passages that the writer was given.
        texts: the stored texts of the cited passages, by content hash.
        builds: the workers that it is the work of.
        accounts: what was told of their works beside these passages.
        searched: the first and the last day on which there was a search.
        analysis: what statistics made of the run's numbers.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    if draft is None:
        return _build_evidence_report(call, evidence, builds, accounts, searched, analysis)
    if has_decided_verdict(analysis):  # a writer that quotes finds no sentence for what only figures together say
        draft = draft.model_copy(update={"answered": True})
    checked = check_citations(draft, evidence, texts, accounts, call.question, cited_by(analysis), by_words=True)
    told_analysis = number_analysis_references(analysis, checked.beside)
    doubts = list_retraction_warnings(checked.references)
    review = build_review(call, evidence, checked.works, checked)
    marks = {one.number: said for one in checked.references if (said := find_citation_mark(one.work))}
    told = render_parts(checked, marks, words_for(call.question, checked.given))
    return Report(
        run_id=call.run_id,
        question=call.question,
        title=draft.title,
        markdown=render_report(call, checked, doubts, searched, review, told, told_analysis),
        answered=draft.answered,
        partial=partial_reason(call.ending),
        model=", ".join(call.models),
        references=checked.references,
        citations=(*checked.citations, *checked.beside),
        unverified=checked.unverified,
        warnings=(*doubts, *draft.remarks, *call.warnings),
        builds=builds,
        review=review,
        searched=searched,
        accounts=accounts,
        parts=told,
        support=checked.support,
        analysis=told_analysis,
        data=draft.data,
        follows=call.follows,
    )


def build_report_ref(report: Report, artifact: str) -> ReportRef:
    """Return the run's reference to its report, which is stored under `artifact`."""
    return ReportRef(
        artifact=artifact,
        title=report.title,
        answered=report.answered,
        partial=report.partial,
        words=len(report.markdown.split()),
        references=len(report.references),
        verified=len(report.citations) - len(report.unverified),
        unverified=len(report.unverified),
    )


def _build_evidence_report(
    call: PublishCall,
    evidence: Sequence[Evidence],
    builds: tuple[str, ...],
    accounts: tuple[Work, ...],
    searched: tuple[str, ...],
    analysis: Analysis | None,
) -> Report:
    title = title_for(call.question)
    works = Works(evidence, accounts)
    review = build_review(call, evidence, works)
    return Report(
        run_id=call.run_id,
        question=call.question,
        title=title,
        markdown=render_evidence(call, title, evidence, works, searched, review, analysis),
        answered=False,
        partial=partial_reason(call.ending),
        model="",
        references=(),
        citations=(),
        unverified=(),
        warnings=call.warnings,
        builds=builds,
        review=review,
        searched=searched,
        accounts=accounts,
        analysis=analysis,
        follows=call.follows,
    )
