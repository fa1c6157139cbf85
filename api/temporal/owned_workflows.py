"""Workflows beside runs, each of which belongs to a tenant: they are found by it when the tenant is deleted."""

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy

from elcano.api.temporal.client import describe_owner


async def begin_workflow(
    client: Client, workflow: str, work: object, *, id: str, queue: str, tenant: str, summary: str, signal: str = ""
) -> None:
    """Begin a workflow of a tenant unless it is going on; either way it gets the signal, if there is one."""
    await client.start_workflow(
        workflow,
        work,
        id=id,
        task_queue=queue,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        start_signal=signal or None,
        search_attributes=describe_owner(tenant),
        static_summary=summary,
    )
