"""A draft after all its citations were looked up: its blocks, their statements and their citations' verdicts."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Final

from elcano.activities.report.work_merge import Works
from elcano.graphs.report.report import (
    BlockKind,
    CheckedCitation,
    Reference,
    ReportDraft,
    Statement,
    StatementKey,
    SupportCounts,
    Verdict,
)
from elcano.graphs.report.works import find_citation_mark
from elcano.storage.evidence import Evidence
from elcano.text.phrases import ENGLISH

REASONS: Final[dict[Verdict, str]] = {
    "verified": "the words stand in the evidence",
    "unknown_evidence": ENGLISH.never_given,
    "quote_not_found": ENGLISH.not_there,
    "no_citation": ENGLISH.uncited,
}


_POINTS_BACK: Final = re.compile(
    r"(?:it|its|this|that|these|those|they|their|such|both|he|she|the (?:former|latter|method|model|approach|authors?)"
    r"|es|sie|dies\w*|il|elle|ce|cette|ces|ils|elles)\b",
    re.IGNORECASE,
)


def points_back(text: str) -> bool:
    """Return whether the words begin with one that means what is before them, as `it` and `this` do."""
    return _POINTS_BACK.match(text.lstrip(" \"'\u201c\u2018")) is not None


def key_statement(statement: Statement, before: str) -> StatementKey:
    """The key of a statement behind the sentence `before`: its words and place, its evidence and quotes that hold.

    The place is that sentence only for a statement that points back to it: others mean the same behind another one.
    """
    before = before if points_back(statement.text) else ""
    evidence = dict.fromkeys(cited.evidence for cited in statement.citations)
    quotes = dict.fromkeys(cited.quote for cited in statement.citations if cited.verdict == "verified")
    return StatementKey(statement.text, statement.context, before, tuple(evidence), tuple(quotes))


@dataclass(frozen=True)
class CheckedClaim:
    """One block, its statements, and the verdicts on its citations."""

    text: str
    citations: tuple[CheckedCitation, ...]
    """In the order of its statements; one with the verdict `no_citation` if it states something and cites nothing."""
    kind: BlockKind = "paragraph"
    statements: tuple[Statement, ...] = ()
    """In the order of `prose.statements.extract_statements`; of a block that is supported whole, the block."""
    by_mark: Mapping[str, tuple[CheckedCitation, ...]] = field(default_factory=dict)
    """Citations of each mark; empty: its citations support it whole."""
    preceding: tuple[str, ...] = ()
    """For each statement the sentence before it; empty where there is none, or where it is a table cell."""

    def keyed_statements(self) -> Iterator[tuple[StatementKey, Statement]]:
        """Yield each statement with the key by which a judgement is kept for it."""
        for statement, before in zip(self.statements, chain(self.preceding, repeat("")), strict=False):
            yield key_statement(statement, before), statement

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
    language: str
    """Language of its statements, the same for all of its blocks."""
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
    """The known data of their works."""
    beside: tuple[CheckedCitation, ...] = ()
    """Citations that code adds to those of the draft."""

    @property
    def claims(self) -> tuple[CheckedClaim, ...]:
        """Every block, in the order of the report."""
        sections = (claim for section in self.sections for claim in section.claims)
        first = (*self.introduction, *self.key_findings)
        return (*first, *sections, *self.disputed, *self.strength, *self.conclusion)

    @property
    def rewritten(self) -> str:
        """The text of a changed report; empty: it is none."""
        return " ".join(claim.text for claim in self.draft.claims) if self.draft.numbers else ""

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
    def marks(self) -> dict[int, str]:
        """Return the marks behind the numbers of references that were withdrawn or changed, such as `retracted`."""
        return {one.number: said for one in self.references if (said := find_citation_mark(one.work))}

    @property
    def support(self) -> SupportCounts:
        """Count statements with citations by how well these support them."""
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
