"""Reads uploaded documents, each once and for all workers, and brings this worker's index up to date.

What was read of one document is kept before the next one is begun, so a worker that dies loses one document's reading.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from temporalio import activity

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.errors import SourceUnavailable
from elcano.plugins.documents.parser import Parser
from elcano.plugins.uploads.content_kind import name_by_content
from elcano.plugins.uploads.contracts import READ_BATCH, ReadingWork
from elcano.plugins.uploads.document_store import UploadedDocument, get_uploads
from elcano.plugins.uploads.source import CollectionIndexes
from elcano.plugins.uploads.uploaded_collection import write_text
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
            read = await self.threads.run(parser.parse, name_by_content(document.path, data), data)
        except FileSkipped as error:
            await uploads.note_outcome(document, state="refused", reason=str(error), media_type="", title="")
            return
        await store.files.put(document.text_file, await asyncio.to_thread(write_text, read))
        told = {"title": read.title, "media_type": read.media_type, "empty_pages": read.empty_pages}
        if not await uploads.note_outcome(document, state="indexed", reason="", **told):
            await store.files.delete([document.text_file])


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
