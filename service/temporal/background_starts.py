"""The start of background workflows: those of the outbox, and those that a plugin looks for itself."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.contracts import BACKGROUND_QUEUE, WAKE_SIGNAL
from elcano.service.temporal.history import list_workflows
from elcano.service.temporal.labels import describe_owner
from elcano.storage.outbox import Notice, Outbox

AT_ONCE: Final = 100
LOST_SECONDS: Final = 60.0
"""Interval at which workflows of unfinished work are looked for that were ended from outside."""
_SERVER_AWAY: Final = frozenset({RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED})
_log = logging.getLogger("worker")


async def begin_workflow(
    client: Client,
    workflow: str,
    work: object,
    *,
    id: str,
    tenant: str,
    summary: str,
    queue: str = "",
    signal: str = "",
) -> None:
    """Start a workflow of a tenant unless it is open; either way it gets the signal, if there is one.

    Without a `queue`, it is on the one that all background work shares.
    """
    await client.start_workflow(
        workflow,
        work,
        id=id,
        task_queue=queue or BACKGROUND_QUEUE,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        start_signal=signal or None,
        search_attributes=describe_owner(tenant),
        static_summary=summary,
    )


@contextmanager
def log_refusal(workflow_id: str) -> Iterator[None]:
    """Log that one workflow is refused: the next look tries it again, and the others do not wait for it.

    Raises:
        RPCError: the server is away, so that no other could be started either.
    """
    try:
        yield
    except RPCError as error:
        if error.status in _SERVER_AWAY:
            raise
        _log.error("the workflow %s cannot be started or signalled now", workflow_id, exc_info=True)


async def list_open_ids(client: Client, workflow: str) -> set[str]:
    """The ids of the open workflows of a type, as the server listed them: it is seconds behind.

    Raises:
        TemporalUnavailable: the server does not say.
    """
    query = f"WorkflowType = '{workflow}' AND ExecutionStatus = 'Running'"
    return {one.execution.workflow_id async for one in list_workflows(client, query)}


async def empty_outbox(client: Client, outbox: Outbox) -> int:
    """Start or signal all workflows that were noted, and return how many; any number of workers may do so at once."""
    done, last = 0, ""
    while noted := await outbox.list_notices(AT_ONCE, last):
        for notice in noted:
            with log_refusal(notice.workflow_id):
                await _follow_notice(client, notice)
                await outbox.drop(notice)
                done += 1
        last = noted[-1].id
    return done


async def _follow_notice(client: Client, notice: Notice) -> None:
    if notice.workflow:
        await begin_workflow(
            client,
            notice.workflow,
            notice.work,
            id=notice.workflow_id,
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
