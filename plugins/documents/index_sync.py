"""Brings an index up to date with its collection, reading only what may have changed.

A document whose fingerprint is known is not read; one whose bytes have the known hash is not parsed. Work is committed
in batches, so an interrupted first indexing continues where it was.
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from elcano.activities.passages.document import Collection, Content, FileSkipped, Listing
from elcano.activities.passages.index import Entry, Index, IndexedDocument
from elcano.graphs.errors import SourceUnavailable
from elcano.plugins.documents.parser import Parser

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
    if not _has_changes(listing.documents, index.known()):
        return listing
    with index.writing(stopped), parser:
        listing = collection.listing()
        known = index.known()
        index.remove(known.keys() - listing.documents.keys())
        same: list[tuple[str, str]] = []
        for batch in _batch_entries(_read_changed_entries(collection, listing, known, parser, same, stopped)):
            index.put(batch)
        index.refresh(same)
    if stopped.is_set():
        raise SourceUnavailable("the worker stops before the index is up to date")
    return listing


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
        return Entry(key, fingerprint, data_hash, reason=str(error))
    if content.title:
        document = replace(document, title=content.title)
    text_hash = hashlib.sha256(document.text.encode()).hexdigest()
    return Entry(key, fingerprint, data_hash, text_hash, document)


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
