"""Uploads in a worker, beside its runs: it reads new documents, and drops the indexes of deleted ones."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker, looking_for
from elcano.api.temporal.client import begin_workflow
from elcano.graphs.plugin import Surroundings
from elcano.plugins.uploads.activities import ReadingActivities
from elcano.plugins.uploads.document_store import CollectionCount, UploadStore, get_upload_store, get_uploads
from elcano.plugins.uploads.source import CollectionIndexes, open_indexes
from elcano.plugins.uploads.workflows import READING_WORKFLOW, TASK_QUEUE, ReadingWork, ReadingWorkflow
from elcano.storage.store import Store
from elcano.storage.threads import Threads

LOOK_SECONDS: Final = 2.0
"""How often documents that are yet to be read are looked for."""
SWEEP_SECONDS: Final = 60.0
"""How often the indexes of this machine are compared with the store."""
COLLECTIONS: Final = 100
"""Collections that are looked at, at a time."""
READ_AT_ONCE: Final = 2
"""Collections that one worker reads at the same time."""


@asynccontextmanager
async def read_in_background(around: Surroundings) -> AsyncIterator[None]:
    """Read documents while a worker works."""
    client = await around.connect()
    indexes, threads = open_indexes(around.settings), Threads("read-uploads", READ_AT_ONCE)
    look = partial(begin_readings, client, get_upload_store(around.store))
    sweep = partial(sweep_indexes, around.store, indexes, {})
    try:
        async with (
            build_reading_worker(
                client, ReadingActivities(around.store, indexes, threads, around.settings.file_limit_bytes)
            ),
            looking_for("documents to read", look, every=LOOK_SECONDS),
            looking_for("indexes that have changed", sweep, every=SWEEP_SECONDS),
        ):
            yield
    finally:
        threads.close()


def build_reading_worker(client: Client, activities: ReadingActivities) -> Worker:
    """The worker that reads documents, not yet started."""
    return build_queue_worker(
        client, TASK_QUEUE, [ReadingWorkflow], [activities.read_batch], activities_at_once=READ_AT_ONCE
    )


async def begin_readings(client: Client, store: UploadStore) -> int:
    """Begin to read collections that have something unread; any number of workers may do so at once."""
    unread = await store.list_unread(COLLECTIONS)
    for tenant, collection in unread:
        work = ReadingWork(tenant=tenant, collection=collection)
        await begin_workflow(
            client,
            READING_WORKFLOW,
            work,
            id=work.workflow_id,
            queue=TASK_QUEUE,
            tenant=tenant,
            summary=f"Reads the documents of {collection}",
        )
    return len(unread)


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
