"""Every citation of a draft is looked up: its evidence among the ids that were given, its words in the stored text.

A quote must stand in its passage word for word (`support.quotes`), and the figures and names of a statement in its
quotes (`support.missing_facts`). An inference holds if all that it rests on does. Numbers are given in the order of
first citing, one to a work, however many sources found it, and one to documents with the same source and title of which
no work is known; so a number always leads to words that are there. What a changed report cited before keeps its number.

Then each statement whose citations hold is judged (`statement_support`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from elcano.activities.report.checked_draft import (
    REASONS,
    CheckedClaim,
    CheckedDraft,
    CheckedSection,
    key_statement,
)
from elcano.activities.report.statement_support import (
    check_connecting_statement,
    determine_support,
    known_of,
    list_preceding,
    says_nothing_found,
)
from elcano.activities.report.work_merge import Works, list_cited_texts
from elcano.graphs.report.cells import find_cited_cells
from elcano.graphs.report.places import find_marks
from elcano.graphs.report.report import (
    BlockKind,
    CheckedCitation,
    Citation,
    Claim,
    Reference,
    ReportDraft,
    Statement,
    StatementKey,
    Support,
)
from elcano.graphs.report.works import Work
from elcano.storage.evidence import CONFIDENCE, DATA_HASH, PAGE, Evidence, StoredText, get_page_label
from elcano.text.languages import text_language
from elcano.text.phrases import ENGLISH
from elcano.text.prose.markdown_parser import (
    is_statement_kind,
    kind_of,
    leads_on,
    mark_of,
    marks_of,
    parse_markdown,
)
from elcano.text.prose.statements import extract_statements, words_of
from elcano.text.support.quotes import QuoteIndex


def check_citations(
    draft: ReportDraft,
    evidence: Iterable[Evidence],
    texts: Mapping[str, StoredText],
    accounts: Iterable[Work] = (),
    asked: str = "",
    beside: Iterable[Citation] = (),
    *,
    by_words: bool = False,
) -> CheckedDraft:
    """Looks up every citation of `draft`.

    Args:
        draft: what the writer handed over.
        evidence: the passages that the writer was given.
        texts: the stored texts of the cited passages, by content hash.
        accounts: accounts of works from sources besides the passages that the writer was given.
        asked: the question: what it says need not be quoted.
        beside: what code cites besides the draft; its references come after the draft's.
        by_words: the words of statements that no one has read are compared; not of an answer from cells.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    given = {passage.id: passage for passage in evidence}
    desk = _Desk(given, texts, Works(given.values(), accounts), draft, asked, by_words=by_words)
    return CheckedDraft(
        draft=draft,
        language=desk.language,
        introduction=desk.claims(draft.introduction),
        key_findings=desk.claims(draft.key_findings),
        sections=tuple(CheckedSection(one.heading, desk.claims(one.claims)) for one in draft.sections),
        disputed=desk.claims(draft.disputed),
        strength=desk.claims(draft.strength),
        conclusion=desk.claims(draft.conclusion),
        beside=tuple(desk.citation(cited) for cited in beside),
        references=desk.references(),
        related=desk.related(draft.related),
        given=tuple(given.values()),
        works=desk.works,
    )


def locate_quote(quote: str, passage: Evidence, text: str) -> tuple[int, int] | None:
    """Locate `quote` in the stored `text`, in characters; None if its passage does not have it."""
    return _shift_to_stored_text(passage, QuoteIndex.of(text[passage.start : passage.end]).find(quote))


def _shift_to_stored_text(passage: Evidence, place: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if place is None else (passage.start + place[0], passage.start + place[1])


def _locate_on_pages(passage: Evidence, text: str, start: int, end: int) -> dict[str, Any]:
    """Locate the characters `start` to `end` of the stored `text` on pages, as fields of a `CheckedCitation`.

    None of passages that were found before their places were kept: their reports are rebuilt as they were.
    """
    if not passage.places and DATA_HASH not in passage.metadata:
        return {}
    marks = find_marks(text, passage.places, start, end)
    page = marks[0].page if marks else passage.metadata.get(PAGE)
    page = page if isinstance(page, int) else 0
    confidence = passage.metadata.get(CONFIDENCE)
    return {
        "page": page,
        "page_label": get_page_label(passage.metadata, page),
        "marks": marks,
        "cells": find_cited_cells(text, passage.places.cells, start, end),
        "confidence": confidence if isinstance(confidence, int | float) else None,
    }


class _Desk:
    """Looks citations up one after the other and numbers the works and documents as they come."""

    def __init__(
        self,
        given: Mapping[str, Evidence],
        texts: Mapping[str, StoredText],
        works: Works,
        draft: ReportDraft,
        asked: str,
        *,
        by_words: bool,
    ) -> None:
        self.given = given
        self._by_words = by_words and not draft.known
        self._searched: dict[str, QuoteIndex] = {}
        self._known = (asked, draft.title, *(section.heading for section in draft.sections), *draft.known)
        self._judged = {one.key: one for one in draft.judgements}
        self._quoted = draft.quoted
        self.language = text_language(" ".join(one.text for one in draft.claims) or draft.title)
        self.works = works
        self._texts = texts
        self._cited: dict[tuple[str, str], list[Evidence]] = {}
        """Cited passages by what has a number: a work, or documents that share source and title; a document that
        changed in between is another reference."""
        self._numbers: dict[tuple[str, str], int] = {}
        self._earlier = {works.group(given[id]): number for id, number in draft.numbers.items() if id in given}
        """Numbers that references of a changed report had."""
        self._versions: dict[tuple[str, str], str] = {}
        """By group and document the content hash that is cited under the group's number."""

    def claims(self, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """The blocks of one part, each with what follows it in view; what connects them with all that they quote."""
        checked: list[CheckedClaim] = []
        before = ""
        for claim, following in zip_longest(claims, claims[1:]):
            checked.append(self._claim(claim, following, before))
            if checked[-1].kind == "paragraph" and checked[-1].statements:
                before = checked[-1].statements[-1].text
        held = [cited for claim in checked for cited in claim.citations if cited.verdict == "verified"]
        quotes = tuple(dict.fromkeys(cited.quote for cited in held))
        passages = [self.given[id] for id in dict.fromkeys(cited.evidence for cited in held)]
        known = (*self._known, *known_of(passages, self.works))
        return tuple(self._connected(claim, quotes, known) for claim in checked)

    def _connected(self, claim: CheckedClaim, quotes: Sequence[str], known: Sequence[str]) -> CheckedClaim:
        """Return a block with its connecting sentences checked; a block without any citation has that fault already."""
        if (
            self._quoted
            or not is_statement_kind(claim.kind)
            or any(cited.verdict == "no_citation" for cited in claim.citations)
        ):
            return claim
        return replace(
            claim,
            statements=tuple(
                check_connecting_statement(one, quotes, known, self._judged.get(key))
                for key, one in claim.keyed_statements()
            ),
        )

    def _claim(self, claim: Claim, following: Claim | None, before: str) -> CheckedClaim:
        if claim.citations and not all(mark_of(cited.mark) for cited in claim.citations):
            return self._whole(claim)
        tokens = parse_markdown(claim.text, marks_of(claim.citations))
        kind = kind_of(tokens)
        if (
            not claim.citations
            and is_statement_kind(kind)
            and not leads_on(claim.text, following.text if following else "")
        ):
            words = " ".join(filter(None, (words_of(one.children or ()) for one in tokens)))
            written = extract_statements(tokens, self.language)
            said = tuple(Statement(text=one.text, kind="connecting", context=one.context) for one in written)
            stating = [one.text for one in said if not says_nothing_found(one.text)]
            absent = said and not stating
            text = words if len(stating) == len(said) else " ".join(stating)
            none = CheckedCitation(claim=text or claim.text, evidence="", quote="", verdict="no_citation")
            return CheckedClaim(
                claim.text, () if absent else (none,), kind, said, preceding=list_preceding(written, before, kind)
            )
        by_mark: dict[str, tuple[CheckedCitation, ...]] = {}
        statements: list[Statement] = []
        written = extract_statements(tokens, self.language)
        for one in written:
            checked = []
            for mark in one.marks:
                found = [self._citation(one.text, cited) for cited in claim.citations if mark_of(cited.mark) == mark]
                by_mark[mark] = tuple(found)
                checked.extend(found)
            statements.append(self._statement(one.text, tuple(checked), inferred=one.inferred, context=one.context))
        facts = [one for one in statements if one.kind == "fact"]
        preceding = list_preceding(written, before, kind)
        statements = [self._as_judged(one, earlier, facts) for one, earlier in zip(statements, preceding, strict=True)]
        citations = tuple(cited for one in statements for cited in one.citations)
        return CheckedClaim(claim.text, citations, kind, tuple(statements), by_mark, preceding)

    def _whole(self, claim: Claim) -> CheckedClaim:
        """A block whose citations support it whole."""
        citations = tuple(self._citation(claim.text, cited) for cited in claim.citations)
        kind: BlockKind = "quotation" if self._quoted else "paragraph"
        return CheckedClaim(claim.text, citations, kind, (self._as_judged(self._statement(claim.text, citations), ""),))

    def _statement(
        self, text: str, citations: tuple[CheckedCitation, ...], *, inferred: bool = False, context: str = ""
    ) -> Statement:
        failed = [cited for cited in citations if cited.verdict != "verified"]
        support: Support = "unchecked"
        reason = ""
        if failed and (inferred or len(failed) == len(citations)):
            support = "not_supported"
            reason = ENGLISH.grounds_fail.format(reason=REASONS[failed[0].verdict]) if inferred else ""
            reason = reason or REASONS[failed[0].verdict]
        return Statement(
            text=text,
            kind="inference" if inferred else "fact" if citations else "connecting",
            citations=citations,
            support=support,
            reason=reason,
            context=context,
        )

    def _as_judged(self, statement: Statement, before: str, facts: Sequence[Statement] = ()) -> Statement:
        """Return the statement with its judgement; a citation that does not hold takes precedence.

        Args:
            statement: what is judged.
            before: the sentence before it.
            facts: those of its block, of which an inference names some.
        """
        if statement.support == "not_supported" or self._quoted:
            return statement
        evidence = tuple(dict.fromkeys(cited.evidence for cited in statement.citations))
        passages = [self.given[id] for id in evidence if id in self.given]
        known = (*self._known, *known_of(passages, self.works))
        quoted = {(cited.evidence, cited.quote) for cited in statement.citations}
        named = [one.text for one in facts if quoted.intersection((c.evidence, c.quote) for c in one.citations)]
        key = key_statement(statement, before)
        found = self._judged.get(key) or self._judged.get(StatementKey(statement.text, evidence=evidence))
        texts = [one.text for one in passages]
        return determine_support(statement, known, found, texts, named, by_words=self._by_words)

    def citation(self, cited: Citation) -> CheckedCitation:
        """Check a citation that code makes: it supports its own words."""
        return self._citation(cited.quote, cited)

    def related(self, ids: Iterable[str]) -> tuple[Evidence, ...]:
        """The given ones of `ids`, one of each place in a work, and none of a place that the references name."""
        cited = {(group, one.locator) for group, passages in self._cited.items() for one in passages}
        named: dict[tuple[tuple[str, str], str], Evidence] = {}
        for passage in (self.given[id] for id in ids if id in self.given):
            named.setdefault((self.works.group(passage), passage.locator), passage)
        return tuple(passage for place, passage in named.items() if place not in cited)

    def references(self) -> tuple[Reference, ...]:
        found = (self._reference(self._numbers[key], passages) for key, passages in self._cited.items())
        return tuple(sorted(found, key=lambda one: one.number))

    def _reference(self, number: int, passages: list[Evidence]) -> Reference:
        first, merged = passages[0], self.works.of(passages[0])
        work = merged.work if merged else None
        if work is not None and not all(one.work and "abstract_only" in one.work.flags for one in passages):
            kept = tuple(flag for flag in work.flags if flag != "abstract_only")
            work = work.model_copy(update={"flags": kept})
        return Reference(
            number=number,
            document=self.works.document(first),
            title=(work.title if work else "") or self._texts[first.content_hash].title,
            source=first.source,
            locators=tuple(dict.fromkeys(passage.locator for passage in passages)),
            content_hash=first.content_hash,
            work=work,
            described_by=merged.described_by if merged else (),
            also=merged.also if merged else (),
            preprints=merged.preprints if merged else (),
            texts=tuple(list_cited_texts(passages)),
        )

    def _citation(self, claim: str, cited: Citation) -> CheckedCitation:
        checked = CheckedCitation(claim=claim, evidence=cited.evidence, quote=cited.quote, verdict="unknown_evidence")
        passage = self.given.get(cited.evidence)
        if passage is None:
            return checked
        text = self._texts[passage.content_hash].text
        if passage.id not in self._searched:
            self._searched[passage.id] = QuoteIndex.of(text[passage.start : passage.end])
        place = _shift_to_stored_text(passage, self._searched[passage.id].find(cited.quote))
        if place is None:
            return checked.model_copy(update={"verdict": "quote_not_found"})
        found = {"number": self._number(passage), "start": place[0], "end": place[1]}
        shown = _locate_on_pages(passage, text, *place)
        return checked.model_copy(
            update={"verdict": "verified", **found, "content_hash": passage.content_hash, **shown}
        )

    def _number(self, passage: Evidence) -> int:
        key = self.works.group(passage)
        version = self._versions.setdefault((str(key), passage.document), passage.content_hash)
        if version != passage.content_hash:
            key = self.works.key(passage)
        self._cited.setdefault(key, []).append(passage)
        if key not in self._numbers:
            new = max((*self._numbers.values(), *self._earlier.values()), default=0) + 1
            self._numbers[key] = self._earlier.get(key, new)
        return self._numbers[key]
