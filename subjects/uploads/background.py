"""Uploads in a worker, next to its runs: it reads new documents, and drops the indexes of deleted ones.

Documents that an older version of the readers read are read anew, one after another and on a queue of their own. Until
then they are searched as they are; runs and reports keep the text that they quoted, which is stored by its hash.

Each document is read once and for all workers, and kept before the next one is begun, so a worker that dies loses one
document's reading.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from temporalio import activity
from temporalio.client import Client

from elcano.activities.background_work import BackgroundWork, Look
from elcano.activities.passages.document import FileSkipped, Gap
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.plugin import Surroundings
from elcano.graphs.text import format_count
from elcano.service.temporal.background_starts import begin_workflow
from elcano.storage.store import Store, TenantStore
from elcano.storage.threads import Threads
from elcano.subjects.documents.file_formats import READER
from elcano.subjects.documents.ocr_languages import can_read
from elcano.subjects.documents.parser import Parser
from elcano.subjects.uploads.content_kind import find_parted_type
from elcano.subjects.uploads.document_files import sweep_files
from elcano.subjects.uploads.document_store import (
    CollectionCount,
    UploadedDocument,
    UploadStore,
    get_upload_store,
    get_uploads,
)
from elcano.subjects.uploads.file_parts import delete_parts, iterate_parts, keep_parts
from elcano.subjects.uploads.source import CollectionIndexes, open_indexes, write_text
from elcano.subjects.uploads.workflows import (
    OUTDATED_QUEUE,
    READ_BATCH,
    READING_WORKFLOW,
    TASK_QUEUE,
    ReadingWork,
    ReadingWorkflow,
)

LOOK_SECONDS: Final = 2.0
"""Interval at which unread documents are looked for, in seconds."""
SWEEP_SECONDS: Final = 60.0
"""Interval at which the indexes of this machine are compared with the store, in seconds."""
FILES_SECONDS: Final = 3_600.0
"""Interval in seconds at which all files are listed, to delete those of no document, and all gaps, to find those that
can be read by now."""
COLLECTIONS: Final = 100
"""Collections that are looked at, at a time."""
READ_AT_ONCE: Final = 2
"""Collections that one worker reads at the same time."""
BATCH: Final = 200
"""Documents after which the index is brought up to date, and the workflow goes on."""
BATCH_SECONDS: Final = 1_800.0
"""Seconds after which a batch begins no further document: reading a scan may take half an hour, and `BATCH_TIMEOUT` has
to leave room for the last one."""
OUTDATED_AT_ONCE: Final = 1
"""Documents that one worker reads anew at the same time: it has new ones and runs to work on."""
BEAT_SECONDS: Final = 8.0


_NO_GAPS: Final[Mapping[str, Any]] = {"gaps": None, "unread_parts": 0}


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
        async with _send_beats():
            parser = Parser()
            until = time.monotonic() + BATCH_SECONDS
            for document in await self._list_unread(store, work, BATCH):
                await self._read(store, document, parser)
                if time.monotonic() > until:
                    break
            with suppress(SourceUnavailable):  # a search will do it
                async with self.indexes.open(store, work.collection) as source:
                    await source.update_index()
            return len(await self._list_unread(store, work, 1))

    async def _list_unread(self, store: TenantStore, work: ReadingWork, limit: int) -> list[UploadedDocument]:
        uploads = get_uploads(store)
        if work.outdated:
            return await uploads.list_outdated(work.collection, READER, limit)
        return await uploads.page(work.collection, limit=limit, state="uploaded")

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
            if error.needs:
                outcome["gaps"] = (Gap(str(error), needs=error.needs),)
        if not await uploads.note_outcome(document, **{**_NO_GAPS, **outcome}, reader=READER):
            await store.files.delete([document.text_file])
            if await uploads.find(document.collection, document.path) is None:
                await delete_parts(store, document)

    async def _parse(
        self, store: TenantStore, document: UploadedDocument, parser: Parser, data: bytes
    ) -> Mapping[str, Any]:
        read = await self.threads.run(parser.parse, document.path, data)
        await store.files.put(document.text_file, await asyncio.to_thread(write_text, read))
        unread = sum(gap.unread for gap in read.gaps)
        row = {"title": read.title, "media_type": read.media_type, "gaps": read.gaps or None, "unread_parts": unread}
        return {"state": "indexed", "reason": "", **row}

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


@asynccontextmanager
async def open_background(around: Surroundings) -> AsyncIterator[Sequence[BackgroundWork]]:
    """Prepare the reading of documents, with what is to be swept."""
    client, uploads = await around.connect(), get_upload_store(around.store)
    indexes, threads = open_indexes(around.settings), Threads("read-uploads", READ_AT_ONCE)
    activities = ReadingActivities(around.store, indexes, threads, around.settings.file_limit_bytes)
    again = replace(activities, threads=Threads("read-uploads-again", OUTDATED_AT_ONCE))
    sweeps: list[Look] = [
        ("documents that can be read by now", partial(mark_readable, uploads), FILES_SECONDS),
        ("indexes that have changed", partial(sweep_indexes, around.store, indexes, {}), SWEEP_SECONDS),
        ("files of no document", partial(sweep_files, around.store), FILES_SECONDS),
    ]
    try:
        yield [
            build_reading_work(client, activities),
            build_reading_work(client, again, outdated=True),
            BackgroundWork(looks=sweeps),
        ]
    finally:
        threads.close()
        again.threads.close()


def build_reading_work(client: Client, activities: ReadingActivities, *, outdated: bool = False) -> BackgroundWork:
    """The reading of new documents, or of outdated ones anew."""
    queue, at_once = (OUTDATED_QUEUE, OUTDATED_AT_ONCE) if outdated else (TASK_QUEUE, READ_AT_ONCE)
    look = partial(begin_readings, client, get_upload_store(activities.store), outdated=outdated)
    looks = [("documents to read", look, SWEEP_SECONDS if outdated else LOOK_SECONDS)]
    return BackgroundWork([ReadingWorkflow], [activities.read_batch], looks, queue=queue, at_once=at_once)


async def begin_readings(client: Client, store: UploadStore, *, outdated: bool = False) -> int:
    """Begin to read collections that have something unread, or outdated; any number of workers may do so at once."""
    found = await (store.list_outdated(READER, COLLECTIONS) if outdated else store.list_unread(COLLECTIONS))
    for tenant, collection in found:
        work = ReadingWork(tenant=tenant, collection=collection, outdated=outdated)
        await begin_workflow(
            client,
            READING_WORKFLOW,
            work,
            id=work.workflow_id,
            queue=OUTDATED_QUEUE if outdated else TASK_QUEUE,
            tenant=tenant,
            summary=f"Reads the documents of {collection}{' anew' if outdated else ''}",
        )
    return len(found)


async def mark_readable(store: UploadStore) -> int:
    """Have documents read anew of which something was not read that can be here, as where OCR was installed since."""
    found = await store.list_readable(can_read)
    for tenant, document in found:
        await store.of(tenant).note_outcome(document, reader=0)
    return len(found)


async def sweep_indexes(store: Store, indexes: CollectionIndexes, seen: dict[Path, CollectionCount]) -> None:
    """Delete the indexes of collections that are gone, and bring those up to date that have changed since `seen`.

    What is seen now is written into it.
    """
    for path in await asyncio.to_thread(lambda: sorted(indexes.folder.glob("*/*.sqlite"))):
        own = store.of(path.parent.name)
        count = (await get_uploads(own).count(path.stem)).get(path.stem)
        if count is None:
            await asyncio.to_thread(_delete_index, path)
            seen.pop(path, None)
        elif count != seen.get(path):
            async with indexes.open(own, path.stem) as source:
                await source.update_index()
            seen[path] = count


def _delete_index(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink(missing_ok=True)
