"""A report and the passages that a run found, as the API answers them; its manual (`/docs`) describes every field."""

from datetime import datetime
from typing import NamedTuple

from elcano.client.models import Json, JsonObject, Model


class CheckedCitation(Model):
    """One citation after its check: `verdict` is `verified` if its quote is in the stored text."""

    claim: str
    evidence: str
    quote: str
    verdict: str
    number: int | None = None
    start: int | None = None
    end: int | None = None
    content_hash: str = ""
    page: int = 0
    page_label: str = ""
    marks: tuple[Json, ...] = ()
    cells: tuple[Json, ...] = ()
    confidence: float | None = None


class Statement(Model):
    """One sentence, list item or table cell; `support` says whether its quotes bear it out."""

    text: str
    kind: str
    citations: tuple[CheckedCitation, ...] = ()
    support: str = "unchecked"
    reason: str = ""
    context: str = ""


class Block(Model):
    """One block of a report's Markdown."""

    kind: str
    markdown: str
    statements: tuple[Statement, ...] = ()


class Part(Model):
    """One part of a report under its heading."""

    kind: str
    heading: str = ""
    blocks: tuple[Block, ...] = ()


class SupportCounts(Model):
    """Counts of statements by how well their quotes support them."""

    supported: int = 0
    partly: int = 0
    not_supported: int = 0
    unchecked: int = 0
    in_passage: int = 0


class CitedText(Model):
    """One stored text of a reference."""

    content_hash: str
    document: str
    source: str
    locators: tuple[str, ...] = ()
    retrieved: str = ""


class Reference(Model):
    """One entry of the reference list."""

    number: int
    document: str
    title: str
    source: str
    locators: tuple[str, ...]
    content_hash: str
    work: JsonObject | None = None
    described_by: tuple[JsonObject, ...] = ()
    also: tuple[str, ...] = ()
    preprints: tuple[str, ...] = ()
    texts: tuple[CitedText, ...] = ()


class Report(Model):
    """A finished report: its Markdown, and what that says as data."""

    run_id: str
    question: str
    title: str
    markdown: str
    answered: bool
    partial: str | None
    model: str
    references: tuple[Reference, ...]
    citations: tuple[CheckedCitation, ...]
    unverified: tuple[CheckedCitation, ...]
    warnings: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    support: SupportCounts = SupportCounts()
    accounts: tuple[JsonObject, ...] = ()
    parts: tuple[Part, ...] = ()
    language: str = ""
    follows: str = ""
    attachments: dict[str, JsonObject] = {}
    pictures: dict[str, str] = {}


class Line(NamedTuple):
    """One printed line of a passage; offsets count characters of the stored text, pages begin with 1."""

    start: int
    end: int
    page: int
    box: tuple[float, float, float, float]
    edges: tuple[float, ...] = ()
    turn: int = 0


class Places(Model):
    """Positions of a passage's words on pages and in tables."""

    lines: tuple[Line, ...] = ()
    cells: tuple[Json, ...] = ()


class Evidence(Model):
    """One passage: its `text` is the stored text from `start` to `end`, in characters."""

    id: str
    source: str
    document: str
    content_hash: str
    title: str
    locator: str
    heading: str = ""
    text: str
    start: int
    end: int
    score: float = 0.0
    retrieved_at: datetime | None = None
    metadata: JsonObject = {}
    work: JsonObject | None = None
    places: Places = Places()


class EvidencePage(Model):
    """One page of what a run found, in the order of finding."""

    run_id: str
    total: int
    next: str | None = None
    evidence: tuple[Evidence, ...]
