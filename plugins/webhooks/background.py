"""Webhooks in a worker, beside its runs: it works on their queue, and begins the watches that were noted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker, looking_for
from elcano.api.temporal.client import Temporal
from elcano.api.temporal.connection import Connection
from elcano.api.temporal.owned_workflows import begin_workflow
from elcano.graphs.contracts import TASK_QUEUE as RUNS
from elcano.graphs.plugin import Surroundings
from elcano.plugins.webhooks.activities import WebhookActivities
from elcano.plugins.webhooks.sender import Sender
from elcano.plugins.webhooks.settings import read_webhook_settings
from elcano.plugins.webhooks.webhook_store import WebhookStore, get_webhook_store
from elcano.plugins.webhooks.workflows import (
    TASK_QUEUE,
    WATCH_WORKFLOW,
    DeliveryWorkflow,
    RunWatch,
    WatchWorkflow,
    watch_workflow_id,
)

LOOK_SECONDS: Final = 2.0
"""How often watches that were noted are looked for."""
AT_ONCE: Final = 100
FOLLOWED: Final = 500
"""Runs that one worker follows at once."""


@asynccontextmanager
async def deliver_in_background(around: Surroundings) -> AsyncIterator[None]:
    """Deliver while a worker works; nothing is done where webhooks are off."""
    if not read_webhook_settings().webhooks:
        yield
        return
    client = await around.connect()
    sender = Sender(around.settings)
    temporal = Temporal(Connection(around.connect), RUNS)
    activities = WebhookActivities(around.store, temporal, client, sender, around.settings.base_url.rstrip("/"))
    look = partial(begin_noted_watches, client, get_webhook_store(around.store))
    try:
        async with build_webhook_worker(client, activities), looking_for("runs to watch", look, every=LOOK_SECONDS):
            yield
    finally:
        await sender.close()


def build_webhook_worker(client: Client, activities: WebhookActivities) -> Worker:
    """The worker of webhooks, not yet started."""
    return build_queue_worker(
        client,
        TASK_QUEUE,
        [WatchWorkflow, DeliveryWorkflow],
        [activities.follow_run, activities.begin_deliveries, activities.send, activities.give_up],
        activities_at_once=FOLLOWED,
    )


async def begin_noted_watches(client: Client, store: WebhookStore) -> int:
    """Begin all watches that were noted; any number of workers may do so at once."""
    begun = 0
    while noted := await store.list_watches(AT_ONCE):
        for tenant, run_id, at in noted:
            await begin_workflow(
                client,
                WATCH_WORKFLOW,
                RunWatch(run_id=run_id, tenant=tenant),
                id=watch_workflow_id(run_id),
                queue=TASK_QUEUE,
                tenant=tenant,
                summary=f"Webhooks of {run_id}",
                signal="look_again",
            )
            await store.drop_watch(tenant, run_id, at)
        begun += len(noted)
    return begun
