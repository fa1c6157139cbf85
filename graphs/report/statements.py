"""A report's text as data: parts of blocks, blocks of statements, statements with their checked citations.

A block is one top-level block of Markdown. Its sentences, list items and table cells are its statements.
"""

from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

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
    """Where the quote begins in the stored document text, in characters."""
    end: int | None = None
    content_hash: str = ""
    """The hash of the stored text in which it was found; empty: that of its reference."""


StatementKind: TypeAlias = Literal["fact", "inference", "connecting"]
"""What a statement rests on: its own quotes; named facts, from which it concludes; nothing."""


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
    """How many statements of a report that cite something are supported by it."""

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
        """How many of the checked statements hold, and beside that rate how many were checked at all."""
        if not (checked := self.total - self.unchecked):
            return f"none of {self.total} statements was checked" if self.total else "nothing was checked"
        held = self.supported + self.in_passage
        partly = f", {self.partly} in part" if self.partly else ""
        return f"{held} of {checked} checked statements hold{partly}; {checked} of {self.total} statements were checked"


BlockKind: TypeAlias = Literal["paragraph", "heading", "list", "table", "code", "formula", "quotation", "rule"]
"""What a block of Markdown is."""


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
    """Empty: it stands without one, as an introduction does."""
    blocks: tuple[Block, ...] = Field(default=())
