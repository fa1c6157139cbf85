"""Builds a report from a run's output and stored data: a pure function, so that others can rebuild it.

The publisher builds it once; the verification of a certificate builds it again and compares.

A checked draft becomes the parts of its report: blocks of Markdown with numbers where marks stood, and their
statements. What a writer wrote as Markdown is written again by `prose.markdown_writer`; a quotation is on one line,
but for the code that it ends with. A number says that its words were found. An inference says what it was drawn from;
what is not supported says so where it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from markdown_it.token import Token

from elcano.activities.passages.unread_warnings import condense_gap_warnings
from elcano.activities.report.additions import AddedText, ReportMaterial
from elcano.activities.report.checked_draft import CheckedClaim, CheckedDraft
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.markdown import list_retraction_warnings, render_number, sanitize_markdown
from elcano.activities.report.rendering import partial_reason, render_evidence, render_report
from elcano.activities.report.table_marks import TableMarks, collect_table_marks, describe_support, is_caption
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Block, CheckedCitation, Part, PartKind, Report, Statement, title_for
from elcano.graphs.state.state import ReportRef
from elcano.storage.evidence import StoredText
from elcano.text.phrases import ENGLISH, Phrases, choose_phrases
from elcano.text.prose.markdown_parser import CITATION, bracket_of, parse_markdown
from elcano.text.prose.markdown_writer import fence_code, render_markdown
from elcano.text.prose.statements import LAST, STATEMENT, extract_statements


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
    warnings = condense_gap_warnings(material.call.warnings)
    material = replace(material, call=material.call.model_copy(update={"warnings": warnings}))
    call, draft = material.call, material.draft
    if draft is None:
        return _build_evidence_report(material, builds, searched)
    if any(one.answers for one in material.additions):
        draft = draft.model_copy(update={"answered": True})
    cited_apart = tuple(dict.fromkeys(cited for one in material.additions for cited in one.citations))
    checked = check_citations(
        draft, material.evidence, texts, material.accounts, call.question, cited_apart, by_words=True
    )
    doubts = list_retraction_warnings(checked.references)
    words = choose_phrases(call.question, (one.text for one in checked.given), checked.rewritten)
    parts = render_parts(checked, checked.marks, words)
    added = [one.render(checked, words) for one in material.additions]
    return Report(
        run_id=call.run_id,
        question=call.question,
        title=draft.title,
        markdown=render_report(call, checked, parts, words, doubts, searched, added),
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
        language=checked.language,
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


_CODE: Final = re.compile(r"(?P<said>[^\n].*?:)[ \t]*\n\n(?P<code>(?!\s*(?:[-*+\u2022]|\d{1,3}[.)])\s).+)", re.DOTALL)
"""A sentence that announces what is below it, which is no list."""


def render_parts(checked: CheckedDraft, marks: Mapping[int, str], words: Phrases = ENGLISH) -> tuple[Part, ...]:
    """The parts of the report, in their order; an empty one is left out, but for a section.

    Args:
        checked: the draft.
        marks: what is said behind a number whose work does not stand, as that it was retracted.
        words: the fixed words in the language of the report.
    """
    quoted = checked.draft.quoted
    headings: Mapping[PartKind, str] = {
        "key_findings": words.key_findings,
        "disputed": words.disputed,
        "strength": words.strength,
        "conclusion": words.conclusion,
    }

    def blocks(claims: Sequence[CheckedClaim]) -> tuple[Block, ...]:
        shown: list[Block] = []
        for above, claim in zip((None, *claims), claims, strict=False):
            text = _render_claim(claim, _Marks(marks, words, checked.language), quoted=quoted)
            if text.shared and above is not None and is_caption(above, claim):
                shown[-1] = shown[-1].model_copy(update={"markdown": f"{shown[-1].markdown} {text.shared}"})
                text = text._replace(shared="")
            shown.append(Block(kind=claim.kind, markdown="\n\n".join(filter(None, text)), statements=claim.statements))
        return tuple(shown)

    first: list[tuple[PartKind, Sequence[CheckedClaim]]] = [
        ("introduction", checked.introduction),
        ("key_findings", checked.key_findings),
    ]
    last: list[tuple[PartKind, Sequence[CheckedClaim]]] = [
        ("disputed", checked.disputed),
        ("strength", checked.strength),
        ("conclusion", checked.conclusion),
    ]
    before = [
        Part(kind=kind, heading=headings.get(kind, ""), blocks=blocks(claims)) for kind, claims in first if claims
    ]
    sections = [Part(kind="section", heading=one.heading, blocks=blocks(one.claims)) for one in checked.sections]
    after = [Part(kind=kind, heading=headings[kind], blocks=blocks(claims)) for kind, claims in last if claims]
    return (*before, *sections, *after)


@dataclass(frozen=True)
class _Marks:
    """The notes behind statements and their numbers."""

    of_works: Mapping[int, str]
    """Behind a number whose work does not stand."""
    words: Phrases
    language: str


class _Rendered(NamedTuple):
    """A block as Markdown."""

    text: str
    shared: str = ""
    """Numbers that all cells of a table share."""
    notes: str = ""
    """Cells of a table that were concluded or are not supported."""


def _render_claim(claim: CheckedClaim, marks: _Marks, *, quoted: bool) -> _Rendered:
    unverified = marks.words.not_verified
    if claim.citations and not claim.by_mark and any(one.verdict != "no_citation" for one in claim.citations):
        said, code = _with_code(claim.text) if quoted else (claim.text, "")
        text = f"“{sanitize_markdown(said)}”" if quoted else sanitize_markdown(said)
        numbers = _render_citation_numbers(claim.citations, marks.of_works) or unverified
        doubt = describe_support(claim.statements[0], marks.words)
        return _Rendered(
            " ".join(filter(None, (text, numbers, doubt))) + (f"\n\n{fence_code('', code)}" if code else "")
        )
    tokens = parse_markdown(claim.text, claim.by_mark)
    extract_statements(tokens, marks.language)
    table = collect_table_marks(tokens, claim, marks.words) if claim.kind == "table" and claim.by_mark else None
    text = render_markdown(tokens, _Numbering(claim, marks, table).said, claim.text) or sanitize_markdown(claim.text)
    if table is not None:
        inferred = (
            f"- {said} {marks.words.inferred_from.format(numbers=_join_numbers(numbers, marks.of_works, ', '))}"
            for said, numbers in table.inferred
        )
        notes = "\n".join(filter(None, (*inferred, table.notes)))
        return _Rendered(text, _join_numbers(table.shared, marks.of_works), notes)
    if any(one.verdict == "no_citation" for one in claim.citations):
        return _Rendered(f"{text} {unverified}" if claim.kind == "paragraph" else f"{text}\n\n{unverified}")
    return _Rendered(text)


def _with_code(quotation: str) -> tuple[str, str]:
    """A quotation, and the lines of code or of a table that it ends with: they say nothing on one line."""
    found = _CODE.fullmatch(quotation)
    return (found["said"], found["code"]) if found else (quotation, "")


@dataclass(frozen=True)
class _Numbering:
    """Numbers in place of the marks of one block."""

    claim: CheckedClaim
    marks: _Marks

    table: TableMarks | None = None
    """Marks next to a table; its cells do not say how they were checked."""

    def said(self, token: Token) -> str:
        number, words = token.meta[STATEMENT], self.marks.words
        statement = self.claim.statements[number]
        unverified = "" if self.table else words.not_verified
        if token.type != CITATION:
            missing = not self.claim.citations or self.claim.by_mark
            return f" {unverified}" if unverified and statement.support == "not_supported" and missing else ""
        if self.table and number in self.table.unmarked:
            return ""
        bracket = bracket_of(token)
        if not token.meta[LAST] and not bracket.inferred and _share_one_number(statement):
            return ""
        cited = [one for mark in bracket.marks for one in self.claim.by_mark[mark]]
        numbers = _render_citation_numbers(cited, self.marks.of_works, ", " if bracket.inferred else " ")
        doubted = describe_support(statement, words) if token.meta[LAST] and not self.table else ""
        if bracket.inferred:
            holds = numbers and all(one.verdict == "verified" for one in cited)
            inferred = words.inferred_from.format(numbers=numbers) if holds else words.inferred
            return " ".join(filter(None, (inferred, doubted if holds else unverified)))
        return " ".join(filter(None, (numbers or unverified, doubted)))


def _share_one_number(statement: Statement) -> bool:
    """Return whether all that a statement cites holds and has one number, which is then written at its last mark."""
    return (
        statement.kind == "fact"
        and all(one.verdict == "verified" for one in statement.citations)
        and len({one.number for one in statement.citations}) == 1
    )


def _render_citation_numbers(citations: Iterable[CheckedCitation], marks: Mapping[int, str], between: str = " ") -> str:
    """The numbers of what holds, each once; behind that of a work that does not stand it says so."""
    numbers = dict.fromkeys(one.number for one in citations if one.number is not None)
    return _join_numbers(numbers, marks, between)


def _join_numbers(numbers: Iterable[int], marks: Mapping[int, str], between: str = " ") -> str:
    return between.join(render_number(number, marks) for number in numbers)
