"""Reads uploaded documents, each once and for all workers, and brings this worker's index up to date.

What was read of one document is kept before the next one is begun, so a worker that dies loses one document's reading.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from temporalio import activity

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.text import format_count
from elcano.plugins.documents.parser import Parser
from elcano.plugins.uploads.content_kind import find_parted_type, name_by_content
from elcano.plugins.uploads.document_store import UploadedDocument, get_uploads
from elcano.plugins.uploads.file_parts import delete_parts, iterate_parts, keep_parts
from elcano.plugins.uploads.source import CollectionIndexes
from elcano.plugins.uploads.uploaded_collection import write_text
from elcano.plugins.uploads.workflows import READ_BATCH, ReadingWork
from elcano.storage.store import Store, TenantStore
from elcano.storage.threads import Threads

BATCH: Final = 200
"""Documents after which the index is brought up to date, and the workflow goes on."""
BEAT_SECONDS: Final = 8.0


@dataclass(frozen=True)
class ReadingActivities:
    """The activities of one worker."""

    store: Store
    indexes: CollectionIndexes
    threads: Threads
    file_limit: int
    """Bytes of one file of an archive."""

    @activity.defn(name=READ_BATCH)
    async def read_batch(self, work: ReadingWork) -> int:
        """Read some of what is yet to be read of a collection; returns 0 if nothing is left."""
        store = self.store.of(work.tenant)
        uploads = get_uploads(store)
        async with _send_beats():
            with Parser() as parser:
                for document in await uploads.page(work.collection, limit=BATCH, state="uploaded"):
                    await self._read(store, document, parser)
            with suppress(SourceUnavailable):  # a search will do it
                async with self.indexes.open(store, work.collection) as source:
                    await source.update_index()
            return len(await uploads.page(work.collection, limit=1, state="uploaded"))

    async def _read(self, store: TenantStore, document: UploadedDocument, parser: Parser) -> None:
        uploads = get_uploads(store)
        data = await store.files.get(document.data_file)
        try:
            if data is None:
                raise FileSkipped("its bytes are not in the store any more: upload it again")
            kind = find_parted_type(document.path, data)
            read = self._take_apart(store, document, kind, data) if kind else self._parse(store, document, parser, data)
            outcome = await read
        except FileSkipped as error:
            outcome = {"state": "refused", "reason": str(error), "media_type": "", "title": ""}
        if not await uploads.note_outcome(document, **outcome):
            await store.files.delete([document.text_file])
            if await uploads.find(document.collection, document.path) is None:
                await delete_parts(store, document)

    async def _parse(
        self, store: TenantStore, document: UploadedDocument, parser: Parser, data: bytes
    ) -> Mapping[str, Any]:
        read = await self.threads.run(parser.parse, name_by_content(document.path, data), data)
        await store.files.put(document.text_file, await asyncio.to_thread(write_text, read))
        told = {"title": read.title, "media_type": read.media_type, "empty_pages": read.empty_pages}
        return {"state": "indexed", "reason": "", **told}

    async def _take_apart(
        self, store: TenantStore, document: UploadedDocument, kind: str, data: bytes
    ) -> Mapping[str, Any]:
        parts = await self.threads.run(iterate_parts, kind, data, self.file_limit)
        number, lacking = await keep_parts(store, document, parts, self.threads)
        return {"state": "indexed", "reason": lacking, "media_type": kind, "title": format_count(number, "document")}


@asynccontextmanager
async def _send_beats() -> AsyncIterator[None]:
    """Tell Temporal that the activity goes on, while a document is read."""

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(BEAT_SECONDS)

    beats = asyncio.create_task(beat())
    try:
        yield
    finally:
        beats.cancel()
