"""What a worker does for batches beside its runs: it begins their workflows, and works on their queue."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

from elcano import __version__
from elcano.api.process import Process
from elcano.api.temporal.client import describe_owner
from elcano.graphs.plugin import Surroundings
from elcano.plugins.batches.activities import BatchActivities
from elcano.plugins.batches.batch_store import BatchStore, get_batch_store
from elcano.plugins.batches.contracts import CHANGED, TASK_QUEUE, WORKFLOW
from elcano.plugins.batches.workflows import BatchWorkflow
from elcano.workflows.sandbox import workflow_runner

LOOK_SECONDS: Final = 1.0
"""How often batches are looked for that were made, topped up or cancelled."""
AT_ONCE: Final = 100

_log = logging.getLogger("batches")


@asynccontextmanager
async def work_on_batches(around: Surroundings) -> AsyncIterator[None]:
    """Work on batches while a worker works. Until there is one, Temporal is not asked for anything."""
    task = asyncio.create_task(_work(await around.connect(), Process.of_worker(around)), name="work on batches")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _work(client: Client, process: Process) -> None:
    store = get_batch_store(process.store)
    while not await _look(store.wake_open()):  # noqa: ASYNC110 - the database is asked
        await asyncio.sleep(LOOK_SECONDS)
    async with build_batch_worker(client, process):
        while True:
            await _look(begin_changed_batches(client, store))
            await asyncio.sleep(LOOK_SECONDS)


async def _look(work: Coroutine[Any, Any, int]) -> int:
    """What a look finds; nothing if it fails: a database or a server that fails now may work at the next look."""
    try:
        return await work
    except Exception:
        _log.exception("batches cannot be looked at now")
        return 0


def build_batch_worker(client: Client, process: Process) -> Worker:
    """The worker of batches, not yet started; it starts runs as the API's `process` would."""
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[BatchWorkflow],
        activities=[BatchActivities(process).advance],
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        graceful_shutdown_timeout=timedelta(seconds=1),  # what is cut off is done again
    )


async def begin_changed_batches(client: Client, store: BatchStore) -> int:
    """Begin the workflows of new batches, and tell those of changed ones; any number of workers may do so at once."""
    changed = await store.list_changed(AT_ONCE)
    for work, at in changed:
        await client.start_workflow(
            WORKFLOW,
            work,
            id=work.workflow_id,
            task_queue=TASK_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal=CHANGED,
            search_attributes=describe_owner(work.tenant),
            static_summary=f"Batch {work.batch}",
        )
        await store.note_told(work, at)
    return len(changed)
