"""A source in memory, for tests of everything around sources: it answers what it is told to, and keeps when."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from uuid import uuid4

import pytest
from temporalio import activity

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.settings import Settings
from elcano.storage.evidence import Evidence, StoredText

Answer = Callable[[str], SearchResults]
"""What it finds for a query; it may raise what a source may raise."""


class Shelf:
    """Finds a passage of the words of each query."""

    def __init__(self, spec: SourceSpec, answer: Answer | None = None) -> None:
        self.spec = spec
        self.answer = answer or (lambda query: found(spec.name, query))
        self.asked: list[tuple[float, str, int]] = []
        """When Temporal gave the search out, in seconds since the epoch, for what, and for how many passages."""
        self.closed = 0

    async def search(self, query: str, limit: int) -> SearchResults:
        at = activity.info().started_time.timestamp() if activity.in_activity() else 0.0
        self.asked.append((at, query, limit))
        return self.answer(query)

    async def close(self) -> None:
        self.closed += 1


def found(source: str, query: str) -> SearchResults:
    """One passage that says what was asked."""
    text = f"{source} has this on {query}."
    document = f"{source}:{query.replace(' ', '-')}"
    digest = sha256(text.encode()).hexdigest()
    stored = StoredText(content_hash=digest, document=document, title=query, text=text)
    evidence = Evidence(
        id=f"{document}:0-{len(text)}",
        source=source,
        document=document,
        content_hash=digest,
        title=query,
        locator=document,
        text=text,
        start=0,
        end=len(text),
    )
    return SearchResults(evidence=(evidence,), texts=(stored,))


_made: list[Shelf] = []


@contextmanager
def ledger_of() -> Iterator[Sequence[Shelf]]:
    """The shelves that `open_shelf` makes within the block."""
    _made.clear()
    try:
        yield _made
    finally:
        _made.clear()


def open_shelf(spec: SourceSpec, settings: Settings) -> Shelf:
    """As a listed source is opened."""
    shelf = Shelf(spec)
    _made.append(shelf)
    return shelf


def cannot_open(spec: SourceSpec, settings: Settings) -> Shelf:
    """As one that fails."""
    raise OSError(f"{spec.name} has no cellar")


def listed_shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A source that is listed and has a queue, while a test runs."""
    made = SourceSpec(
        name=f"shelf-{uuid4()}",
        kind="articles",
        description="Articles.",
        limits=SourceLimits(per_second=50),
        policy=SourcePolicy(),
    )
    monkeypatch.setitem(SOURCES, made.name, made)
    return Shelf(made)
