"""What a worker does for webhooks beside its runs: it works on their queue, and begins the watches that were noted."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.worker import Worker

from elcano import __version__
from elcano.api.temporal.client import Temporal, describe_owner
from elcano.api.temporal.connection import Connection
from elcano.graphs.contracts import TASK_QUEUE as RUNS
from elcano.graphs.plugin import Surroundings
from elcano.plugins.webhooks.activities import WebhookActivities
from elcano.plugins.webhooks.contracts import TASK_QUEUE, WATCH_WORKFLOW, RunWatch, watch_workflow_id
from elcano.plugins.webhooks.sender import Sender
from elcano.plugins.webhooks.settings import read_webhook_settings
from elcano.plugins.webhooks.webhook_store import WebhookStore, get_webhook_store
from elcano.plugins.webhooks.workflows import DeliveryWorkflow, WatchWorkflow
from elcano.workflows.sandbox import workflow_runner

LOOK_SECONDS: Final = 2.0
"""How often watches that were noted are looked for."""
AT_ONCE: Final = 100
FOLLOWED: Final = 500
"""Runs that one worker follows at once."""

_log = logging.getLogger("webhooks")


@asynccontextmanager
async def deliver_in_background(around: Surroundings) -> AsyncIterator[None]:
    """Deliver while a worker works; nothing is done where webhooks are off."""
    if not read_webhook_settings().webhooks:
        yield
        return
    client = await around.connect()
    sender = Sender(around.settings)
    temporal = Temporal(Connection(around.connect), RUNS)
    address = around.settings.base_url.rstrip("/")
    activities = WebhookActivities(around.store, temporal, client, sender, address)
    worker = build_webhook_worker(client, activities)
    looking = asyncio.create_task(_begin_watches(client, get_webhook_store(around.store)), name="begin watches")
    try:
        async with worker:
            yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        await sender.close()


def build_webhook_worker(client: Client, activities: WebhookActivities) -> Worker:
    """The worker of webhooks, not yet started."""
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[WatchWorkflow, DeliveryWorkflow],
        activities=[activities.follow_run, activities.begin_deliveries, activities.send, activities.give_up],
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        max_concurrent_activities=FOLLOWED,
        graceful_shutdown_timeout=timedelta(seconds=1),  # what is cut off is done again
    )


async def _begin_watches(client: Client, store: WebhookStore) -> None:
    while True:
        try:
            begun = await begin_noted_watches(client, store)
        except Exception:  # a database or a server that fails now may work at the next look
            _log.exception("runs cannot be watched for webhooks now")
            begun = 0
        if begun < AT_ONCE:
            await asyncio.sleep(LOOK_SECONDS)


async def begin_noted_watches(client: Client, store: WebhookStore) -> int:
    """Begin the watches that were noted; any number of workers may do so at once."""
    noted = await store.list_watches(AT_ONCE)
    for tenant, run_id, at in noted:
        await client.start_workflow(
            WATCH_WORKFLOW,
            RunWatch(run_id=run_id, tenant=tenant),
            id=watch_workflow_id(run_id),
            task_queue=TASK_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal="look_again",
            search_attributes=describe_owner(tenant),
            static_summary=f"Webhooks of {run_id}",
        )
        await store.drop_watch(tenant, run_id, at)
    return len(noted)
