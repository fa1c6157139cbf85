"""Watches and deliveries whose workflow was ended in Temporal, or is lost there, begin again."""

import time
from typing import Final

from temporalio.client import Client

from elcano.doors.webhooks.contracts import DELIVERY_WORKFLOW, WATCH_WORKFLOW, Delivery, delivery_workflow_id
from elcano.doors.webhooks.settings import read_webhook_settings
from elcano.doors.webhooks.webhook_store import get_webhook_store
from elcano.service.temporal.background_starts import LOST_SECONDS, begin_workflow, list_open_ids, log_refusal
from elcano.storage.store import Store

LOOK_SECONDS: Final = 600.0
"""Interval of the looks: of an endpoint that does not answer, thousands of deliveries may wait."""
DAY: Final = 86_400.0
LEAST_DAYS: Final = 1 / 24
"""Minimum time for which a message is tried that begins again, however late."""


async def begin_lost_watches(client: Client, store: Store) -> int:
    """Start the watches of open runs that have none, and return how many; no message is begun twice by that.

    Raises:
        RPCError: the server is away.
        TemporalUnavailable: it does not say which workflows are open.
    """
    watches = await get_webhook_store(store).list_watched(before=time.time() - LOST_SECONDS)
    begun = 0
    listed = await list_open_ids(client, WATCH_WORKFLOW) if watches else set()
    for watch in watches:
        if watch.workflow_id in listed:
            continue
        with log_refusal(watch.workflow_id):
            given = {"id": watch.workflow_id, "tenant": watch.tenant, "summary": watch.summary}
            await begin_workflow(client, WATCH_WORKFLOW, watch, **given)
            begun += 1
    return begun


async def begin_lost_deliveries(client: Client, store: Store) -> int:
    """Start the workflows of waiting deliveries that have none, for what is left of their time, and return how many.

    Raises:
        RPCError: the server is away.
        TemporalUnavailable: it does not say which workflows are open.
    """
    webhooks, now, begun = get_webhook_store(store), time.time(), 0
    waiting = await webhooks.list_waiting(before=now - LOST_SECONDS)
    listed = await list_open_ids(client, DELIVERY_WORKFLOW) if waiting else set()
    for tenant, endpoint, message in waiting:
        if delivery_workflow_id(endpoint, message) in listed:
            continue
        noted = await webhooks.of(tenant).find_delivery(endpoint, message)
        if noted is None or noted.status != "waiting":  # it was taken since `waiting` was read
            continue
        days = max(LEAST_DAYS, read_webhook_settings().webhook_days - (now - noted.created_at) / DAY)
        delivery = Delivery(tenant=tenant, endpoint=endpoint, message=noted.message, days=days)
        with log_refusal(delivery.workflow_id):
            given = {"id": delivery.workflow_id, "tenant": tenant, "summary": delivery.summary}
            await begin_workflow(client, DELIVERY_WORKFLOW, delivery, **given)
            begun += 1
    return begun
