"""Deliveries are begun: by a worker for what happened to a run, and by the API for a test or once more."""

from contextlib import suppress

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from elcano.api.temporal.client import describe_owner
from elcano.plugins.webhooks.webhook_store import TenantWebhooks
from elcano.plugins.webhooks.workflows import DELIVERY_WORKFLOW, TASK_QUEUE, Delivery


async def begin_delivery(client: Client, webhooks: TenantWebhooks, delivery: Delivery, *, again: bool = False) -> None:
    """Note a delivery and start its workflow, both once however often this is called; `again`: one that failed."""
    await webhooks.add_delivery(delivery.endpoint, delivery.message)
    reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE if again else WorkflowIDReusePolicy.REJECT_DUPLICATE
    with suppress(WorkflowAlreadyStartedError):
        await client.start_workflow(
            DELIVERY_WORKFLOW,
            delivery,
            id=delivery.workflow_id,
            task_queue=TASK_QUEUE,
            id_reuse_policy=reuse,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            search_attributes=describe_owner(delivery.tenant),
            static_summary=f"{delivery.message.type} of {delivery.message.run_id or 'a test'}",
        )
