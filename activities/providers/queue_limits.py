"""A provider's task queue: how its limit follows the provider's row, and the activity by which a workflow keeps it so.

The limit of a queue goes before what its workers ask for, and takes effect while calls wait. One that someone set by
hand is left as it is: it is recognised by its reason. For a short wait nothing is given out. For a long one the queue
stays open: each call is handed back by the worker that gets it, so its run learns why it is held and until when.
"""

import logging
from datetime import UTC, datetime, timedelta
from typing import Final

from temporalio import activity
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import RateLimit, TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, UpdateTaskQueueConfigRequest
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode

from elcano.activities.calls.retry_classification import SHORT_WAIT, classify_failure
from elcano.graphs.providers import (
    KEEP_QUEUE,
    LIMIT_REASON,
    PROVIDER_CHANGED,
    PROVIDER_QUEUE,
    PROVIDER_WORKFLOW,
    TRIAL_LASTS,
    Provider,
    ProviderQueue,
    QueueState,
    get_provider_state,
    looked_at,
    workflow_id,
)
from elcano.storage.providers import ProviderStore

CALL_TIMEOUT: Final = timedelta(seconds=5)
_UNABLE: Final = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED)
"""Errors of a server without such limits, or that refuses them to this client; waiting fixes neither."""
_log = logging.getLogger("providers")


async def limit_queue(client: Client, queue: str, per_second: float | None, reason: str) -> None:
    """Limit a queue to this many calls per second; None: the rate of its workers.

    A server without such limits is reported in the log: each worker checks before each call all the same.

    Raises:
        RPCError: the server cannot answer now.
    """
    kind = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
    service, name = client.workflow_service, client.namespace
    asked = DescribeTaskQueueRequest(
        namespace=name, task_queue=TaskQueue(name=queue), task_queue_type=kind, report_config=True
    )
    try:
        described = await service.describe_task_queue(asked, timeout=CALL_TIMEOUT)
        now = described.config.queue_rate_limit
        if now.HasField("rate_limit"):
            if not now.metadata.reason.startswith(LIMIT_REASON):
                _log.warning("the limit of task queue %r was set by hand (%s) and stays", queue, now.metadata.reason)
                return
            if now.rate_limit.requests_per_second == per_second:
                return
        elif per_second is None:
            return
        rate = None if per_second is None else RateLimit(requests_per_second=per_second)
        update = UpdateTaskQueueConfigRequest.RateLimitUpdate(rate_limit=rate, reason=LIMIT_REASON + reason)
        await service.update_task_queue_config(
            UpdateTaskQueueConfigRequest(
                namespace=name,
                identity=client.identity,
                task_queue=queue,
                task_queue_type=kind,
                update_queue_rate_limit=update,
            ),
            timeout=CALL_TIMEOUT,
        )
    except RPCError as error:
        if error.status not in _UNABLE:
            raise
        _log.warning("task queue %r cannot be limited (%s: %s)", queue, error.status.name, error.message)


async def notify_provider_workflow(provider: str, queue: str) -> None:
    """Lets the workflow of a provider know that its row has changed; it is begun if need be.

    Every worker goes by the row, notified or not, so a server that does not answer now is only noted. To be called
    within an activity.
    """
    try:
        await activity.client().start_workflow(
            PROVIDER_WORKFLOW,
            ProviderQueue(provider=provider, queue=queue),
            id=workflow_id(provider),
            task_queue=PROVIDER_QUEUE,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal=PROVIDER_CHANGED,
            static_summary=f"looks after {provider} until nothing is wrong with it",
            rpc_timeout=CALL_TIMEOUT,
        )
    except RPCError as error:
        _log.warning("the workflow of provider %s could not be notified of its change: %s", provider, error.message)


TRICKLE: Final = 1.0
"""Calls a second that are given out while single ones try whether a provider is back; the others are handed back."""
LOOK_SECONDS: Final = 60.0
"""Between two looks at a provider that is tried, unless a success was reported."""
_MARGIN: Final = 0.05
"""Seconds after the end of a wait, so that it is over by every clock."""


class ProviderActivities:
    """The activity `keep_queue`."""

    def __init__(self, kept: ProviderStore) -> None:
        self._kept = kept

    @activity.defn(name=KEEP_QUEUE)
    async def keep_queue(self, looked: ProviderQueue) -> QueueState:
        """Limits the queue of a provider as its row says; doing it twice changes nothing."""
        try:
            standing = await self._kept.change(looked.provider, _assess_provider)
            await limit_queue(activity.client(), looked.queue, standing.per_second, standing.said)
        except Exception as error:
            raise classify_failure(error) from None
        return standing


def _assess_provider(before: Provider, now: float) -> tuple[Provider, QueueState]:
    provider = looked_at(before, now)
    state = get_provider_state(provider, now)
    left = provider.held_until - now
    until = f"until {datetime.fromtimestamp(provider.held_until, UTC):%Y-%m-%d %H:%M:%S} UTC: {provider.error}"
    if state == "ready":
        return provider, QueueState(state=state, said="it answers")
    if state == "trial":
        look = min(LOOK_SECONDS, max(TRIAL_LASTS + left, 0.0) + _MARGIN)
        return provider, QueueState(
            state=state, next_look=look, per_second=TRICKLE, said=f"tried by single calls: {provider.error}"
        )
    short = left <= SHORT_WAIT.total_seconds()
    what = "it asked to wait" if state == "waiting" else f"it failed {provider.failures} times in a row"
    return provider, QueueState(
        state=state,
        next_look=left + _MARGIN,
        per_second=0.0 if short else None,
        said=f"{what}, {until}",
    )
