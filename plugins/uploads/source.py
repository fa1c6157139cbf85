"""Uploaded documents as a source: each collection of a tenant has an index of its own on the worker that searches it.

The index is a cache, made of what is in the store. It is open only while somebody searches it or brings it up to date:
a service may have any number of tenants.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import NAME, NAME_IN_WORDS, SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.plugins.documents.source import DocumentsSource
from elcano.plugins.uploads.document_store import get_uploads
from elcano.plugins.uploads.source_spec import UPLOADS
from elcano.plugins.uploads.uploaded_collection import TextReader, UploadedCollection
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore


@dataclass
class _Opened:
    source: DocumentsSource
    users: int = 0


class CollectionIndexes:
    """The indexes of uploaded documents in one folder, opened while they are used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._opened: dict[tuple[str, str], _Opened] = {}

    @asynccontextmanager
    async def open(self, store: TenantStore, name: str) -> AsyncIterator[DocumentsSource]:
        """The documents of a collection; all who use it at the same time share one."""
        key = store.tenant, name
        opened = self._opened.get(key)
        if opened is None:
            spec = UPLOADS.model_copy(update={"name": f"{UPLOADS.name}:{name}"})
            collection = UploadedCollection(store, name, asyncio.get_running_loop())
            source = DocumentsSource(spec, collection, self.locate(*key), parser=TextReader())
            opened = self._opened[key] = _Opened(source)
        opened.users += 1
        try:
            yield opened.source
        finally:
            opened.users -= 1
            if not opened.users:
                del self._opened[key]
                await opened.source.close()

    def locate(self, tenant: str, name: str) -> Path:
        """Where the index of a collection is."""
        return self.folder / tenant / f"{name}.sqlite"


def open_indexes(settings: Settings) -> CollectionIndexes:
    """The indexes of this machine."""
    return CollectionIndexes(settings.data_dir / "index" / UPLOADS.name)


class UploadsSource:
    """All that a tenant uploaded, or one collection of it.

    Args:
        spec: the source's specification.
        indexes: where the indexes are.
        collection: the one that is searched; empty: all.
    """

    def __init__(self, spec: SourceSpec, indexes: CollectionIndexes, collection: str = "") -> None:
        self._spec = spec
        self._indexes = indexes
        self._collection = collection

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    def get_part(self, name: str) -> "UploadsSource":
        """See `HasParts`.

        Raises:
            SourceRefused: no collection can be called so.
        """
        if not NAME.fullmatch(name):
            raise SourceRefused(f"no collection can be called {name!r}: a name is {NAME_IN_WORDS}")
        described = {"name": f"{UPLOADS.name}:{name}", "description": f"The uploaded documents of {name!r}."}
        return UploadsSource(self._spec.model_copy(update=described), self._indexes, name)

    async def search(self, query: str, limit: int) -> SearchResults:
        """Refused: it has to be known whose documents are meant."""
        raise SourceRefused("uploaded documents are searched in the store of a tenant")

    async def search_store(self, store: TenantStore, run_id: str, query: str, limit: int) -> SearchResults:
        """See `SearchesStore`. Of several collections, the best passages of each come first.

        Raises:
            SourceRefused: the tenant has no such collection, or none at all.
            SourceUnavailable: an index cannot be written now, or nothing was found where documents are yet to be read.
        """
        counts = await get_uploads(store).count(self._collection or None)
        if not counts:
            wanted = f"collection {self._collection!r}" if self._collection else "collection"
            raise SourceRefused(f"there is no {wanted} of uploaded documents: upload some, or name another source")
        found: list[SearchResults] = []
        for name in counts:
            async with self._indexes.open(store, name) as source:
                found.append(await source.search(query, limit))
        ranked = chain.from_iterable(zip_longest(*(one.evidence for one in found)))
        evidence = [passage for passage in ranked if passage is not None][:limit]
        if not evidence and any(count.uploaded for count in counts.values()):
            raise SourceUnavailable("nothing is found so far, and there are documents that are yet to be read")
        hashes = {passage.content_hash for passage in evidence}
        return SearchResults(
            evidence=tuple(evidence),
            texts=tuple(text for one in found for text in one.texts if text.content_hash in hashes),
            warnings=tuple(warning for one in found for warning in one.warnings),
        )

    async def close(self) -> None:
        """Nothing to close: each search closes the index that it opened."""


def open_source(spec: SourceSpec, settings: Settings) -> UploadsSource:
    """Open the uploaded documents. Nothing is read before the first search."""
    return UploadsSource(spec, open_indexes(settings))
