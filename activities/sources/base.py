"""The interface of sources: they can be searched and answer with passages in stored texts."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore


class SearchResults(Frozen):
    """The results of one search, best first."""

    evidence: tuple[Evidence, ...] = ()
    texts: tuple[StoredText, ...] = ()
    """The texts that the passages are parts of: one for each `content_hash`. A passage without a text is refused."""
    warnings: tuple[str, ...] = ()
    """Parts that could not be searched, with reasons. An error text is never evidence."""
    refused: int = 0
    """Passages or pages that the lists and the egress scope of the run refuse; a warning says why."""


class Source(Protocol):
    """One search provider."""

    @property
    def spec(self) -> SourceSpec:
        """The source's specification, known even where the source cannot be opened."""
        ...

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages for `query`, both within the limits of `spec`; none if nothing matches.

        Retries nothing and waits for no rate: Temporal does both. Blocking work belongs in a thread
        (`asyncio.to_thread`), because all searches of a worker share its event loop.

        Raises:
            SourceUnavailable: it cannot be searched now; worth another try.
            SourceBusy: its provider is down, overloaded or asks to wait; the run is held if that lasts.
            SourceRefused: it can never be searched so: nothing there, unreadable, forbidden.
        """
        ...

    async def close(self) -> None:
        """Stop running work and release resources; no search follows."""
        ...


@runtime_checkable
class SearchesStore(Protocol):
    """A source that searches the store; instead of `search` it gets the tenant's store and the run that asks."""

    async def search_store(self, store: TenantStore, run_id: str, query: str, limit: int) -> SearchResults:
        """At most `limit` passages that the store of a tenant has, but for those of the run that asks.

        Args:
            store: Of the tenant that asks.
            run_id: The run that asks, or a branch of it; empty: no one's.
            query: What to look for.
            limit: How many passages at most.

        Raises:
            SourceRefused: it can never be searched so.
        """
        ...


@runtime_checkable
class ReadsDocuments(Protocol):
    """Further interface of a source of documents: one of them can be read by its path."""

    async def read_document(self, store: TenantStore, key: str, queries: Sequence[str], limit: int) -> SearchResults:
        """The passages of one document, at most `limit`, in the order of its text.

        Args:
            store: Of the tenant that asks.
            key: The document's path in the source.
            queries: If it has more passages, those that fit these best are chosen.
            limit: How many passages at most.

        Raises:
            SourceBusy: it is yet to be read.
            SourceUnavailable: it cannot be read now; worth another try.
            SourceRefused: there is no such document, or it has no text; the text says why.
        """
        ...


@runtime_checkable
class HasParts(Protocol):
    """A source of which parts can be searched, each named behind a colon: `uploads:handbook`."""

    def get_part(self, name: str) -> Source:
        """The part of this name; whether a tenant has it is known when it is searched."""
        ...


@runtime_checkable
class FindsRecords(Protocol):
    """Further interface of a source that has the records of works by their DOIs."""

    async def find_record(self, doi: str) -> Work | None:
        """The record of the work with a DOI, in the spelling of `Identifiers.doi`; None: there is none. One request.

        Raises:
            SourceUnavailable: it cannot answer now.
            SourceRefused: it refuses the request, or may not be contacted.
        """
        ...


@runtime_checkable
class HasTables(Protocol):
    """Further interface of a source that is a database."""

    async def tables(self, question: str) -> JsonObject:
        """The names of tables and columns that a question may be about, the likeliest first, as a model is shown them.

        Raises:
            SourceUnavailable: the database is away.
            SourceRefused: there is no such database here.
        """
        ...

    async def saved_questions(self, question: str) -> tuple[str, ...]:
        """The saved questions that are like a question, the likest first.

        Raises:
            InputInvalid: the file that they stand in cannot be used.
        """
        ...


@runtime_checkable
class WeighsTerms(Protocol):
    """Optional interface of a source: weights of words, by which the offline model finds the subject of a text."""

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return how specific each word is in this source: its inverse document frequency, higher for rarer words.

        A word that occurs nowhere has the highest weight.

        Raises:
            SourceUnavailable: it cannot answer now.
            SourceRefused: there is nothing, or nothing that can be read.
        """
        ...
