"""Every citation of a draft is looked up: its evidence among the ids that were given, its words in the stored text.

A quote must stand in its passage letter for letter; only the length and kind of white space may differ, because
pages and prompts break lines elsewhere. Numbers are given by document in the order of first citing, so a number always
leads to words that are there.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elcano.graphs.values.report import CheckedCitation, Citation, Claim, Reference, ReportDraft
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
    claims = (*draft.key_findings, *(claim for section in draft.sections for claim in section.claims))
    return tuple(dict.fromkeys(cited.evidence for claim in claims for cited in claim.citations))


def check(draft: ReportDraft, evidence: Iterable[Evidence], texts: Mapping[str, StoredText]) -> CheckedDraft:
    """Looks up every citation of `draft`.

    Args:
        draft: what the writer handed over.
        evidence: the passages that the writer was given.
        texts: the stored texts of the cited passages, by content hash.

    Raises:
        KeyError: the text of a cited passage is not among `texts`.
    """
    desk = _Desk({passage.id: passage for passage in evidence}, texts)
    key_findings = tuple(desk.claim(claim) for claim in draft.key_findings)
    sections = tuple(
        CheckedSection(heading=section.heading, claims=tuple(desk.claim(claim) for claim in section.claims))
        for section in draft.sections
    )
    related = tuple(desk.given[id] for id in dict.fromkeys(draft.related) if id in desk.given)
    return CheckedDraft(draft, key_findings, sections, desk.references(), related)


def find(quote: str, passage: Evidence, text: str) -> tuple[int, int] | None:
    """Where `quote` begins and ends in the stored `text`, in characters; None if its passage does not have it."""
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    found = pattern.search(text, passage.start, passage.end)
    return found.span() if found else None


class _Desk:
    """Looks citations up one after the other and numbers the documents as they come."""

    def __init__(self, given: Mapping[str, Evidence], texts: Mapping[str, StoredText]) -> None:
        self.given = given
        self._texts = texts
        self._cited: dict[tuple[str, str], list[Evidence]] = {}
        """Cited passages by document and content hash: a document that changed in between is another reference."""

    def claim(self, claim: Claim) -> CheckedClaim:
        if not claim.citations:
            none = CheckedCitation(claim=claim.text, evidence="", quote="", verdict="no_citation")
            return CheckedClaim(claim.text, (none,))
        return CheckedClaim(claim.text, tuple(self._citation(claim.text, cited) for cited in claim.citations))

    def references(self) -> tuple[Reference, ...]:
        return tuple(
            Reference(
                number=number,
                document=document,
                title=self._texts[content_hash].title,
                source=passages[0].source,
                locators=tuple(dict.fromkeys(passage.locator for passage in passages)),
                content_hash=content_hash,
            )
            for number, ((document, content_hash), passages) in enumerate(self._cited.items(), start=1)
        )

    def _citation(self, claim: str, cited: Citation) -> CheckedCitation:
        checked = CheckedCitation(claim=claim, evidence=cited.evidence, quote=cited.quote, verdict="unknown_evidence")
        passage = self.given.get(cited.evidence)
        if passage is None:
            return checked
        place = find(cited.quote, passage, self._texts[passage.content_hash].text)
        if place is None:
            return checked.model_copy(update={"verdict": "quote_not_found"})
        number = self._number(passage)
        return checked.model_copy(update={"verdict": "verified", "number": number, "start": place[0], "end": place[1]})

    def _number(self, passage: Evidence) -> int:
        document = (passage.document, passage.content_hash)
        self._cited.setdefault(document, []).append(passage)
        return list(self._cited).index(document) + 1
