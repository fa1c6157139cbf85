"""Uploaded documents as a source: each collection of a tenant has an index of its own on the worker that searches it.

The index is a cache, made of what is in the store: what was read of the documents of a collection is its content. It is
open only while someone searches it or brings it up to date: a service may have any number of tenants. The methods of a
collection are called by a thread of the index; the store is asked on the event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from elcano.activities.passages.document import Content, Document, FileSkipped, Listing, SkippedDocument
from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import NAME, NAME_IN_WORDS, SourceSpec
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore
from elcano.subjects.documents.parser import Parser
from elcano.subjects.documents.source import DocumentsSource
from elcano.subjects.uploads.content_kind import PARTED_TYPES
from elcano.subjects.uploads.document_store import UploadedDocument, get_uploads
from elcano.subjects.uploads.source_spec import UPLOADS

UNREAD_SECONDS: Final = 10.0
"""Seconds to wait before asking again for a document that is not read yet."""
T = TypeVar("T")
_DOCUMENT: Final[TypeAdapter[Document]] = TypeAdapter(Document)


class TextReader(Parser):
    """Loads texts that were parsed before: nothing of them can crash or hang."""

    version = 0
    """Each document is read anew by itself, and its text is then another."""

    def can_read_now(self, needs: str) -> bool:
        """Never: `mark_readable` has the file itself read anew."""
        return False

    def parse(self, name: str, content: bytes) -> Document:
        """The document that `write_text` made `content` of.

        Raises:
            FileSkipped: it is not understood.
        """
        try:
            return _DOCUMENT.validate_json(content)
        except ValidationError as error:
            raise FileSkipped("what was read of it cannot be understood: index the collection again") from error


def write_text(document: Document) -> bytes:
    """The parsed document, as it is kept."""
    return _DOCUMENT.dump_json(document)


class UploadedCollection:
    """The documents of one collection of a tenant.

    Args:
        store: of the tenant.
        name: the collection's.
        loop: where the store can be asked.
    """

    def __init__(self, store: TenantStore, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._name = name
        self._loop = loop
        self._listed: dict[str, UploadedDocument] = {}

    def listing(self) -> Listing:
        """The documents that were read; the others are skipped, each with its reason."""
        uploads = get_uploads(self._store)
        read = self._ask(uploads.list_read(self._name))
        count = self._ask(uploads.count(self._name)).get(self._name)
        self._listed = {one.path: one for one in read if one.media_type and one.media_type not in PARTED_TYPES}
        skipped = [
            SkippedDocument(f"{'' if one.state == 'refused' else 'a part of '}{one.path}", one.reason)
            for one in read
            if one.reason
        ]
        if count is not None and count.uploaded:
            wait = "document is" if count.uploaded == 1 else "documents are"
            skipped.append(SkippedDocument("what is unread", f"{count.uploaded:,} {wait} yet to be read"))
        return Listing(
            {path: f"{one.data_hash}:{one.read_at}" for path, one in sorted(self._listed.items())}, tuple(skipped)
        )

    def content(self, key: str) -> Content:
        """The parsed document.

        Raises:
            FileNotFoundError: it was deleted since it was listed.
            FileSkipped: its text is gone.
        """
        document = self._listed[key]
        text = self._ask(self._store.files.get(document.text_file))
        if text is None:
            if self._ask(get_uploads(self._store).find(self._name, key)) != document:
                raise FileNotFoundError(key)
            raise FileSkipped("its text is not in the store any more: index the collection again")
        return Content(key, text, file_hash=document.data_hash)

    def _ask(self, question: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(question, self._loop).result()


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
        """Return the path of a collection's index."""
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
        self.spec = spec
        self._indexes = indexes
        self._collection = collection

    def get_part(self, name: str) -> "UploadsSource":
        """See `HasParts`.

        Raises:
            SourceRefused: no collection can be called so.
        """
        if not NAME.fullmatch(name):
            raise SourceRefused(f"no collection can be called {name!r}: a name is {NAME_IN_WORDS}")
        described = {"name": f"{UPLOADS.name}:{name}", "description": f"The uploaded documents of {name!r}."}
        return UploadsSource(self.spec.model_copy(update=described), self._indexes, name)

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

    async def read_document(self, store: TenantStore, key: str, queries: Sequence[str], limit: int) -> SearchResults:
        """See `ReadsDocuments`; of a collection."""
        document = await get_uploads(store).find(self._collection, key) if self._collection else None
        if document is None:
            raise SourceRefused(f"{key} is not in {self.spec.name!r}: it was deleted since")
        if document.read_at is None:
            raise SourceBusy(f"{key} is yet to be read", UNREAD_SECONDS)
        async with self._indexes.open(store, self._collection) as source:
            return await source.read_document(store, key, queries, limit)

    async def close(self) -> None:
        """Nothing to close: each search closes the index that it opened."""


def open_source(spec: SourceSpec, settings: Settings) -> UploadsSource:
    """Open the uploaded documents. Nothing is read before the first search."""
    return UploadsSource(spec, open_indexes(settings))
