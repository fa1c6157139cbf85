"""Calls whose worker died on this machine are given free by the worker that starts next, before heartbeats are missed.

Temporal takes a silent worker for dead after some seconds, wherever it ran. Of one of its own machine a starting worker
knows at once: a client's identity is `pid@host`, and there is no such process. Workers of other machines, and of
containers with names of their own, are left to their heartbeats.
"""

import asyncio
import logging
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import psutil
from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure
from temporalio.api.workflowservice.v1 import RespondActivityTaskFailedByIdRequest
from temporalio.client import Client
from temporalio.client import WorkflowExecution as Listed
from temporalio.service import RPCError

from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.values.failures import FailureType

MOST_RUNS: Final = 1_000
"""Executions that are looked at, the newest first; the calls of others are noticed by their heartbeats."""
SIDE_BY_SIDE: Final = 16
"""Questions to the server at once."""
SOON: Final = timedelta(milliseconds=50)
"""Until such a call is made again."""

_log = logging.getLogger("worker")


async def free_orphans(client: Client, *, queue: str = TASK_QUEUE, host: str = "") -> int:
    """Ends the attempts of dead workers of this machine, so that Temporal makes them again; says how many they were.

    Args:
        client: of the namespace.
        queue: the task queue of the executions whose calls are looked at.
        host: the name of this machine in the identities of its workers; empty: as the SDK names it.

    What the server does not answer is left as it is: heartbeats are missed all the same.
    """
    here = host or socket.gethostname()
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def free(run: Listed) -> int:
        async with room:
            return await _free(client, run, here)

    try:
        query = f"ExecutionStatus = 'Running' AND TaskQueue = '{queue}'"
        runs = [run async for run in client.list_workflows(query, limit=MOST_RUNS)]
        freed = sum(await asyncio.gather(*map(free, runs)))
    except RPCError as error:
        _log.warning("calls of workers that died here are noticed by their heartbeats alone: %s", error)
        return 0
    if freed:
        _log.info("%d calls of workers that died on this machine are made again", freed)
    return freed


async def _free(client: Client, run: Listed, host: str) -> int:
    """Of one execution."""
    freed = 0
    for activity_id in [*await _orphaned(client, run, host)]:
        died = ApplicationFailureInfo(type=FailureType.WORKER_DIED, next_retry_delay=_duration(SOON))
        failure = Failure(message="the worker died", application_failure_info=died)
        request = RespondActivityTaskFailedByIdRequest(
            namespace=client.namespace,
            workflow_id=run.id,
            run_id=run.run_id,
            activity_id=activity_id,
            failure=failure,
            identity=client.identity,
        )
        try:
            await client.workflow_service.respond_activity_task_failed_by_id(request)
        except RPCError as error:  # it has just ended, or was missed by its heartbeat
            _log.debug("call %s of run %s was not given free: %s", activity_id, run.id, error)
        else:
            freed += 1
    return freed


async def _orphaned(client: Client, run: Listed, host: str) -> Iterator[str]:
    """Ids of the calls under way whose worker is a process of `host` that is no more."""
    try:
        described = await client.get_workflow_handle(run.id, run_id=run.run_id).describe()
    except RPCError:  # it has just ended
        return iter(())
    return (
        one.activity_id
        for one in described.raw_description.pending_activities
        if one.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED and _is_dead(one.last_worker_identity, host)
    )


def _is_dead(identity: str, host: str) -> bool:
    """Whether `pid@host` is a process of this machine that has ended; False of any other name."""
    pid, found, name = identity.partition("@")
    if not found or name != host or not pid.isdecimal():
        return False
    try:
        return psutil.Process(int(pid)).status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return True


def _duration(time: timedelta) -> Duration:
    made = Duration()
    made.FromTimedelta(time)
    return made
