"""Documents as a source: brings the index up to date, searches it, and returns passages with their whole texts.

Everything that blocks runs in the source's own threads: one for its indexing, others for searches. So one long indexing
delays neither the worker's other work nor another source.
"""

import asyncio
import hashlib
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from elcano.activities.passages import search
from elcano.activities.passages.document import Collection, Listing, SkippedDocument, list_skip_warnings
from elcano.activities.passages.index import Index
from elcano.activities.passages.index_words import search_words
from elcano.activities.passages.search import Hit, Text
from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.plugins.documents.index_sync import sync_index
from elcano.plugins.documents.parser import PARSE_SECONDS, Parser
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.threads import Threads

READMES: Final = "packages"
"""The source of packages' descriptions of themselves, each one short text."""
SEARCH_THREADS: Final = 4
"""Concurrent searches of one source; they share the processor with everything else."""
RESYNC_SECONDS: Final = 5.0
"""A search within this time after a sync trusts it."""
PATH_CHARACTERS: Final = 180
"""A longer path is shortened in ids, which may have 300 characters in all; its hash keeps it unique."""


class DocumentsSource:
    """One collection with its index.

    Args:
        spec: the source's specification; its name is the first part of all its ids.
        collection: the documents.
        index_path: the index file; it and its folder are created when needed.
        parse_seconds: how long reading one document may take.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        spec: SourceSpec,
        collection: Collection,
        index_path: Path,
        *,
        parse_seconds: float = PARSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spec = spec
        self._name = name = spec.name
        self._collection = collection
        self._index = Index(index_path)
        self._parser = Parser(parse_seconds)
        self._clock = clock
        self._indexing = Threads(f"index-{name}", 1)  # all who wait share one sync
        self._searching = Threads(f"search-{name}", SEARCH_THREADS)
        self._stopped = threading.Event()
        self._running: asyncio.Task[Listing] | None = None
        self._latest: tuple[float, Listing] | None = None

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return at most `limit` passages, best first; the first search of a collection indexes it.

        Raises:
            SourceUnavailable: the index is locked or cannot be written now.
            SourceRefused: there is no such folder, or nothing in it.
        """
        listing = await self._synchronised()
        return await self._searching.run(self._search, query, limit, listing)

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return the inverse document frequency of each word over all passages, as BM25 uses it; never below 0."""
        await self._synchronised()
        return await self._searching.run(self._weights, words)

    async def skipped(self) -> list[SkippedDocument]:
        """Return every document that is not searched, with the reason, and a line for each unreadable kind of file."""
        listing = await self._synchronised()
        unread = await self._searching.run(self._index.skipped)
        return sorted((*listing.skipped, *unread)) + list(listing.ignored)

    async def close(self) -> None:
        """Stop a running sync; its work so far is kept."""
        self._stopped.set()
        self._parser.stop()
        if self._running is not None:
            await asyncio.wait([self._running])
        self._indexing.close()
        self._searching.close()

    async def _synchronised(self) -> Listing:
        """Return the collection as indexed. All callers share one sync, and none can cancel it for the others."""
        if self._latest is not None and self._clock() - self._latest[0] < RESYNC_SECONDS:
            return self._latest[1]
        if self._running is None:
            self._running = asyncio.create_task(self._synchronise())
            self._running.add_done_callback(self._finished)
        return await asyncio.shield(self._running)

    async def _synchronise(self) -> Listing:
        began = self._clock()
        listing = await self._indexing.run(sync_index, self._collection, self._index, self._parser, self._stopped)
        self._latest = began, listing
        return listing

    def _finished(self, task: asyncio.Task[Listing]) -> None:
        self._running = None
        if not task.cancelled():
            task.exception()  # Whoever waited got it; nobody may have waited.

    def _search(self, query: str, limit: int, listing: Listing) -> SearchResults:
        with self._index.reading() as database:
            hits = search.best_passages(database, query, limit, readmes=self._name == READMES)
            texts = search.load_indexed_texts(database, (hit.document for hit in hits))
        skipped = sorted((*listing.skipped, *self._index.skipped()))
        notes = list_skip_warnings(self._name, skipped)
        if not search_words(query):
            notes = (f"{self._name}: {query!r} has no word to search for", *notes)
        now = time.time()
        return SearchResults(
            evidence=tuple(self._evidence(hit, texts[hit.document], now) for hit in hits),
            texts=tuple(self._stored(text) for text in texts.values()),
            warnings=notes,
        )

    def _evidence(self, hit: Hit, text: Text, now: float) -> Evidence:
        passage = hit.passage
        document = self._document_id(text)
        last = passage.heading.rpartition(" > ")[2]
        return Evidence(
            id=f"{document}:{passage.start}-{passage.end}",
            source=self._name,
            document=document,
            content_hash=text.text_hash,
            title=text.title if last in ("", text.title) else f"{text.title} > {last}",
            locator=_format_locator(text.key, hit),
            heading=passage.heading,
            text=text.text[passage.start : passage.end],
            start=passage.start,
            end=passage.end,
            score=hit.score,
            retrieved_at=now,
            metadata={
                name: value
                for name in ("page", "anchor", "paragraph")
                if (value := getattr(passage, name))  # each format has one of them
            },
        )

    def _stored(self, text: Text) -> StoredText:
        return StoredText(
            content_hash=text.text_hash,
            document=self._document_id(text),
            title=text.title,
            media_type=text.media_type,
            text=text.text,
        )

    def _document_id(self, text: Text) -> str:
        return f"{self._name}:{_shorten_key(text.key)}@{text.text_hash[:8]}"

    def _weights(self, words: Sequence[str]) -> dict[str, float]:
        with self._index.reading() as database:
            total, counts = search.count_word_frequencies(database, words)
        return {
            word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in zip(words, counts, strict=True)
        }


def _format_locator(key: str, hit: Hit) -> str:
    passage = hit.passage
    if passage.page:
        return f"{key}, page {passage.page}"
    if passage.anchor:
        return f"{key}#{passage.anchor}"
    return f"{key}, paragraph {passage.paragraph}" if passage.paragraph else key


def _shorten_key(key: str) -> str:
    if len(key) <= PATH_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:8]
    return f"{digest}...{key[-(PATH_CHARACTERS - len(digest) - 3) :]}"
