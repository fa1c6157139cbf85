"""Converts a model's answers to a draft: texts become blocks, each with the citations that occur in it."""

import re
from typing import Final

from elcano.activities.prose.blocks import ClaimCollector
from elcano.graphs.agents.writing import ReportProse, SectionText, Summary
from elcano.graphs.report.draft import Claim, heading_for, title_for
from elcano.graphs.report.report import DraftSection, ReportDraft

_LIST_MARK: Final = re.compile(r"^\s*(?:[-+*]|\d{1,9}[.)])\s+")
_MARKS: Final = re.compile(r"\s*\[(?:from )?\w{1,12}(?:, ?\w{1,12})*\]")


def draft_from_prose(answer: ReportProse) -> ReportDraft:
    """A whole report as its draft, citing by keys still."""
    written = ClaimCollector(answer.citations)
    introduction, key_findings = written.claims(answer.introduction), written.claims(answer.key_findings)
    sections: dict[str, tuple[Claim, ...]] = {}
    for one in answer.sections:
        heading = heading_for(one.heading)
        sections[heading] = (*sections.get(heading, ()), *written.claims(one.text, one.heading))
    draft = ReportDraft(
        title=title_for(answer.title),
        introduction=introduction,
        key_findings=key_findings,
        sections=tuple(DraftSection(heading=heading, claims=claims) for heading, claims in sections.items()),
        disputed=written.claims(answer.disputed),
        strength=written.claims(answer.strength),
        conclusion=written.claims(answer.conclusion),
        limitations=answer.limitations,
        related=answer.related,
        answered=answer.answered,
        remarks=written.leftover(),
    )
    return drop_repeated_claims(draft)


def section_claims(answer: SectionText, heading: str) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Return the blocks of one section under `heading`, and remarks in sentences on what was left out."""
    written = ClaimCollector(answer.citations)
    claims = written.claims(answer.text, heading)
    return claims, written.leftover()


def draft_from_summary(answer: Summary, title: str) -> ReportDraft:
    """What stands above and below the sections of the report `title`, as a draft without sections."""
    written = ClaimCollector(answer.citations)
    return ReportDraft(
        title=title_for(title),
        introduction=written.claims(answer.introduction),
        key_findings=written.claims(answer.key_findings),
        disputed=written.claims(answer.disputed),
        strength=written.claims(answer.strength),
        conclusion=written.claims(answer.conclusion),
        limitations=answer.limitations,
        answered=answer.answered,
        remarks=written.leftover(),
    )


def drop_repeated_claims(draft: ReportDraft) -> ReportDraft:
    """`draft` without blocks of sections that say word for word what stands above, unless nothing else is left."""
    said = {
        _normalise_claim_text(line)
        for claim in (*draft.introduction, *draft.key_findings)
        for line in claim.text.splitlines()
    }
    said |= {_normalise_claim_text(claim.text) for claim in (*draft.introduction, *draft.key_findings)}
    sections: list[DraftSection] = []
    for section in draft.sections:
        new = tuple(
            claim for claim in section.claims if not claim.citations or _normalise_claim_text(claim.text) not in said
        )
        said |= {_normalise_claim_text(claim.text) for claim in section.claims if claim.citations}
        sections.append(section.model_copy(update={"claims": new}) if any(one.citations for one in new) else section)
    return draft.model_copy(update={"sections": tuple(sections)})


def _normalise_claim_text(text: str) -> str:
    """A text as it is compared: without marks, list marks, white space and the stop at its end."""
    return " ".join(_LIST_MARK.sub("", _MARKS.sub("", text)).split()).rstrip(".").strip()
