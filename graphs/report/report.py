"""A whole draft as it is stored, the finished report, and the figures of a literature review, as data."""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.analysis import Analysis
from elcano.graphs.report.data_answer import DataAnswer
from elcano.graphs.report.draft import HEADING_CHARACTERS, TITLE_CHARACTERS, Claim
from elcano.graphs.report.statements import CheckedCitation, Judgement, Part, SupportCounts
from elcano.graphs.report.works import Provenance, Work


class SourceRecords(Frozen):
    """How it went with the records of one source, or of all of them together."""

    source: str
    """Empty: all of them."""
    searches: int = 0
    failed: int = 0
    """Of these, searches that were not answered."""
    found: int = 0
    """Passages that its searches gave, each as often as it was given."""
    records: int = 0
    """Different works and documents that these are of."""
    unique: int = 0
    """Of these, those that no source before it had found; over all sources that is every record once."""
    kept: int = 0
    """Of these, those that say something which no older passage says."""
    cited: int = 0
    """Of these, those that the report cites by words that were found in them."""


class Cell(Frozen):
    """One property of a study; empty if it is not stated."""

    text: str = ""
    """Literal words of a text of the study, or what its source registered."""
    content_hash: str = ""
    """The stored text that the words stand in; empty if they are of no text."""
    start: int | None = None
    """Where they begin in it, in characters."""
    end: int | None = None


class Study(Frozen):
    """One study that is cited."""

    number: int
    """Of its reference."""
    name: str
    """First author and year."""
    design: str = ""
    """In its source's words; empty if it is not stated."""
    size: Cell = Cell()
    outcome: Cell = Cell()
    """What the report quotes of it first."""


class Review(Frozen):
    """The figures and the studies of a literature review."""

    sources: tuple[SourceRecords, ...]
    """In the order of their first search."""
    total: SourceRecords
    studies: tuple[Study, ...] = ()
    """In the order of the references."""


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
