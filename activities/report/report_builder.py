"""Builds a report from a run's output and stored data: a pure function, so that anybody can rebuild it.

The publisher makes it once; whoever looks through a certificate makes it again and compares.

The records and the studies of a literature review, counted and read by code.

A record is a work, or a document of which no work is known. One that several sources found is counted as theirs in
`records`, and in all that follows as the one's that found it first, so that these columns add up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.language import words_for
from elcano.activities.report.parts import render_parts
from elcano.activities.report.references import Works, list_retraction_warnings
from elcano.activities.report.rendering import partial_reason, render_evidence, render_report
from elcano.activities.report.study_sections import cited_by, has_decided_verdict, number_analysis_references
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.analysis import Analysis
from elcano.graphs.report.draft import ReportRef, title_for
from elcano.graphs.report.reference_text import find_citation_mark, format_authors
from elcano.graphs.report.report import Cell, Reference, Report, ReportDraft, Review, SourceRecords, Study
from elcano.graphs.report.statements import CheckedCitation
from elcano.graphs.report.works import Work, WorkKind
from elcano.graphs.state.state import RELATED
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence, StoredText

Record: TypeAlias = tuple[str, str]

NO_STUDIES: Final[frozenset[WorkKind]] = frozenset({"page", "encyclopedia", "document", "book"})
_ENROLMENT: Final = ("enrollment", "enrolment")
_NUMBER: Final = r"(?<![\d.,])(?:\d{1,3}(?:[,\u00a0\u2009 ]\d{3}){1,3}|\d{1,9})"
_WORDS: Final = r"(?:[\w-]{1,30}\s){0,3}?"
_PEOPLE: Final = (
    r"(?:patients|participants|subjects|adults|children|infants|adolescents|women|men|individuals|volunteers|persons"
    r"|people)"
)
_GATHERED: Final = r"(?:enroll?ed|randomi[sz]ed|randomly assigned|recruited|included|assigned|analy[sz]ed|studied)"
_SIZES: Final = (
    re.compile(rf"{_NUMBER}\s{_WORDS}{_PEOPLE}\s{_WORDS}{_GATHERED}\b", re.IGNORECASE),
    re.compile(rf"\b(?:{_GATHERED}|a total of)\s{_NUMBER}\s{_WORDS}{_PEOPLE}\b", re.IGNORECASE),
)
"""How a text says how many it studied; a number of people alone may be of anything in it."""


def build_review(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, checked: CheckedDraft | None = None
) -> Review | None:
    """Return the figures of a literature review, shown beside its report; None if the run is no review."""
    if not call.records:
        return None
    call = call.model_copy(update={"records": tuple(one for one in call.records if one.source != RELATED)})
    cited = _group_verified_citations(evidence, works, checked.citations) if checked else {}
    return Review(
        sources=tuple(_count_source_records(call, evidence, works, cited.keys())),
        total=_count_all_records(call, evidence, works, cited.keys()),
        studies=tuple(_list_cited_studies(checked, evidence, works, cited)) if checked else (),
    )


def _count_source_records(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, cited: Iterable[Record]
) -> Iterable[SourceRecords]:
    first: dict[Record, str] = {}
    for passage in evidence:
        first.setdefault(works.key(passage), passage.source)
    kept = _collect_kept_records(call, evidence, works)
    used = set(cited)
    for source in dict.fromkeys((*(one.source for one in call.records), *(one.source for one in evidence))):
        searches = [one for one in call.records if one.source == source]
        own = {record for record, finder in first.items() if finder == source}
        yield SourceRecords(
            source=source,
            searches=len(searches),
            failed=sum(one.error is not None for one in searches),
            found=sum(one.found for one in searches),
            records=len({works.key(passage) for passage in evidence if passage.source == source}),
            unique=len(own),
            kept=len(own & kept),
            cited=len(own & used),
        )


def _count_all_records(
    call: PublishCall, evidence: Sequence[Evidence], works: Works, cited: Iterable[Record]
) -> SourceRecords:
    records = {works.key(passage) for passage in evidence}
    return SourceRecords(
        source="",
        searches=len(call.records),
        failed=sum(one.error is not None for one in call.records),
        found=sum(one.found for one in call.records),
        records=len(records),
        unique=len(records),
        kept=len(_collect_kept_records(call, evidence, works)),
        cited=len(set(cited)),
    )


def _collect_kept_records(call: PublishCall, evidence: Iterable[Evidence], works: Works) -> set[Record]:
    kept = set(call.kept)
    return {works.key(passage) for passage in evidence if passage.id in kept}


def _group_verified_citations(
    evidence: Iterable[Evidence], works: Works, citations: Iterable[CheckedCitation]
) -> Mapping[Record, list[CheckedCitation]]:
    """The citations that hold, by record."""
    by_id = {passage.id: passage for passage in evidence}
    found: dict[Record, list[CheckedCitation]] = {}
    for one in citations:
        if one.verdict == "verified":
            found.setdefault(works.key(by_id[one.evidence]), []).append(one)
    return found


def _list_cited_studies(
    checked: CheckedDraft,
    evidence: Sequence[Evidence],
    works: Works,
    cited: Mapping[Record, Sequence[CheckedCitation]],
) -> Iterable[Study]:
    passages: dict[Record, list[Evidence]] = {}
    quoted = {one.evidence for citations in cited.values() for one in citations}
    for passage in evidence:
        if passage.id in quoted:
            passages.setdefault(works.key(passage), []).append(passage)
    by_number = {citations[0].number: record for record, citations in cited.items()}
    for reference in checked.references:
        if reference.work is not None and reference.work.kind not in NO_STUDIES:
            record = by_number[reference.number]
            yield _build_study(reference, passages[record], cited[record])


def _build_study(reference: Reference, passages: Sequence[Evidence], citations: Sequence[CheckedCitation]) -> Study:
    work, first = reference.work, citations[0]
    by = format_authors(work.authors, most=1) if work else ""
    year = str(work.year) if work and work.year else ""
    outcome = Cell(text=first.quote, content_hash=first.content_hash, start=first.start, end=first.end)
    return Study(
        number=reference.number,
        name=" ".join(filter(None, (by or shorten_text(reference.title, 80), year))),
        design=", ".join(work.design) if work else "",
        size=next(filter(None, map(_find_study_size, passages)), None) or _find_registered_size(passages),
        outcome=outcome,
    )


def _find_study_size(passage: Evidence) -> Cell | None:
    """The first words of a passage that say how many were studied, at their place in its text."""
    found = min(filter(None, (size.search(passage.text) for size in _SIZES)), key=re.Match.start, default=None)
    if found is None:
        return None
    begin = passage.start + found.start()
    return Cell(text=found.group(), content_hash=passage.content_hash, start=begin, end=begin + len(found.group()))


def _find_registered_size(passages: Iterable[Evidence]) -> Cell:
    """How many a registry has of it."""
    told = (passage.metadata.get(name) for passage in passages for name in _ENROLMENT)
    number = next((one for one in told if isinstance(one, int) and not isinstance(one, bool) and one > 0), None)
    return Cell(text=f"{number:,} (as registered)") if number else Cell()


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
