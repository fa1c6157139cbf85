"""Batches in a worker, beside its runs: it begins their workflows, and works on their queue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker, look_repeatedly, looking_for
from elcano.api.process import Process
from elcano.api.temporal.owned_workflows import begin_workflow
from elcano.graphs.plugin import Surroundings
from elcano.plugins.batches.activities import BatchActivities
from elcano.plugins.batches.batch_store import BatchStore, get_batch_store
from elcano.plugins.batches.workflows import CHANGED, TASK_QUEUE, WORKFLOW, BatchWorkflow

LOOK_SECONDS: Final = 1.0
"""How often batches are looked for that were made, topped up or cancelled."""
AT_ONCE: Final = 100


@asynccontextmanager
async def work_on_batches(around: Surroundings) -> AsyncIterator[None]:
    """Work on batches while a worker works. Until there is one, Temporal is not asked for anything."""
    look = partial(_work_if_open, await around.connect(), Process.of_worker(around))
    async with looking_for("batches", look, every=LOOK_SECONDS):
        yield


async def _work_if_open(client: Client, process: Process) -> None:
    store = get_batch_store(process.store)
    if await store.wake_open():
        async with build_batch_worker(client, process):
            await look_repeatedly("changed batches", partial(begin_changed_batches, client, store), every=LOOK_SECONDS)


def build_batch_worker(client: Client, process: Process) -> Worker:
    """The worker of batches, not yet started; it starts runs as the API's `process` would."""
    return build_queue_worker(client, TASK_QUEUE, [BatchWorkflow], [BatchActivities(process).advance])


async def begin_changed_batches(client: Client, store: BatchStore) -> int:
    """Begin the workflows of new batches, and tell those of changed ones; any number of workers may do so at once."""
    changed = await store.list_changed(AT_ONCE)
    for work, at in changed:
        await begin_workflow(
            client,
            WORKFLOW,
            work,
            id=work.workflow_id,
            queue=TASK_QUEUE,
            tenant=work.tenant,
            summary=f"Batch {work.batch}",
            signal=CHANGED,
        )
        await store.note_told(work, at)
    return len(changed)
