"""Every citation of a draft is looked up: its evidence among the ids that were given, its words in the stored text.

What is looked up is told of the statement that its mark stands behind. An inference holds if all that it rests on does.

A quote must stand in its passage word for word (`support.quotes`), and the figures and names of a statement in its
quotes (`support.quote_coverage`). Numbers are given in the order of first citing, one to a work, however many
sources found it, and one to a document of which no work is known; so a number always leads to words that are there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final

from elcano.activities.prose.block_kinds import is_statement_kind, kind_of, leads_on
from elcano.activities.prose.markdown_parser import mark_of, marks_of, parse_markdown
from elcano.activities.prose.statements import extract_statements, words_of
from elcano.activities.report.statement_support import check_connecting_statement, determine_support, known_of
from elcano.activities.report.work_accounts import Works
from elcano.activities.support.quotes import QuoteIndex
from elcano.graphs.references.days import format_utc_day
from elcano.graphs.report.draft import Citation, Claim
from elcano.graphs.report.report import CitedText, Reference, ReportDraft
from elcano.graphs.report.statements import BlockKind, CheckedCitation, Statement, Support, SupportCounts, Verdict
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText

REASONS: Final[dict[Verdict, str]] = {
    "verified": "the words stand in the evidence",
    "unknown_evidence": "the evidence it cites was never given to the writer",
    "quote_not_found": "the words it quotes do not stand in the evidence it cites",
    "no_citation": "it cites nothing",
}


@dataclass(frozen=True)
class CheckedClaim:
    """One block, its statements, and what became of its citations."""

    text: str
    citations: tuple[CheckedCitation, ...]
    """In the order of its statements; one with the verdict `no_citation` if it states something and cites nothing."""
    kind: BlockKind = "paragraph"
    statements: tuple[Statement, ...] = ()
    """In the order of `prose.statements.extract_statements`; of a block that is supported whole, the block."""
    by_mark: Mapping[str, tuple[CheckedCitation, ...]] = field(default_factory=dict)
    """What each mark stands for; empty: its citations support it whole."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the references that support it, each once, in the order of its citations."""
        return tuple(dict.fromkeys(cited.number for cited in self.citations if cited.number is not None))


@dataclass(frozen=True)
class CheckedSection:
    """A heading and the claims under it."""

    heading: str
    claims: tuple[CheckedClaim, ...]


@dataclass(frozen=True)
class CheckedDraft:
    """A draft after all its citations were looked up."""

    draft: ReportDraft
    introduction: tuple[CheckedClaim, ...]
    key_findings: tuple[CheckedClaim, ...]
    sections: tuple[CheckedSection, ...]
    disputed: tuple[CheckedClaim, ...]
    strength: tuple[CheckedClaim, ...]
    conclusion: tuple[CheckedClaim, ...]
    references: tuple[Reference, ...]
    related: tuple[Evidence, ...]
    """The evidence that the draft names as worth reading, without what was never given."""
    given: tuple[Evidence, ...]
    """The passages that the writer was given."""
    works: Works
    """What is known of the works that they are of."""
    beside: tuple[CheckedCitation, ...] = ()
    """What code cites beside the draft."""

    @property
    def claims(self) -> tuple[CheckedClaim, ...]:
        """Every block, in the order of the report."""
        sections = (claim for section in self.sections for claim in section.claims)
        first = (*self.introduction, *self.key_findings)
        return (*first, *sections, *self.disputed, *self.strength, *self.conclusion)

    @property
    def citations(self) -> tuple[CheckedCitation, ...]:
        """Every citation, in the order of the report; claims without one are among them as `no_citation`."""
        return tuple(cited for claim in self.claims for cited in claim.citations)

    @property
    def doubted(self) -> tuple[Statement, ...]:
        """Statements whose citations hold and which these do not support, or not wholly."""
        said = (one for claim in self.claims for one in claim.statements)
        return tuple(one for one in said if one.reason and all(c.verdict == "verified" for c in one.citations))

    @property
    def support(self) -> SupportCounts:
        """How many statements that cite something are supported by it."""
        said = (one for claim in self.claims for one in claim.statements if one.kind != "connecting")
        counts: Counter[str] = Counter(one.support for one in said)
        return SupportCounts(**counts)

    @property
    def unverified(self) -> tuple[CheckedCitation, ...]:
        """The citations that do not hold, in the order of the report."""
        return tuple(cited for cited in self.citations if cited.verdict != "verified")


def cited_ids(draft: ReportDraft) -> tuple[str, ...]:
    """The evidence ids that a draft's claims cite, each once, whether they exist or not."""
    return tuple(dict.fromkeys(cited.evidence for claim in draft.claims for cited in claim.citations))


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
        accounts: what sources told of works beside the passages that the writer was given.
        asked: the question: what it says need not be quoted.
        beside: what code cites beside the draft; its references come after the draft's.
        by_words: the words of statements that nobody has read are compared; not of an answer from cells.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    given = {passage.id: passage for passage in evidence}
    desk = _Desk(given, texts, Works(given.values(), accounts), draft, asked, by_words=by_words)
    return CheckedDraft(
        draft=draft,
        introduction=desk.claims(draft.introduction),
        key_findings=desk.claims(draft.key_findings),
        sections=tuple(CheckedSection(one.heading, desk.claims(one.claims)) for one in draft.sections),
        disputed=desk.claims(draft.disputed),
        strength=desk.claims(draft.strength),
        conclusion=desk.claims(draft.conclusion),
        beside=tuple(desk.citation(cited) for cited in beside),
        references=desk.references(),
        related=tuple(desk.given[id] for id in dict.fromkeys(draft.related) if id in desk.given),
        given=tuple(given.values()),
        works=desk.works,
    )


def locate_quote(quote: str, passage: Evidence, text: str) -> tuple[int, int] | None:
    """Where `quote` begins and ends in the stored `text`, in characters; None if its passage does not have it."""
    return _shift_to_stored_text(passage, QuoteIndex.of(text[passage.start : passage.end]).find(quote))


def _shift_to_stored_text(passage: Evidence, place: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if place is None else (passage.start + place[0], passage.start + place[1])


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
        self._by_words = by_words and draft.data is None
        self._searched: dict[str, QuoteIndex] = {}
        proven = draft.data.known if draft.data else ()
        self._known = (asked, draft.title, *(section.heading for section in draft.sections), *proven)
        self._judged = {(one.statement, one.evidence): one for one in draft.judgements}
        self._quoted = draft.quoted
        self.works = works
        self._texts = texts
        self._cited: dict[tuple[str, str], list[Evidence]] = {}
        """Cited passages by what has a number: a work, or a document and its content hash, because a document that
        changed in between is another reference."""
        self._numbers: dict[tuple[str, str], int] = {}

    def claims(self, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """The blocks of one part, each with what follows it in view; what connects them with all that they quote."""
        checked = [self._claim(claim, following) for claim, following in zip_longest(claims, claims[1:])]
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
            claim, statements=tuple(check_connecting_statement(one, quotes, known) for one in claim.statements)
        )

    def _claim(self, claim: Claim, following: Claim | None) -> CheckedClaim:
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
            none = CheckedCitation(claim=words or claim.text, evidence="", quote="", verdict="no_citation")
            said = tuple(Statement(text=one.text, kind="connecting") for one in extract_statements(tokens))
            return CheckedClaim(claim.text, (none,), kind, said)
        by_mark: dict[str, tuple[CheckedCitation, ...]] = {}
        statements: list[Statement] = []
        for one in extract_statements(tokens):
            checked = []
            for mark in one.marks:
                found = [self._citation(one.text, cited) for cited in claim.citations if mark_of(cited.mark) == mark]
                by_mark[mark] = tuple(found)
                checked.extend(found)
            statements.append(self._statement(one.text, tuple(checked), inferred=one.inferred, context=one.context))
        facts = [one for one in statements if one.kind == "fact"]
        statements = [self._as_judged(one, facts) for one in statements]
        citations = tuple(cited for one in statements for cited in one.citations)
        return CheckedClaim(claim.text, citations, kind, tuple(statements), by_mark)

    def _whole(self, claim: Claim) -> CheckedClaim:
        """A block whose citations support it whole."""
        citations = tuple(self._citation(claim.text, cited) for cited in claim.citations)
        kind: BlockKind = "quotation" if self._quoted else "paragraph"
        return CheckedClaim(claim.text, citations, kind, (self._as_judged(self._statement(claim.text, citations)),))

    def _statement(
        self, text: str, citations: tuple[CheckedCitation, ...], *, inferred: bool = False, context: str = ""
    ) -> Statement:
        failed = [cited for cited in citations if cited.verdict != "verified"]
        support: Support = "unchecked"
        reason = ""
        if failed and (inferred or len(failed) == len(citations)):
            support = "not_supported"
            reason = f"it rests on what does not hold: {REASONS[failed[0].verdict]}" if inferred else ""
            reason = reason or REASONS[failed[0].verdict]
        return Statement(
            text=text,
            kind="inference" if inferred else "fact" if citations else "connecting",
            citations=citations,
            support=support,
            reason=reason,
            context=context,
        )

    def _as_judged(self, statement: Statement, facts: Sequence[Statement] = ()) -> Statement:
        """Return the statement with its judgement; a citation that does not hold takes precedence.

        `facts`: those of its block, of which an inference names some.
        """
        if statement.support == "not_supported" or self._quoted:
            return statement
        evidence = tuple(dict.fromkeys(cited.evidence for cited in statement.citations))
        passages = [self.given[id] for id in evidence if id in self.given]
        known = (*self._known, *known_of(passages, self.works))
        quoted = {(cited.evidence, cited.quote) for cited in statement.citations}
        named = [one.text for one in facts if quoted.intersection((c.evidence, c.quote) for c in one.citations)]
        found = self._judged.get((statement.text, evidence))
        texts = [one.text for one in passages]
        return determine_support(statement, known, found, texts, named, by_words=self._by_words)

    def citation(self, cited: Citation) -> CheckedCitation:
        """What becomes of one that code makes: it supports its own words."""
        return self._citation(cited.quote, cited)

    def references(self) -> tuple[Reference, ...]:
        return tuple(self._reference(self._numbers[key], passages) for key, passages in self._cited.items())

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
            told_by=merged.told_by if merged else (),
            also=merged.also if merged else (),
            preprints=merged.preprints if merged else (),
            texts=tuple(_list_cited_texts(passages)),
        )

    def _citation(self, claim: str, cited: Citation) -> CheckedCitation:
        checked = CheckedCitation(claim=claim, evidence=cited.evidence, quote=cited.quote, verdict="unknown_evidence")
        passage = self.given.get(cited.evidence)
        if passage is None:
            return checked
        if passage.id not in self._searched:
            text = self._texts[passage.content_hash].text
            self._searched[passage.id] = QuoteIndex.of(text[passage.start : passage.end])
        place = _shift_to_stored_text(passage, self._searched[passage.id].find(cited.quote))
        if place is None:
            return checked.model_copy(update={"verdict": "quote_not_found"})
        found = {"number": self._number(passage), "start": place[0], "end": place[1]}
        return checked.model_copy(update={"verdict": "verified", **found, "content_hash": passage.content_hash})

    def _number(self, passage: Evidence) -> int:
        key = self.works.key(passage)
        self._cited.setdefault(key, []).append(passage)
        return self._numbers.setdefault(key, len(self._numbers) + 1)


def _list_cited_texts(passages: Iterable[Evidence]) -> Iterable[CitedText]:
    """Each text of a reference once, in the order of first citing."""
    by_text: dict[tuple[str, str], list[Evidence]] = {}
    for passage in passages:
        by_text.setdefault((passage.document, passage.content_hash), []).append(passage)
    for (document, content_hash), cited in by_text.items():
        yield CitedText(
            content_hash=content_hash,
            document=document,
            source=cited[0].source,
            locators=tuple(dict.fromkeys(passage.locator for passage in cited)),
            retrieved=format_utc_day(max(passage.retrieved_at for passage in cited)),
        )
