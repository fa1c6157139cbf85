"""Documents as a source: brings the index up to date, searches it, and returns passages with their whole texts.

Everything that blocks runs in the source's own threads: one for its indexing, others for searches. So one long indexing
delays neither the worker's other work nor another source. A document whose fingerprint is known is not read; one whose
bytes have the known hash is not parsed. Work is committed in batches, so an interrupted first indexing continues where
it was.
"""

import asyncio
import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from elcano.activities.passages import search
from elcano.activities.passages.document import (
    Collection,
    Content,
    FileSkipped,
    Listing,
    SkippedDocument,
)
from elcano.activities.passages.search import Text, search_words
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.activities.passages.unread_warnings import list_gap_warnings, list_skip_warnings
from elcano.activities.passages.weak_passages import Hit
from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.works import resolve_work_url
from elcano.storage.evidence import DATA_HASH, INDEXED_AT, PATH, Evidence, StoredText
from elcano.storage.store import TenantStore
from elcano.storage.threads import Threads
from elcano.subjects.documents.document_passages import choose_passages, find_document
from elcano.subjects.documents.file_works import build_file_work
from elcano.subjects.documents.locators import format_locator, shorten_key
from elcano.subjects.documents.parser import Parser
from elcano.subjects.documents.passage_index import Entry, Index, IndexedDocument, load_gaps

READMES: Final = "packages"
"""The source of packages' descriptions of themselves, each one short text."""
SEARCH_THREADS: Final = 4
"""Concurrent searches of one source; they share the processor with everything else."""
OLDER_SECONDS: Final = 1.0
"""Seconds that a search waits for an index under rebuild; small ones are done by then, else the older one answers."""
OLDER_INDEX: Final = "it is built anew since an upgrade, and documents are searched as they were read before"
RESYNC_SECONDS: Final = 5.0
"""A search within this time after a sync trusts it."""


class DocumentsSource:
    """One collection with its index.

    Args:
        spec: the source's specification; its name is the first part of all its ids.
        collection: the documents.
        index_path: the index file; it and its folder are created when needed.
        clock: monotonic seconds.
        parser: what reads the collection's documents; left out: a new one.
    """

    def __init__(
        self,
        spec: SourceSpec,
        collection: Collection,
        index_path: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        parser: Parser | None = None,
    ) -> None:
        self.spec = spec
        self._name = name = spec.name
        self._collection = collection
        self._parser = parser or Parser()
        self._index = Index(index_path, self._parser.version)
        self._clock = clock
        self._indexing = Threads(f"index-{name}", 1)  # all who wait share one sync
        self._searching = Threads(f"search-{name}", SEARCH_THREADS)
        self._stopped = threading.Event()
        self._running: asyncio.Task[Listing] | None = None
        self._latest: tuple[float, Listing] | None = None

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return at most `limit` passages, best first; the first search of a collection indexes it.

        Raises:
            SourceUnavailable: the index is locked or cannot be written now.
            SourceRefused: there is no such folder, or nothing in it.
        """
        listing = await self._synchronised(may_be_older=True)
        return await self._searching.run(self._search, query, limit, listing)

    async def read_document(self, store: TenantStore, key: str, queries: Sequence[str], limit: int) -> SearchResults:
        """See `ReadsDocuments`."""
        listing = await self._synchronised()
        return await self._searching.run(self._read_document, key, queries, limit, listing)

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return the inverse document frequency of each word over all passages, as BM25 uses it; never below 0."""
        await self._synchronised(may_be_older=True)
        return await self._searching.run(self._weights, words)

    async def skipped(self) -> list[SkippedDocument]:
        """Return every document that is not searched, with the reason, and a line for each unreadable kind of file."""
        listing = await self._synchronised()
        unread = await self._searching.run(self._index.skipped)
        return sorted((*listing.skipped, *unread)) + list(listing.ignored)

    async def update_index(self) -> None:
        """Bring the index up to date, as a search does first.

        Raises:
            SourceUnavailable: the index is locked or cannot be written now.
        """
        await self._synchronised()

    async def close(self) -> None:
        """Stop a running sync; its work so far is kept."""
        self._stopped.set()
        self._parser.stop()
        if self._running is not None:
            await asyncio.wait([self._running])
        self._indexing.close()
        self._searching.close()

    async def _synchronised(self, *, may_be_older: bool = False) -> Listing:
        """Return the collection as indexed. All callers share one sync, and none can cancel it for the others.

        After an upgrade every document is read anew, which may take minutes. Who takes an older index for an answer
        waits a second for that, and is then given a listing that says so.
        """
        if self._latest is not None and self._clock() - self._latest[0] < RESYNC_SECONDS:
            return self._latest[1]
        if self._running is None:
            self._running = asyncio.create_task(self._synchronise())
            self._running.add_done_callback(self._finished)
        running = self._running
        if may_be_older and await self._searching.run(self._index.is_older):
            done, _ = await asyncio.wait([running], timeout=OLDER_SECONDS)
            if not done:
                return Listing({}, (SkippedDocument("the index", OLDER_INDEX),))
        return await asyncio.shield(running)

    async def _synchronise(self) -> Listing:
        began = self._clock()
        listing = await self._indexing.run(sync_index, self._collection, self._index, self._parser, self._stopped)
        self._latest = began, listing
        return listing

    def _finished(self, task: asyncio.Task[Listing]) -> None:
        self._running = None
        if not task.cancelled():
            task.exception()  # All waiters got it, if there were any.

    def _search(self, query: str, limit: int, listing: Listing) -> SearchResults:
        with self._index.reading() as database:
            hits = search.best_passages(database, query, limit, readmes=self._name == READMES)
            texts = search.load_indexed_texts(database, (hit.document for hit in hits))
        skipped = sorted((*listing.skipped, *self._index.skipped()))
        notes = list_skip_warnings(self._name, skipped)
        partly = {text.key: load_gaps(text.gaps) for text in texts.values() if text.gaps}
        notes = (*notes, *list_gap_warnings(self._name, partly, dict(self._index.list_gaps())))
        if not search_words(query):
            notes = (f"{self._name}: {query!r} has no word to search for", *notes)
        now = time.time()
        places = {number: StoredPlaces(text.places) for number, text in texts.items()}
        return SearchResults(
            evidence=tuple(self._evidence(hit, texts[hit.document], places[hit.document], now) for hit in hits),
            texts=tuple(self._stored(text) for text in texts.values()),
            warnings=notes,
        )

    def _read_document(self, key: str, queries: Sequence[str], limit: int, listing: Listing) -> SearchResults:
        with self._index.reading() as database:
            if (found := find_document(database, key)) is None:
                reasons = dict(listing.skipped)
                why = reasons.get(key) or "it is not there: it was deleted or renamed"
                raise SourceRefused(f"{key} cannot be read in {self._name!r}: {why}")
            if found[1]:
                raise SourceRefused(f"{key} cannot be read: {found[1]}")
            read = choose_passages(database, found[0], queries, limit)
        places, now = StoredPlaces(read.text.places), time.time()
        gaps = {key: load_gaps(read.text.gaps)} if read.text.gaps else {}
        return SearchResults(
            evidence=tuple(self._evidence(hit, read.text, places, now) for hit in read.hits),
            texts=(self._stored(read.text),),
            warnings=list_gap_warnings(self._name, gaps, gaps),
        )

    def _evidence(self, hit: Hit, text: Text, places: StoredPlaces, now: float) -> Evidence:
        passage = hit.passage
        document = self._document_id(text)
        last = passage.heading.rpartition(" > ")[2]
        work = build_file_work(text, self._name)
        described = places.describe(passage.start, passage.end, passage.page)
        return Evidence(
            id=f"{document}:{passage.start}-{passage.end}",
            source=self._name,
            document=document,
            content_hash=text.text_hash,
            title=text.title if last in ("", text.title) else f"{text.title} > {last}",
            # A work of a reading list is found by its address, a file of one's own where it is: its page is in no DOI.
            locator=(text.work and work and resolve_work_url(work)) or format_locator(text, hit.passage, described),
            heading=passage.heading,
            text=text.text[passage.start : passage.end],
            start=passage.start,
            end=passage.end,
            score=hit.score,
            retrieved_at=now,
            work=work,
            places=places.cut(passage.start, passage.end),
            metadata={
                INDEXED_AT: text.indexed_at,
                PATH: text.key,
                **({DATA_HASH: text.file_hash} if text.file_hash else {}),
                **described,
                **{
                    name: value
                    for name in ("page", "last_page", "anchor", "paragraph", "head")
                    if (value := getattr(passage, name))  # each format has some of them
                },
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
        return f"{self._name}:{shorten_key(text.key)}@{text.text_hash[:8]}"

    def _weights(self, words: Sequence[str]) -> dict[str, float]:
        with self._index.reading() as database:
            total, counts = search.count_word_frequencies(database, words)
        return {
            word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in zip(words, counts, strict=True)
        }


BATCH_DOCUMENTS: Final = 500
BATCH_CHARACTERS: Final = 8_000_000


def sync_index(collection: Collection, index: Index, parser: Parser, stopped: threading.Event) -> Listing:
    """Make the index equal to the collection, and return the collection's listing.

    Two processes may do it at once: the second waits and then finds nothing left to do.

    Raises:
        SourceRefused: the collection cannot be listed; the index stays as it is.
        SourceUnavailable: the index cannot be written now, or `stopped` was set.
    """
    listing = collection.listing()
    if not _has_changes(listing.documents, _list_known(index, parser)) and not index.is_older():
        return listing
    with index.writing(stopped) as target:
        listing = collection.listing()
        known = _list_known(target, parser)
        target.remove(known.keys() - listing.documents.keys())
        same: list[tuple[str, str]] = []
        for batch in _batch_entries(_read_changed_entries(collection, listing, known, parser, same, stopped)):
            target.put(batch)
        target.refresh(same)
        if target is not index and not stopped.is_set():
            index.replace(target)
    if stopped.is_set():
        raise SourceUnavailable("the worker stops before the index is up to date")
    return listing


def _list_known(index: Index, parser: Parser) -> dict[str, IndexedDocument]:
    """List the indexed documents; one whose unread parts can be read by now counts as changed."""
    readable = {key: IndexedDocument("", "") for key, needs in index.list_needs() if parser.can_read_now(needs)}
    return index.known() | readable


def _has_changes(documents: Mapping[str, str], known: Mapping[str, IndexedDocument]) -> bool:
    return documents.keys() != known.keys() or any(
        known[key].fingerprint != fingerprint for key, fingerprint in documents.items()
    )


def _read_changed_entries(
    collection: Collection,
    listing: Listing,
    known: Mapping[str, IndexedDocument],
    parser: Parser,
    same: list[tuple[str, str]],
    stopped: threading.Event,
) -> Iterator[Entry]:
    """Yield the entries to index; documents with new fingerprints but unchanged bytes are added to `same`."""
    for key, fingerprint in listing.documents.items():
        before = known.get(key)
        if stopped.is_set():
            return
        if before is not None and before.fingerprint == fingerprint:
            continue
        try:
            content = collection.content(key)
        except FileNotFoundError:  # Deleted since it was listed: the next sync forgets it.
            continue
        except OSError as error:
            yield Entry(key, "", reason=f"it cannot be read ({error.strerror or type(error).__name__})")
            continue
        except FileSkipped as error:
            yield Entry(key, fingerprint, reason=str(error))
            continue
        data_hash = hashlib.sha256(content.data).hexdigest()
        if before is not None and before.data_hash == data_hash:
            same.append((key, fingerprint))
            continue
        entry = _parse_entry(key, fingerprint, data_hash, content, parser)
        if not stopped.is_set():  # A parser that was stopped says nothing about its file.
            yield entry


def _parse_entry(key: str, fingerprint: str, data_hash: str, content: Content, parser: Parser) -> Entry:
    try:
        document = parser.parse(content.name, content.data)
    except FileSkipped as error:
        return Entry(key, fingerprint, data_hash, reason=str(error), needs=error.needs)
    if content.title:
        document = replace(document, title=content.title)
    text_hash = hashlib.sha256(document.text.encode()).hexdigest()
    return Entry(key, fingerprint, data_hash, text_hash, document, file_hash=content.file_hash)


def _batch_entries(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    characters = 0
    for entry in entries:
        batch.append(entry)
        characters += len(entry.document.text) if entry.document else 0
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
