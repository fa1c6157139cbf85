"""The data of a literature review beside its report: record counts by source, and the studies that are cited.

All of it is computed by code from searches, evidence and citations that hold; no model has a part in it.
"""

from elcano.graphs.frozen import Frozen


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
