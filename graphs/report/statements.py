"""A report's text as data: parts of blocks, blocks of statements, statements with what became of their citations.

A block is one top-level block of Markdown. Its sentences, list items and table cells are its statements.
"""

from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

Support: TypeAlias = Literal["supported", "partly", "in_passage", "not_supported", "unchecked"]
"""Whether the quotes of a statement say what it says. `in_passage`: the passages that it cites have what its quotes
leave out. `unchecked`: its quotes are where it says, nobody has read it, and code found nothing against it."""


Verdict: TypeAlias = Literal["verified", "unknown_evidence", "quote_not_found", "no_citation"]
"""What became of a citation: it holds; its evidence was never given; its words are not there; there was none."""


class CheckedCitation(Frozen):
    """One citation after its check."""

    claim: str
    """The statement that it stands behind, without markup; of a citation without a mark, its whole block."""
    evidence: str
    quote: str
    verdict: Verdict
    number: int | None = None
    """Number of the reference, if it holds."""
    start: int | None = None
    """Where the quote begins in the stored document text, in characters."""
    end: int | None = None
    content_hash: str = ""
    """Of the stored text that it was found in; empty: that of its reference."""


StatementKind: TypeAlias = Literal["fact", "inference", "connecting"]
"""What a statement rests on: quotes of its own; facts that it names, from which it concludes; nothing."""


class Judgement(Frozen):
    """The result of checking one statement against its quotes."""

    statement: str
    """Its `Statement.text`."""
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
    """Of a table cell: its `Statement.context`."""
    before: str = ""
    """The sentence before it, which its meaning may depend on."""

    @property
    def key(self) -> "StatementKey":
        """The statement and place that this judgement counts for."""
        return StatementKey(self.statement, self.context, self.before, self.evidence, self.quotes)


class StatementKey(NamedTuple):
    """A statement at its place: what is mended or stands elsewhere has another key, and is read anew."""

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
    """`not_supported` without anybody's judgement if a citation does not hold that it needs."""
    reason: str = ""
    """Why it is supported in part or not at all, in words without a full stop."""
    context: str = ""
    """Of a table cell: the first cell of its row, and the heading of its column."""


class SupportCounts(Frozen):
    """How many statements of a report that cite something are supported by it."""

    supported: int = 0
    partly: int = 0
    not_supported: int = 0
    unchecked: int = 0
    """Their quotes are where they say; nobody has read them against these."""
    in_passage: int = 0
    """What their quotes leave out stands in the passages that they cite."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.supported + self.partly + self.in_passage + self.not_supported + self.unchecked


BlockKind: TypeAlias = Literal["paragraph", "heading", "list", "table", "code", "formula", "quotation", "rule"]
"""What a block of Markdown is."""


class Block(Frozen):
    """One top-level block of a report's text."""

    kind: BlockKind
    markdown: str
    """As the report has it, with the numbers of references."""
    statements: tuple[Statement, ...] = ()
    """None of headings, code and formulas."""


PartKind: TypeAlias = Literal["introduction", "key_findings", "section", "disputed", "strength", "conclusion"]


class Part(Frozen):
    """One part of a report under its heading."""

    kind: PartKind
    heading: str = ""
    """Empty: it stands without one, as an introduction does."""
    blocks: tuple[Block, ...] = Field(default=())
