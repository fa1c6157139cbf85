"""A call that is made again frees its run from the worker that may have died with the call before.

Temporal asks the worker that holds a run in memory first, and waits for it `sticky_queue_schedule_to_start_timeout`
before it asks another. By the time at which a call is given to somebody else that worker is most likely gone: what the
call comes to would wait for a dead process. While the call is made, the server is told to ask anybody; a worker that
lives after all replays one history.
"""

import asyncio
import logging
from typing import Any

from temporalio import activity
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetStickyTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

_log = logging.getLogger("worker")


class TakingOver(Interceptor):
    """Of a worker whose activities belong to runs."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Around each of its activities."""
        return _Freeing(next, self._client)


class _Freeing(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, client: Client) -> None:
        super().__init__(next)
        self._client = client

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        if activity.info().attempt == 1:
            return await super().execute_activity(input)
        freeing = asyncio.create_task(self._free(activity.info()))
        try:
            return await super().execute_activity(input)
        finally:
            freeing.cancel()

    async def _free(self, info: activity.Info) -> None:
        execution = WorkflowExecution(workflow_id=info.workflow_id or "", run_id=info.workflow_run_id or "")
        request = ResetStickyTaskQueueRequest(namespace=self._client.namespace, execution=execution)
        try:
            await self._client.workflow_service.reset_sticky_task_queue(request)
        except RPCError as error:  # it only takes longer then
            _log.debug("run %s keeps its worker: %s", info.workflow_id, error)
