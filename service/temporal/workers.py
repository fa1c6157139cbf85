"""Task queues: the place of a run's work in them, whether workers take tasks from them now, and what these lack.

The server remembers who polled a queue, and for a minute after a worker has gone it looks as before: a poll may take so
long. Workers send heartbeats too, and say there when they stop. So a poller counts unless its worker said that it
stops, or has missed heartbeats. What starts now goes to the current version of a deployment, if there is one, and else
to workers of no version alone.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from temporalio.api.enums.v1 import TaskQueueType, WorkerStatus, WorkerVersioningMode
from temporalio.api.taskqueue.v1 import PollerInfo, TaskQueue
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import (
    DescribeTaskQueueRequest,
    DescribeTaskQueueResponse,
    ListWorkersRequest,
)
from temporalio.client import Client
from temporalio.common import Priority
from temporalio.service import RPCError

from elcano.graphs.contracts import RunPriority
from elcano.graphs.extras import lacking_extras
from elcano.graphs.providers import LIMIT_REASON
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.text import shorten_text
from elcano.service.errors import TemporalRefused, TemporalUnavailable
from elcano.service.temporal.connection import CALL_TIMEOUT, UNAVAILABLE, Connection, map_rpc_errors

POLLER_AGE: Final = timedelta(seconds=70)
"""A worker polls at least once a minute."""
PAGE: Final = 1_000
"""Workers of one queue that are looked at; the server's own figure is none."""
MISSED: Final = 3
"""Heartbeats that a worker may miss."""
SLOWEST: Final = 60.0
"""Seconds between the heartbeats of a worker that has sent one only: the SDK's default."""
UNPOLLED: Final = "no worker polls"
POLLED_SECONDS: Final = 3.0
"""Seconds for which what a check found in order counts as such: a queue as polled, the workers as lacking nothing."""
HEARD_SECONDS: Final = 1.0
"""Seconds for which an unpolled queue is checked again: a worker that has just started polls one queue after the other.
"""
_ASK_AGAIN_SECONDS: Final = 0.1
_WORKFLOWS: Final = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
_ACTIVITIES: Final = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
PRIORITY_KEYS: Final[Mapping[RunPriority, int]] = {"interactive": 3, "batch": 4}
"""Temporal's keys go from 1, the first, to 5; 3 is the key of work without one, such as that of older runs."""


def build_priority(asked: ResearchInput) -> Priority:
    """The place of a run's work in task queues: by priority first, and tenants of one priority take turns.

    Its sections, its calls and its later executions inherit it.
    """
    return Priority(priority_key=PRIORITY_KEYS[asked.priority], fairness_key=asked.tenant)


@dataclass(frozen=True)
class WorkerSurvey:
    """Capabilities of workers at one moment, as far as the server knows."""

    lacking: frozenset[str] = frozenset()
    """The extras that a worker lacks which may be given a run now; one that was stopped counts for another minute."""
    unpolled: Mapping[str, str] = field(default_factory=dict)
    """Requested queues that give their calls to no worker, each with the reason."""
    unreachable: TemporalUnavailable | None = None
    """Why workers could not be asked. Then nothing is known, and nothing is held against them."""


class Workers:
    """The workers of a server. Every method but `survey` can raise `TemporalUnavailable` and `TemporalRefused`."""

    def __init__(self, connection: Connection, task_queue: str) -> None:
        self._connection = connection
        self._task_queue = task_queue
        self._polled_until: dict[str, float] = {}
        """By queue, until when it counts as polled."""
        self._equipped_until = 0.0
        self._continuing_until = 0.0

    async def find_fault(self) -> str:
        """Return why no worker would pick up a run that starts now; empty if one would."""
        answer, heartbeats = await self._describe_queue(self._task_queue, _WORKFLOWS)
        return find_polling_fault(self._task_queue, answer, heartbeats, time.time())

    async def find_task_fault(self) -> str:
        """Return why no worker would continue a run now; empty if one would, or would have a moment ago."""
        if time.monotonic() < self._continuing_until:
            return ""
        fault = await self.find_fault()
        if not fault:
            self._continuing_until = time.monotonic() + POLLED_SECONDS
        return fault

    async def polls_runs(self) -> bool:
        """Whether a worker would pick up a run that starts now."""
        return not await self.find_fault()

    async def find_queue_fault(self, queue: str) -> str:
        """Return why no worker would take the searches, or the calls of models, of this queue; empty if one would."""
        if time.monotonic() < self._polled_until.get(queue, 0.0):
            return ""
        answer, heartbeats = await self._describe_queue(queue, _ACTIVITIES)
        fault = find_polling_fault(queue, answer, heartbeats, time.time())
        if not fault:
            self._polled_until[queue] = time.monotonic() + POLLED_SECONDS
        return fault

    async def list_lacking_extras(self) -> frozenset[str]:
        """The extras that one at least of the workers lacks which asked for calls lately, as they say themselves."""
        if time.monotonic() < self._equipped_until:
            return frozenset()
        answer, heartbeats = await self._describe_queue(self._task_queue, _ACTIVITIES)
        live = _list_live_pollers(answer, heartbeats, time.time())
        lacking = frozenset[str]().union(*map(lacking_extras, [poller.identity for poller in live]))
        if live and not lacking:
            self._equipped_until = time.monotonic() + POLLED_SECONDS
        return lacking

    async def survey(self, needed: Collection[str] = (), optional: Collection[str] = ()) -> WorkerSurvey:
        """Survey the extras that workers lack, and the queues without a poller; unknown if the server does not answer.

        Args:
            needed: queues in which a run's calls would wait. Where no worker runs at all they do not count as unpolled:
                then a run waits for one whatever it calls.
            optional: queues that some workers may serve.
        """
        try:
            lacking = await self.list_lacking_extras()
        except TemporalUnavailable as error:
            return WorkerSurvey(unreachable=error)
        except TemporalRefused:
            return WorkerSurvey()
        if not needed and not optional:
            return WorkerSurvey(lacking)
        try:
            unpolled = await self._list_unpolled(optional) | await self._list_unserved(needed)
        except (TemporalUnavailable, TemporalRefused):
            return WorkerSurvey(lacking)
        return WorkerSurvey(lacking, unpolled)

    async def _list_unserved(self, queues: Collection[str]) -> dict[str, str]:
        """The queues that none of the workers polls that there are, nor one that has just started."""
        if not queues or not await self.polls_runs():
            return {}
        until = time.monotonic() + HEARD_SECONDS
        while True:
            unpolled = await self._list_unpolled(queues)
            if not unpolled or time.monotonic() > until:
                return unpolled
            await asyncio.sleep(_ASK_AGAIN_SECONDS)

    async def _list_unpolled(self, queues: Collection[str]) -> dict[str, str]:
        faults = await asyncio.gather(*map(self.find_queue_fault, queues))
        return {queue: fault for queue, fault in zip(queues, faults, strict=True) if fault}

    async def _describe_queue(
        self, queue: str, kind: TaskQueueType.ValueType
    ) -> tuple[DescribeTaskQueueResponse, list[WorkerHeartbeat]]:
        client = await self._connection.client()
        request = DescribeTaskQueueRequest(
            namespace=client.namespace, task_queue=TaskQueue(name=queue), task_queue_type=kind, report_config=True
        )
        with map_rpc_errors():
            answer = await client.workflow_service.describe_task_queue(request, retry=True, timeout=CALL_TIMEOUT)
            return answer, await _list_heartbeats(client, queue)


async def _list_heartbeats(client: Client, queue: str) -> list[WorkerHeartbeat]:
    """The last heartbeat of each worker of the queue that the server knows of; none if it knows of no heartbeats."""
    request = ListWorkersRequest(namespace=client.namespace, query=f'TaskQueue = "{queue}"', page_size=PAGE)
    try:
        answer = await client.workflow_service.list_workers(request, retry=True, timeout=CALL_TIMEOUT)
    except RPCError as error:
        if error.status in UNAVAILABLE:
            raise
        return []  # an older server, or one that does not say: then its pollers are all that is known
    return [one.worker_heartbeat for one in answer.workers_info]


def find_polling_fault(
    queue: str, answer: DescribeTaskQueueResponse, heartbeats: Iterable[WorkerHeartbeat], now: float
) -> str:
    """Explain why no worker that may take new tasks polls a queue at `now`; empty if one does."""
    if _is_stopped(answer):
        by = answer.config.queue_rate_limit.metadata
        who = ", ".join(shorten_text(text, 200) for text in (by.update_identity, by.reason) if text)
        return (
            f"the task queue {queue!r} was stopped in Temporal, by a rate of 0 ({who}): start it again (`temporal "
            f"task-queue config set --task-queue {queue} --task-queue-type activity --queue-rps-limit default`)"
        )
    there = _list_live_pollers(answer, heartbeats, now)
    if not there:
        return f"{UNPOLLED} the task queue {queue!r}: start one that does"
    current = answer.versioning_info.current_deployment_version
    if not current.build_id:
        if any(
            _get_versioning_mode(poller) != WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED for poller in there
        ):
            return ""
        named = there[0].deployment_options
        return (
            f"all workers of the task queue {queue!r} are versions of the deployment {named.deployment_name!r}, which "
            "has no current version: name one (`temporal worker deployment set-current-version --deployment-name "
            f"{named.deployment_name} --build-id {named.build_id}`)"
        )
    wanted = (current.deployment_name, current.build_id)
    if any((one.deployment_options.deployment_name, one.deployment_options.build_id) == wanted for one in there):
        return ""
    return (
        f"no worker of the task queue {queue!r} has the build {current.build_id!r}, the current version of its "
        f"deployment {current.deployment_name!r}: start one, or make another version the current one"
    )


def _is_stopped(answer: DescribeTaskQueueResponse) -> bool:
    """Whether someone set its rate to 0. Our own limits of a provider in trouble end by themselves."""
    limit = answer.config.queue_rate_limit
    is_zero = limit.HasField("rate_limit") and limit.rate_limit.requests_per_second == 0
    return is_zero and not limit.metadata.reason.startswith(LIMIT_REASON)


def _list_live_pollers(
    answer: DescribeTaskQueueResponse, heartbeats: Iterable[WorkerHeartbeat], now: float
) -> list[PollerInfo]:
    by_worker: dict[str, list[WorkerHeartbeat]] = defaultdict(list)
    for heartbeat in heartbeats:
        by_worker[heartbeat.worker_identity].append(heartbeat)
    return [poller for poller in answer.pollers if _is_live_poller(poller, by_worker[poller.identity], now)]


def _get_versioning_mode(poller: PollerInfo) -> WorkerVersioningMode.ValueType:
    return poller.deployment_options.worker_versioning_mode


def _is_live_poller(poller: PollerInfo, heartbeats: Sequence[WorkerHeartbeat], now: float) -> bool:
    """Whether a poller is still there; one process may have several workers, of which older ones have stopped."""
    if heartbeats:  # one that has its hands full does not poll, and says that it runs
        return any(_is_live_heartbeat(heartbeat, now) for heartbeat in heartbeats)
    return poller.last_access_time.ToSeconds() > now - POLLER_AGE.total_seconds()


def _is_live_heartbeat(heartbeat: WorkerHeartbeat, now: float) -> bool:
    every = heartbeat.elapsed_since_last_heartbeat.ToTimedelta().total_seconds() or SLOWEST
    late = now - heartbeat.heartbeat_time.ToNanoseconds() / 1e9 > MISSED * max(every, 1.0)
    return heartbeat.status == WorkerStatus.WORKER_STATUS_RUNNING and not late
