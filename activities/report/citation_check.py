"""Every citation of a draft is looked up: its evidence among the ids that were given, its words in the stored text.

A quote must stand in its passage word for word (`support.quotes`), and the figures and names of a statement in its
quotes (`support.missing_facts`). An inference holds if all that it rests on does. Numbers are given in the order of
first citing, one to a work, however many sources found it, and one to a document of which no work is known; so a number
always leads to words that are there.

Then each statement whose citations hold is judged. Nobody talks code round about a figure: one that no quote has makes
a statement unsupported, whatever the reviewer says. A name may be another one's, so there the reviewer's word counts.
Where nobody read a statement its words are compared as well. What connects and cites nothing may name no figure that
the text around it does not rest on; an inference none that does not follow from what it names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from elcano.activities.prose.markdown_parser import (
    is_statement_kind,
    kind_of,
    leads_on,
    mark_of,
    marks_of,
    parse_markdown,
)
from elcano.activities.prose.statements import extract_statements, words_of
from elcano.activities.report.checked_draft import REASONS, CheckedClaim, CheckedDraft, CheckedSection
from elcano.activities.report.references import Works, list_cited_texts
from elcano.activities.support.missing_facts import Statement as Said
from elcano.activities.support.missing_facts import figures_unquoted, find_underived_figures, names_unquoted
from elcano.activities.support.quotes import QuoteIndex
from elcano.activities.support.statement_check import StatementFinding, judge_statement
from elcano.graphs.report.draft import Citation, Claim
from elcano.graphs.report.report import Reference, ReportDraft
from elcano.graphs.report.statements import BlockKind, CheckedCitation, Judgement, Statement, Support
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText


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
        self._by_words = by_words and not draft.known
        self._searched: dict[str, QuoteIndex] = {}
        self._known = (asked, draft.title, *(section.heading for section in draft.sections), *draft.known)
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
            texts=tuple(list_cited_texts(passages)),
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


MOST_REASONS = 3
IN_PASSAGE = "the passage says it, the words it quotes do not"


def determine_support(
    statement: Statement,
    known: Sequence[str],
    judgement: Judgement | None,
    passages: Sequence[str] = (),
    facts: Sequence[str] = (),
    *,
    by_words: bool = False,
) -> Statement:
    """`statement` with its support and the reason.

    Args:
        statement: of one whose citations hold as far as it needs them.
        known: what need not be quoted.
        judgement: what the reviewer found of it; None if nobody looked.
        passages: the texts that it cites.
        facts: of an inference, the statements that it names.
        by_words: its words are compared if nobody looked; not those of a cell, which is no sentence.
    """
    support: Support = judgement.support if judgement else "unchecked"
    said = said_of(statement, known)
    whole = replace(said, quotes=(*said.quotes, *passages))
    if statement.kind == "fact" and by_words and support == "unchecked" and not statement.context:
        found = judge_statement(said)
        if found.reasons and passages and not judge_statement(whole).reasons:
            found = StatementFinding("in_passage", (IN_PASSAGE, *found.reasons))
        return _set_support(statement, found.support, found.reasons)
    reasons = [judgement.reason] if judgement and judgement.reason else []
    if statement.kind == "inference" and (
        figures := find_underived_figures(replace(said, quotes=(*said.quotes, *facts)))
    ):
        support = "partly" if support in ("supported", "partly") else "not_supported"
        reasons = [*figures, *reasons]
    elif statement.kind == "fact":
        figures, names = figures_unquoted(said), names_unquoted(said)
        if figures:
            there = passages and support in ("supported", "unchecked") and not figures_unquoted(whole)
            support = "in_passage" if there else "partly" if support in ("supported", "partly") else "not_supported"
            reasons = [*([IN_PASSAGE] if there else []), *figures, *reasons]
        if names and support in ("unchecked", "partly", "not_supported"):
            if support == "unchecked":
                there = passages and not names_unquoted(whole)
                support = "in_passage" if there else "partly"
                reasons = [*([IN_PASSAGE] if there else []), *reasons]
            reasons = [*reasons, *names]
    return _set_support(statement, support, reasons)


def _set_support(statement: Statement, support: Support, reasons: Sequence[str]) -> Statement:
    return statement.model_copy(update={"support": support, "reason": "; ".join(reasons[:MOST_REASONS])})


def check_connecting_statement(statement: Statement, quotes: Sequence[str], known: Sequence[str]) -> Statement:
    """Return a connecting statement, which cites nothing, with what is wrong with its figures.

    Args:
        statement: a sentence or an item; a cell may say how its row is called.
        quotes: what the text around it quotes.
        known: what need not be quoted.
    """
    if statement.kind != "connecting" or statement.context or statement.reason:
        return statement
    found = figures_unquoted(Said(statement.text, tuple(quotes), tuple(known)), counting=True)
    if not found:
        return statement
    reasons = (reason.replace("the words it quotes", "the words that are quoted around it") for reason in found)
    return _set_support(statement, "not_supported", list(reasons))


def said_of(statement: Statement, known: Sequence[str]) -> Said:
    """The statement with its quotes that hold, as it is held against them."""
    quotes = tuple(dict.fromkeys(cited.quote for cited in statement.citations if cited.verdict == "verified"))
    return Said(statement.text, quotes, (*known, statement.context))


def known_of(passages: Iterable[Evidence], works: Works) -> Iterator[str]:
    """Yield what is known of cited passages besides their text: titles, authors, year and venue."""
    for passage in passages:
        yield passage.title
        yield passage.heading
        known = works.of(passage)
        if known is not None:
            work = known.work
            yield " ".join(filter(None, (work.title, *work.authors, str(work.year or ""), work.venue)))
