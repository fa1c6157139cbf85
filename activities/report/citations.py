"""Every citation of a draft is looked up: its evidence among the ids that were given, its words in the stored text.

A quote must stand in its passage letter for letter; only the length and kind of white space may differ, because
pages and prompts break lines elsewhere. Numbers are given in the order of first citing, one to a work, however many
sources found it, and one to a document of which no work is known; so a number always leads to words that are there.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elcano.activities.report.works import Works
from elcano.graphs.references.days import day
from elcano.graphs.values.report import Citation, CitedText, Claim, Reference, ReportDraft
from elcano.graphs.values.statements import CheckedCitation
from elcano.graphs.values.works import Work
from elcano.storage.evidence import Evidence, StoredText


@dataclass(frozen=True)
class CheckedClaim:
    """One claim and what became of its citations."""

    text: str
    citations: tuple[CheckedCitation, ...]
    """At least one: a claim without citations has one with the verdict `no_citation`."""

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
    key_findings: tuple[CheckedClaim, ...]
    sections: tuple[CheckedSection, ...]
    references: tuple[Reference, ...]
    related: tuple[Evidence, ...]
    """The evidence that the draft names as worth reading, without what was never given."""
    given: tuple[Evidence, ...]
    """The passages that the writer was given."""
    works: Works
    """What is known of the works that they are of."""

    @property
    def citations(self) -> tuple[CheckedCitation, ...]:
        """Every citation, in the order of the report; claims without one are among them as `no_citation`."""
        claims = (*self.key_findings, *(claim for section in self.sections for claim in section.claims))
        return tuple(cited for claim in claims for cited in claim.citations)

    @property
    def unverified(self) -> tuple[CheckedCitation, ...]:
        """What does not hold, in the order of the report."""
        return tuple(cited for cited in self.citations if cited.verdict != "verified")


def cited_ids(draft: ReportDraft) -> tuple[str, ...]:
    """The evidence ids that a draft's claims cite, each once, whether they exist or not."""
    return tuple(dict.fromkeys(cited.evidence for claim in draft.claims for cited in claim.citations))


def check(
    draft: ReportDraft,
    evidence: Iterable[Evidence],
    texts: Mapping[str, StoredText],
    accounts: Iterable[Work] = (),
) -> CheckedDraft:
    """Looks up every citation of `draft`.

    Args:
        draft: what the writer handed over.
        evidence: the passages that the writer was given.
        texts: the stored texts of the cited passages, by content hash.
        accounts: what sources told of works beside the passages that the writer was given.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    given = {passage.id: passage for passage in evidence}
    desk = _Desk(given, texts, Works(given.values(), accounts))
    key_findings = tuple(desk.claim(claim) for claim in draft.key_findings)
    sections = tuple(
        CheckedSection(heading=section.heading, claims=tuple(desk.claim(claim) for claim in section.claims))
        for section in draft.sections
    )
    related = tuple(desk.given[id] for id in dict.fromkeys(draft.related) if id in desk.given)
    return CheckedDraft(draft, key_findings, sections, desk.references(), related, tuple(given.values()), desk.works)


def find(quote: str, passage: Evidence, text: str) -> tuple[int, int] | None:
    """Where `quote` begins and ends in the stored `text`, in characters; None if its passage does not have it."""
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    found = pattern.search(text, passage.start, passage.end)
    return found.span() if found else None


class _Desk:
    """Looks citations up one after the other and numbers the works and documents as they come."""

    def __init__(self, given: Mapping[str, Evidence], texts: Mapping[str, StoredText], works: Works) -> None:
        self.given = given
        self.works = works
        self._texts = texts
        self._cited: dict[tuple[str, str], list[Evidence]] = {}
        """Cited passages by what has a number: a work, or a document and its content hash, because a document that
        changed in between is another reference."""
        self._numbers: dict[tuple[str, str], int] = {}

    def claim(self, claim: Claim) -> CheckedClaim:
        if not claim.citations:
            none = CheckedCitation(claim=claim.text, evidence="", quote="", verdict="no_citation")
            return CheckedClaim(claim.text, (none,))
        return CheckedClaim(claim.text, tuple(self._citation(claim.text, cited) for cited in claim.citations))

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
            texts=tuple(_texts(passages)),
        )

    def _citation(self, claim: str, cited: Citation) -> CheckedCitation:
        checked = CheckedCitation(claim=claim, evidence=cited.evidence, quote=cited.quote, verdict="unknown_evidence")
        passage = self.given.get(cited.evidence)
        if passage is None:
            return checked
        place = find(cited.quote, passage, self._texts[passage.content_hash].text)
        if place is None:
            return checked.model_copy(update={"verdict": "quote_not_found"})
        found = {"number": self._number(passage), "start": place[0], "end": place[1]}
        return checked.model_copy(update={"verdict": "verified", **found, "content_hash": passage.content_hash})

    def _number(self, passage: Evidence) -> int:
        key = self.works.key(passage)
        self._cited.setdefault(key, []).append(passage)
        return self._numbers.setdefault(key, len(self._numbers) + 1)


def _texts(passages: Iterable[Evidence]) -> Iterable[CitedText]:
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
            retrieved=day(max(passage.retrieved_at for passage in cited)),
        )
