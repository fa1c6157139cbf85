"""The start of background workflows: those of the outbox, and those that a plugin looks for itself."""

from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.contracts import BACKGROUND_QUEUE, WAKE_SIGNAL
from elcano.service.temporal.labels import describe_owner
from elcano.storage.outbox import Notice, Outbox

AT_ONCE: Final = 100


async def begin_workflow(
    client: Client, workflow: str, work: object, *, id: str, queue: str, tenant: str, summary: str, signal: str = ""
) -> None:
    """Start a workflow of a tenant unless it is open; either way it gets the signal, if there is one."""
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


async def empty_outbox(client: Client, outbox: Outbox) -> int:
    """Start or signal all workflows that were noted, and return how many; any number of workers may do so at once."""
    done = 0
    while noted := await outbox.list_first(AT_ONCE):
        for notice in noted:
            await _follow_notice(client, notice)
            await outbox.drop(notice)
        done += len(noted)
    return done


async def _follow_notice(client: Client, notice: Notice) -> None:
    if notice.workflow:
        await begin_workflow(
            client,
            notice.workflow,
            notice.work,
            id=notice.workflow_id,
            queue=BACKGROUND_QUEUE,
            tenant=notice.tenant,
            summary=notice.summary,
            signal=WAKE_SIGNAL,
        )
        return
    try:
        await client.get_workflow_handle(notice.workflow_id).signal(WAKE_SIGNAL)
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:  # it has ended, and waits for nothing any more
            raise
