"""Calls whose activity is paused or reset in Temporal, by its command line or its UI.

A call that is under way is paid for, so it continues to its end, and its answer counts: a pause holds back only further
attempts. The SDK would cut it off as if its run had given it up, and the server would take that for a failed attempt.

The SDK notifies an activity of one cancellation and of no other. So after a pause or a reset the server is asked
whether the run gives the call up.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, Final, TypeVar

from temporalio import activity
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionRequest, DescribeWorkflowExecutionResponse
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.state.failures import FailureType

T = TypeVar("T")

SHUTDOWN: Final = "WorkerShutdown"
"""The SDK's name for the failure of an attempt that its worker, which stops, did not wait for any longer."""
PATIENCE: Final = timedelta(seconds=5)
"""For the server to describe a workflow."""
ASK_SECONDS: Final = 2.0
"""Between two questions whether a run gave a call up."""

_given_up: ContextVar[asyncio.Event | None] = ContextVar("given_up", default=None)
"""Set once the server said that the run gives this call up."""


async def describe_workflow(client: Client, info: activity.Info) -> DescribeWorkflowExecutionResponse:
    """Describe the execution of an activity. The SDK's own method cannot read one that is paused."""
    place = WorkflowExecution(workflow_id=info.workflow_id or "", run_id=info.workflow_run_id or "")
    request = DescribeWorkflowExecutionRequest(namespace=client.namespace, execution=place)
    return await client.workflow_service.describe_workflow_execution(request, retry=True, timeout=PATIENCE)


async def finish_despite_operators(call: Coroutine[Any, Any, T], client: Client, grace: float) -> T:
    """Return the result of a call, also if its activity is paused or reset meanwhile.

    Args:
        call: what the activity does.
        client: where to ask whether its run gives it up.
        grace: seconds that the worker waits for its activities when it stops.

    Raises:
        ApplicationError: after a pause or a reset, its run gave it up, or its worker stopped.
    """
    cut = asyncio.Event()
    _given_up.set(cut)
    running = asyncio.ensure_future(call)
    watch: asyncio.Task[None] | None = None
    try:
        while True:
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if running.cancelled() and _was_paused_or_reset():
                    raise _make_cut_off_error() from None
                if running.done() or current is None or not _was_paused_or_reset():
                    running.cancel()
                    return await running
                current.uncancel()
                watch = watch or asyncio.create_task(_cancel_if_given_up(running, cut, client, grace))
    finally:
        if watch is not None:
            watch.cancel()


def given_up() -> bool:
    """Whether the run abandoned this activity; a worker that shuts down cancels it as well, and another continues."""
    details = activity.cancellation_details()
    return _was_given_up() or (details is not None and details.cancel_requested)


@contextmanager
def end_if_given_up() -> Iterator[None]:
    """Leave the block where the run gives the call up: the answer is what was paid for before, and the run keeps it."""
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or not given_up():
            raise
        task.uncancel()


def _was_given_up() -> bool:
    cut = _given_up.get()
    return cut is not None and cut.is_set()


def _make_cut_off_error() -> ApplicationError:
    """Build the error that the SDK raises for a cancelled call whose activity was not paused or reset before."""
    if _was_given_up():
        return ApplicationError("it was given up", type=FailureType.ABANDONED, non_retryable=True)
    return ApplicationError("the worker is shutting down", type=SHUTDOWN)


def _was_paused_or_reset() -> bool:
    details = activity.cancellation_details()
    return details is not None and (details.paused or details.reset) and not details.cancel_requested


async def _cancel_if_given_up(running: "asyncio.Future[Any]", cut: asyncio.Event, client: Client, grace: float) -> None:
    """Cancel a call once its run gives it up, or its worker has been stopping for `grace` seconds."""
    info = activity.info()
    stopping: float | None = None
    now = asyncio.get_running_loop().time
    while True:
        await asyncio.sleep(ASK_SECONDS)
        if activity.is_worker_shutdown():
            stopping = now() if stopping is None else stopping
            if now() - stopping >= grace:
                running.cancel()
                return
        try:
            description = await describe_workflow(client, info)
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                continue
            pending = None
        else:
            pending = next((one for one in description.pending_activities if one.activity_id == info.activity_id), None)
        if pending is None or pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
            cut.set()
            running.cancel()
            return
