"""A writer's draft and the report made of it: blocks of Markdown with quotes in, a checked report out.

A writer never numbers a citation and never lists a reference. It puts a mark, `[a]`, behind each sentence, list item or
table cell, and says of each mark which evidence supports what stands before it, and by which literal words. An
inference names the facts that it rests on: `[from a, b]`. Code looks the words up in the stored text, puts numbers
where the marks stood and lists what does not hold.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.data.answer import DataAnswer
from elcano.graphs.frozen import Frozen
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.analysis import Analysis
from elcano.graphs.values.review import Review
from elcano.graphs.values.statements import CheckedCitation, Judgement, Part, SupportCounts
from elcano.graphs.values.work_merge import Provenance
from elcano.graphs.values.work_metadata import Work

TITLE_CHARACTERS: Final = 300
HEADING_CHARACTERS: Final = 200


def title_for(question: str) -> str:
    """The title of a report that has none but its question: on one line, cut to 300 characters, never empty."""
    return shorten_text(" ".join(question.split()) or "An empty question", TITLE_CHARACTERS)


def heading_for(title: str) -> str:
    """The heading of a section with this title: on one line, cut to 200 characters, never empty."""
    return shorten_text(" ".join(title.split()) or "Without a title", HEADING_CHARACTERS)


class Citation(Frozen):
    """The words of one piece of evidence that support a claim."""

    evidence: str
    """An evidence id that the writer was given."""
    quote: str = Field(min_length=1, max_length=2_000)
    """Literal words of that evidence, nothing added and nothing left out."""
    mark: str = Field(default="", coerce_numbers_to_str=True)
    """What stands in brackets behind the words that it supports; empty: it supports the whole claim."""


class Claim(Frozen):
    """One block of a report: a paragraph, `###` heading, list, table, code, formula or quotation in Markdown.

    In its text a bracket is a mark if it holds nothing but marks of its citations, as in `[a]`, `[a, b]` or
    `[from a, b]`, and stands in no code and no formula; any other bracket is text. A sentence without a mark connects.
    """

    text: str = Field(min_length=1)
    citations: tuple[Citation, ...] = ()
    """Those whose marks stand in the text, and those without a mark."""


class DraftSection(Frozen):
    """A heading and the claims under it."""

    heading: str = Field(min_length=1, max_length=HEADING_CHARACTERS)
    claims: tuple[Claim, ...] = ()


class ReportDraft(Frozen):
    """A report before its citations were checked."""

    title: str = Field(min_length=1, max_length=TITLE_CHARACTERS)
    key_findings: tuple[Claim, ...] = ()
    """The answer in a few claims."""
    sections: tuple[DraftSection, ...] = ()
    related: tuple[str, ...] = ()
    """Ids of evidence worth reading that no claim uses."""
    limitations: tuple[str, ...] = ()
    """What the evidence does not show, in sentences."""
    answered: bool = True
    """False: the evidence does not answer the question, and the report says so first."""
    quoted: bool = False
    """True: every claim is a literal quotation and no language model was used; the report says so in its head."""
    introduction: tuple[Claim, ...] = ()
    """The answer at once, and what the report is about."""
    disputed: tuple[Claim, ...] = ()
    """Where what was found disagrees."""
    strength: tuple[Claim, ...] = ()
    """How strong the evidence is."""
    conclusion: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()
    """What code left out of the writer's answer, in sentences; they stand among the report's warnings."""
    judgements: tuple[Judgement, ...] = ()
    """What was found of statements when they were held against their quotes."""
    data: DataAnswer | None = Field(default=None, exclude_if=lambda data: data is None)
    """Of an answer over databases: its results, and what became of its numbers."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, in the order of the report."""
        sections = (claim for section in self.sections for claim in section.claims)
        first = (*self.introduction, *self.key_findings)
        return (*first, *sections, *self.disputed, *self.strength, *self.conclusion)


class DraftRef(Frozen):
    """A draft in the artifact store, with what the state needs to know of it."""

    artifact: str
    """Content hash of the stored `ReportDraft`."""
    title: str
    answered: bool
    claims: int = Field(ge=0)
    cited: int = Field(ge=0)
    """Different pieces of evidence that it cites."""
    evidence: tuple[str, ...] = ()
    """Their ids, and those of the passages that it calls related."""
    beside: tuple[str, ...] = ()
    """Ids of the best passages that it neither cites nor calls related: for whoever joins it with other drafts."""


class CitedText(Frozen):
    """One stored text of a reference, in which quotes were found."""

    content_hash: str
    document: str
    """Canonical id of the document, as its source calls it."""
    source: str
    locators: tuple[str, ...] = ()
    """Where in it the cited passages are."""
    retrieved: str = ""
    """The day in UTC, as `2026-11-22`; empty if nobody said."""


class Reference(Frozen):
    """One numbered entry of the reference list: a document that is cited, or a work, whichever of its texts is."""

    number: int = Field(ge=1)
    document: str
    title: str
    source: str
    locators: tuple[str, ...]
    """Where in it the cited passages are."""
    content_hash: str
    """SHA-256 of the stored text that the quotes were found in; of several, of the first."""
    work: Work | None = None
    """What all sources together tell of it; None: of a document of which nothing more is known."""
    told_by: tuple[Provenance, ...] = ()
    """Who told of the work, and when."""
    also: tuple[str, ...] = ()
    """Other names of the work, as `doi:...`: of its preprint, or where sources differ."""
    preprints: tuple[str, ...] = ()
    """Of a work that was published: the names of the preprint that there is of it."""
    texts: tuple[CitedText, ...] = ()
    """The stored texts that the quotes were found in."""


class Report(Frozen):
    """A finished report: what the Markdown says, as data."""

    run_id: str
    question: str
    title: str
    markdown: str
    answered: bool
    partial: str | None
    """Why the run ended early, in words; None if it did not."""
    model: str
    """Which models wrote it."""
    references: tuple[Reference, ...]
    citations: tuple[CheckedCitation, ...]
    unverified: tuple[CheckedCitation, ...]
    warnings: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    """The workers that it is the work of, from the first call to this report: version and build id of each."""
    review: Review | None = None
    """Of a literature review: its records and studies."""
    searched: tuple[str, ...] = ()
    """The first and the last day in UTC on which there was a search; one if they are the same."""
    support: SupportCounts = SupportCounts()
    """How many of its statements are supported by what they quote; of literal quotations all are unchecked."""
    accounts: tuple[Work, ...] = ()
    """What sources told of the cited works beside passages that the writer was given: in sections, for example."""
    parts: tuple[Part, ...] = ()
    """Its text as data, without what code wrote; empty: it is older than that, or there was no draft."""
    language: str = ""
    """Of its text, as in `en` or `zh-Hans` (BCP 47); empty: not known."""
    follows: str = Field(default="", exclude_if=lambda follows: not follows)
    """The run that its run follows, whose passages it may cite; empty: none."""
    analysis: Analysis | None = Field(default=None, exclude_if=lambda analysis: analysis is None)
    """Of a run that analyzed numbers: what statistics made of them."""
    data: DataAnswer | None = Field(default=None, exclude_if=lambda data: data is None)
    """Of a run that queried databases: its results, and what became of its numbers."""


class ReportRef(Frozen):
    """A report in the artifact store, with the figures that a run's last event shows."""

    artifact: str
    title: str
    answered: bool
    partial: str | None
    words: int = Field(ge=0)
    references: int = Field(ge=0)
    verified: int = Field(ge=0)
    unverified: int = Field(ge=0)
