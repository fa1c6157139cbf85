"""The draft of a report: claims with citations, as it is stored; and the finished report with its text, as data.

A writer never numbers a citation and never lists a reference. It puts a mark, `[a]`, behind each sentence, list item or
table cell, and says of each mark which evidence supports what is before it, and by which literal words. An
inference names the facts that it rests on: `[from a, b]`. Code looks the words up in the stored text, puts numbers
where the marks stood and lists what does not hold.

The text of a finished report has parts of blocks, and blocks of statements with their checked citations. A block is one
top-level block of Markdown; its sentences, list items and table cells are its statements.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.places import Mark
from elcano.graphs.report.works import Provenance, Work
from elcano.graphs.text import shorten_text

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
    """The mark in brackets after the words that it supports; empty: it supports the whole claim."""


class Claim(Frozen):
    """One block of a report: a paragraph, `###` heading, list, table, code, formula or quotation in Markdown.

    In its text a bracket is a mark if it contains only marks of its citations, as in `[a]`, `[a, b]` or `[from a, b]`,
    and is in no code and no formula; any other bracket is text. A sentence without a mark connects.
    """

    text: str = Field(min_length=1)
    citations: tuple[Citation, ...] = ()
    """Citations whose marks occur in the text, and those without a mark."""


class DraftSection(Frozen):
    """A heading and the claims under it."""

    heading: str = Field(min_length=1, max_length=HEADING_CHARACTERS)
    claims: tuple[Claim, ...] = ()


Support: TypeAlias = Literal["supported", "partly", "in_passage", "not_supported", "unchecked"]
"""Whether the quotes of a statement support it. `in_passage`: the cited passages contain what its quotes leave out.
`unchecked`: its quotes hold, it was not reviewed, and code found nothing against it."""


Verdict: TypeAlias = Literal["verified", "unknown_evidence", "quote_not_found", "no_citation"]
"""The result of a citation's check: it holds; its evidence was never given; its words are not there; there was none."""


class CheckedCitation(Frozen):
    """One citation after its check."""

    claim: str
    """The statement that it follows, without markup; for a citation without a mark, its whole block."""
    evidence: str
    quote: str
    verdict: Verdict
    number: int | None = None
    """Number of the reference, if it holds."""
    start: int | None = None
    """Start of the quote in the stored document text, in characters."""
    end: int | None = None
    content_hash: str = ""
    """The hash of the stored text in which it was found; empty: that of its reference."""
    page: int = Field(default=0, exclude_if=lambda page: not page)
    """The page on which the quote begins, counted from 1; 0: its document has none, or it is not known."""
    page_label: str = Field(default="", exclude_if=lambda label: not label)
    """Printed page number, such as `iv`; empty: the same as `page`, or unknown."""
    marks: tuple[Mark, ...] = Field(default=(), exclude_if=lambda marks: not marks)
    """The rectangles that cover the quote on the pages of its document, one for each line; none if they are unknown."""
    cells: tuple[CitedCell, ...] = Field(default=(), exclude_if=lambda cells: not cells)
    """The cells of a table in which the quote is; none if it is in no table."""
    confidence: float | None = Field(default=None, exclude_if=lambda confidence: confidence is None)
    """Confidence of OCR in the quoted passage, 0 to 1; None: the characters are in the file."""

    @property
    def printed_page(self) -> str:
        """The page as readers look it up: what is printed on it, else its number; empty: none is known."""
        return self.page_label or (str(self.page) if self.page else "")


StatementKind: TypeAlias = Literal["fact", "inference", "connecting"]
"""Basis of a statement: its own quotes; named facts, from which it concludes; nothing."""


class Judgement(Frozen):
    """The result of checking one statement against its quotes."""

    statement: str
    """The `Statement.text`."""
    support: Support
    reason: str = ""
    """In words, without a full stop; empty if it is supported."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence whose quotes it was held against, each once in the order of its citations; empty: it cites
    nothing."""
    quotes: tuple[str, ...] = ()
    """The quotes that it was held against. A judgement with evidence and without quotes is older than this field, or
    made by code: it counts for every statement with these words and this evidence."""
    context: str = ""
    """For a table cell: its `Statement.context`."""
    before: str = ""
    """The sentence before it, which its meaning may depend on."""

    @property
    def key(self) -> "StatementKey":
        """The statement and place that this judgement counts for."""
        return StatementKey(self.statement, self.context, self.before, self.evidence, self.quotes)


class StatementKey(NamedTuple):
    """A statement at its place: a changed or moved statement has another key, and is reviewed anew."""

    text: str
    context: str = ""
    before: str = ""
    evidence: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


class Statement(Frozen):
    """One sentence, list item or table cell."""

    text: str
    """Its words, without marks and markup."""
    kind: StatementKind
    citations: tuple[CheckedCitation, ...] = ()
    support: Support = "unchecked"
    """`not_supported` without a review if a required citation does not hold."""
    reason: str = ""
    """Why it is supported in part or not at all, in words without a full stop."""
    context: str = ""
    """For a table cell: the first cell of its row, and the heading of its column."""


class SupportCounts(Frozen):
    """Counts of a report's citing statements by how well their quotes support them."""

    supported: int = 0
    partly: int = 0
    not_supported: int = 0
    unchecked: int = 0
    """Statements whose quotes hold and which were not reviewed."""
    in_passage: int = 0
    """Statements whose cited passages contain what their quotes leave out."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.supported + self.partly + self.in_passage + self.not_supported + self.unchecked

    def describe(self) -> str:
        """Describe how many of the checked statements hold, and how many were checked."""
        if not (checked := self.total - self.unchecked):
            return f"none of {self.total} statements was checked" if self.total else "nothing was checked"
        held = self.supported + self.in_passage
        partly = f", {self.partly} in part" if self.partly else ""
        return f"{held} of {checked} checked statements hold{partly}; {checked} of {self.total} statements were checked"


BlockKind: TypeAlias = Literal["paragraph", "heading", "list", "table", "code", "formula", "quotation", "rule"]
"""Kind of a block of Markdown."""


class Block(Frozen):
    """One top-level block of a report's text."""

    kind: BlockKind
    markdown: str
    """The Markdown in the report, with the numbers of references."""
    statements: tuple[Statement, ...] = ()
    """None of headings, code and formulas."""


PartKind: TypeAlias = Literal["introduction", "key_findings", "section", "disputed", "strength", "conclusion"]


class Part(Frozen):
    """One part of a report under its heading."""

    kind: PartKind
    heading: str = ""
    """Empty: it has none, like an introduction."""
    blocks: tuple[Block, ...] = Field(default=())


class ReportDraft(Frozen):
    """A report before its citations were checked."""

    title: str = Field(min_length=1, max_length=TITLE_CHARACTERS)
    key_findings: tuple[Claim, ...] = ()
    """The answer in a few claims."""
    sections: tuple[DraftSection, ...] = ()
    related: tuple[str, ...] = ()
    """Ids of evidence worth reading that no claim uses."""
    limitations: tuple[str, ...] = ()
    """Limits of the evidence, in sentences."""
    answered: bool = True
    """False: the evidence does not answer the question, and the report says so first."""
    quoted: bool = False
    """True: every claim is a literal quotation and no language model was used; the report says so in its head."""
    introduction: tuple[Claim, ...] = ()
    """The answer at once, and what the report is about."""
    disputed: tuple[Claim, ...] = ()
    """Disagreements among the findings."""
    strength: tuple[Claim, ...] = ()
    """Strength of the evidence."""
    conclusion: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()
    """Remarks on what code left out of the writer's answer, in sentences; they are among the report's warnings."""
    judgements: tuple[Judgement, ...] = ()
    """The verdicts on statements that were compared with their quotes."""
    known: tuple[str, ...] = Field(default=(), exclude_if=lambda known: not known)
    """Facts that its statements may use without a quote, because code proved them; otherwise only quotes count."""
    numbers: dict[str, int] = Field(default={}, exclude_if=lambda numbers: not numbers)
    """Changed reports only: reference numbers to keep, by evidence id."""
    attachments: dict[str, JsonObject] = Field(default={}, exclude_if=lambda attached: not attached)
    """Attachments of plugins, by the names of their additions to reports."""

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
    """The places of the cited passages in it."""
    retrieved: str = ""
    """The day in UTC, as `2026-11-22`; empty if unknown."""


class Reference(Frozen):
    """One numbered entry of the reference list: a cited document, or a work, whichever of its texts is cited."""

    number: int = Field(ge=1)
    document: str
    title: str
    source: str
    locators: tuple[str, ...]
    """The places of the cited passages in it."""
    content_hash: str
    """SHA-256 of the stored text that the quotes were found in; of several, of the first."""
    work: Work | None = None
    """The merged data of all sources; None for a document of which nothing more is known."""
    described_by: tuple[Provenance, ...] = ()
    """The sources that described the work, and when."""
    also: tuple[str, ...] = ()
    """Other names of the work, as `doi:...`: of its preprint, or where sources differ."""
    preprints: tuple[str, ...] = ()
    """For a published work: the identifiers of its preprint."""
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
    """The models that wrote it."""
    references: tuple[Reference, ...]
    citations: tuple[CheckedCitation, ...]
    unverified: tuple[CheckedCitation, ...]
    warnings: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    """The workers that it is the work of, from the first call to this report: version and build id of each."""
    searched: tuple[str, ...] = ()
    """The first and the last day in UTC on which there was a search; one if they are the same."""
    support: SupportCounts = SupportCounts()
    """Counts of its statements by how well their quotes support them; literal quotations are all unchecked."""
    accounts: tuple[Work, ...] = ()
    """Sources' data on the cited works from passages that the writer was not given: in sections, for example."""
    parts: tuple[Part, ...] = ()
    """Its text as data, without parts that code wrote; empty: it is older than that, or there was no draft."""
    language: str = ""
    """The language of its text, as `en` or `zh-Hans` (BCP 47); empty: unknown."""
    follows: str = Field(default="", exclude_if=lambda follows: not follows)
    """The run that its run follows, whose passages it may cite; empty: none."""
    attachments: dict[str, JsonObject] = Field(default={}, exclude_if=lambda attached: not attached)
    """Data added by plugins, by name: `analysis`, `data`, `review`."""
    pictures: dict[str, str] = Field(default={}, exclude_if=lambda pictures: not pictures)
    """Artifact hashes of its pictures (SVG), by the paths at which the Markdown shows them."""
