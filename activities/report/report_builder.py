"""Builds a report from a run's output and stored data: a pure function, so that others can rebuild it.

The publisher builds it once; the verification of a certificate builds it again and compares.
"""

from collections.abc import Mapping, Sequence

from elcano.activities.phrases import ENGLISH, choose_phrases
from elcano.activities.report.additions import AddedText, ReportMaterial
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.markdown import list_retraction_warnings
from elcano.activities.report.parts import render_parts
from elcano.activities.report.rendering import partial_reason, render_evidence, render_report
from elcano.activities.text.languages import text_language
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report, title_for
from elcano.graphs.state.state import ReportRef
from elcano.storage.evidence import StoredText


def build_report(
    material: ReportMaterial,
    texts: Mapping[str, StoredText],
    builds: tuple[str, ...] = (),
    searched: tuple[str, ...] = (),
) -> Report:
    """The report of a run, its citations looked up.

    Args:
        material: what it is made of.
        texts: the stored texts of the cited passages, by content hash.
        builds: the workers that it is the work of.
        searched: the first and the last day on which there was a search.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    call, draft = material.call, material.draft
    if draft is None:
        return _build_evidence_report(material, builds, searched)
    if any(one.answers for one in material.additions):
        draft = draft.model_copy(update={"answered": True})
    beside = tuple(dict.fromkeys(cited for one in material.additions for cited in one.citations))
    checked = check_citations(draft, material.evidence, texts, material.accounts, call.question, beside, by_words=True)
    doubts = list_retraction_warnings(checked.references)
    words = choose_phrases(call.question, (one.text for one in checked.given), checked.rewritten)
    parts = render_parts(checked, checked.marks, words)
    added = [one.render(checked, words) for one in material.additions]
    said = " ".join(one.text for part in parts for block in part.blocks for one in block.statements)
    return Report(
        run_id=call.run_id,
        question=call.question,
        title=draft.title,
        markdown=render_report(call, checked, doubts, searched, parts, added),
        answered=draft.answered,
        partial=partial_reason(call.ending),
        model=", ".join(call.models),
        references=checked.references,
        citations=(*checked.citations, *(one for one in checked.beside if one.verdict == "verified")),
        unverified=checked.unverified,
        warnings=(*doubts, *draft.remarks, *call.warnings, *_list_missing_parts(material)),
        builds=builds,
        searched=searched,
        accounts=material.accounts,
        parts=parts,
        support=checked.support,
        language=text_language(said or draft.title),
        follows=call.follows,
        attachments=_collect_attachments(material, added),
        pictures=_collect_pictures(added),
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


def _build_evidence_report(material: ReportMaterial, builds: tuple[str, ...], searched: tuple[str, ...]) -> Report:
    call, title = material.call, title_for(material.call.question)
    added = [one.render(None, ENGLISH) for one in material.additions]
    return Report(
        run_id=call.run_id,
        question=call.question,
        title=title,
        markdown=render_evidence(call, title, material.evidence, material.works, searched, added),
        answered=False,
        partial=partial_reason(call.ending),
        model="",
        references=(),
        citations=(),
        unverified=(),
        warnings=(*call.warnings, *_list_missing_parts(material)),
        builds=builds,
        searched=searched,
        accounts=material.accounts,
        follows=call.follows,
        attachments=_collect_attachments(material, added),
        pictures=_collect_pictures(added),
    )


def _collect_attachments(material: ReportMaterial, added: Sequence[AddedText]) -> dict[str, JsonObject]:
    given = zip(material.additions, added, strict=True)
    return {one.name: text.data for one, text in given if text.data is not None}


def _collect_pictures(added: Sequence[AddedText]) -> dict[str, str]:
    return {path: key for text in added for path, key in text.pictures.items()}


def _list_missing_parts(material: ReportMaterial) -> tuple[str, ...]:
    return tuple(
        f"a part of this report, {name!r}, is missing: no plugin that is loaded here knows it"
        for name in material.unknown
    )
