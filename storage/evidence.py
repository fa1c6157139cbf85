"""Evidence: passages with their place in a stored text, kept by canonical id and content hash.

What is kept is never changed: a passage of a changed file is another passage, because its id holds the content hash.
"""

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from graphs.frozen import Frozen, JsonObject


class StoredText(Frozen):
    """The whole text of one document, as quotes are looked up in it."""

    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of `text` in UTF-8, hexadecimal."""
    document: str
    """Canonical id of the document (PMID, DOI, URL, collection and path)."""
    title: str
    media_type: str = "text/plain"
    text: str


class Evidence(Frozen):
    """One passage of a stored text. `text` equals the stored text from `start` to `end`, in characters."""

    id: str = Field(min_length=1, max_length=300)
    source: str
    document: str
    content_hash: str
    title: str
    locator: str
    """Where a person finds it: a URL, or path, page and anchor."""
    heading: str = ""
    """The headings above it, joined by ` > `."""
    text: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    score: float = 0.0
    """How well it fits the query that found it; comparable within one search only."""
    retrieved_at: float = 0.0
    """Seconds since the epoch."""
    metadata: JsonObject = {}


class EvidenceStore(Protocol):
    """Where passages and texts are kept."""

    async def add(self, run_id: str, evidence: Sequence[Evidence], texts: Sequence[StoredText]) -> None:
        """Keeps passages and their texts and notes that the run found them; doing it twice changes nothing.

        Raises:
            ValueError: a passage is not the part of its text that it says it is.
        """
        ...

    async def get(self, ids: Sequence[str]) -> list[Evidence]:
        """The passages with these ids, in this order; ids that are not kept are left out."""
        ...

    async def text(self, content_hash: str) -> StoredText | None:
        """A stored text by its hash."""
        ...

    async def of_run(self, run_id: str) -> list[Evidence]:
        """Everything that a run found, in the order of finding."""
        ...
