"""What a worker does for uploads beside its runs: it reads what was uploaded, and drops indexes of what was deleted."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

from elcano import __version__
from elcano.api.temporal.client import describe_owner
from elcano.graphs.plugin import Surroundings
from elcano.plugins.uploads.activities import ReadingActivities
from elcano.plugins.uploads.contracts import READING_WORKFLOW, TASK_QUEUE, ReadingWork
from elcano.plugins.uploads.document_store import CollectionCount, UploadStore, get_upload_store, get_uploads
from elcano.plugins.uploads.source import CollectionIndexes, open_indexes
from elcano.plugins.uploads.workflows import ReadingWorkflow
from elcano.storage.store import Store
from elcano.storage.threads import Threads
from elcano.workflows.sandbox import workflow_runner

LOOK_SECONDS: Final = 2.0
"""How often documents that are yet to be read are looked for."""
SWEEP_SECONDS: Final = 60.0
"""How often the indexes of this machine are compared with the store."""
COLLECTIONS: Final = 100
"""Collections that are looked at, at a time."""
READ_AT_ONCE: Final = 2
"""Collections that one worker reads at the same time."""

_log = logging.getLogger("uploads")


@asynccontextmanager
async def read_in_background(around: Surroundings) -> AsyncIterator[None]:
    """Read documents while a worker works."""
    client = await around.connect()
    indexes, threads = open_indexes(around.settings), Threads("read-uploads", READ_AT_ONCE)
    worker = build_reading_worker(client, ReadingActivities(around.store, indexes, threads))
    tasks = [
        asyncio.create_task(_begin_readings(client, get_upload_store(around.store)), name="begin readings"),
        asyncio.create_task(_sweep_indexes(around.store, indexes), name="sweep indexes"),
    ]
    try:
        async with worker:
            yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        threads.close()


def build_reading_worker(client: Client, activities: ReadingActivities) -> Worker:
    """The worker that reads documents, not yet started."""
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[ReadingWorkflow],
        activities=[activities.read_batch],
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        max_concurrent_activities=READ_AT_ONCE,
        graceful_shutdown_timeout=timedelta(seconds=1),  # what is cut off is read again
    )


async def _begin_readings(client: Client, store: UploadStore) -> None:
    while True:
        try:
            await begin_readings(client, store)
        except Exception:  # a database or a server that fails now may work at the next look
            _log.exception("uploaded documents cannot be read now")
        await asyncio.sleep(LOOK_SECONDS)


async def begin_readings(client: Client, store: UploadStore) -> int:
    """Begin to read collections that have something unread; any number of workers may do so at once."""
    unread = await store.list_unread(COLLECTIONS)
    for tenant, collection in unread:
        work = ReadingWork(tenant=tenant, collection=collection)
        await client.start_workflow(
            READING_WORKFLOW,
            work,
            id=work.workflow_id,
            task_queue=TASK_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            search_attributes=describe_owner(tenant),
            static_summary=f"Reads the documents of {collection}",
        )
    return len(unread)


async def _sweep_indexes(store: Store, indexes: CollectionIndexes) -> None:
    seen: dict[Path, CollectionCount] = {}
    while True:
        try:
            seen = await sweep_indexes(store, indexes, seen)
        except Exception:  # as above
            _log.exception("the indexes of uploaded documents cannot be compared with the store now")
        await asyncio.sleep(SWEEP_SECONDS)


async def sweep_indexes(
    store: Store, indexes: CollectionIndexes, seen: Mapping[Path, CollectionCount]
) -> dict[Path, CollectionCount]:
    """Delete the indexes of collections that are gone, and bring those up to date that have changed since `seen`."""
    now: dict[Path, CollectionCount] = {}
    for path in await asyncio.to_thread(lambda: sorted(indexes.folder.glob("*/*.sqlite"))):
        own = store.of(path.parent.name)
        count = (await get_uploads(own).count(path.stem)).get(path.stem)
        if count is None:
            await asyncio.to_thread(_delete_index, path)
            continue
        now[path] = count
        if count != seen.get(path):
            async with indexes.open(own, path.stem) as source:
                await source.update_index()
    return now


def _delete_index(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink(missing_ok=True)
