"""Heartbeats of an activity, which try of its call an attempt is, and how long a call is waited for.

A worker that dies is noticed because the beats stop. A cancellation arrives with the answer to one, unless the server
pushes it to the worker (`worker_commands` of its namespace), which takes milliseconds: then a call beats rarely. A beat
carries what the next attempt needs to continue, the words that are being written, what was paid for and could not be
written down, and how many attempts were no tries: one whose worker died, stood still or was stopped was none. Temporal
counts that among the attempts, so policies allow `MOST_DEATHS` attempts more than tries, and the last try is made final
here. How the attempt before ended is asked of the server; how many before it were lost travels in the beats.

How long a call is waited for, goes by a clock that stops while the process does. When a process continues that was
stopped (a throttled container, a paused machine), its timers fire before it reads what came meanwhile. By the clock on
the wall an answer that is there, and paid for, would be thrown away as too late.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, Final, TypeVar

from temporalio import activity
from temporalio.api.enums.v1 import TimeoutType
from temporalio.api.failure.v1 import Failure
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.service import RPCError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from elcano.activities.calls.paused_activities import PATIENCE, SHUTDOWN, describe_workflow, finish_despite_operators
from elcano.graphs.contracts import BEAT_SECONDS, MOST_DEATHS, ToolCall, Words
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.failures import FailureDetails, FailureType

T = TypeVar("T")

CARRIED_AT: Final = 2
"""Index of the number of lost attempts in a heartbeat's details."""
UNWRITTEN_AT: Final = 3
"""Index in them of the ledger line that an attempt could not write."""

_lost: ContextVar[int] = ContextVar("lost", default=0)
_pushed: ContextVar[bool] = ContextVar("pushed", default=False)
"""Whether the server pushes cancellations to the worker of this activity."""
_silence: ContextVar[timedelta | None] = ContextVar("silence", default=None)
"""How long this attempt may be silent, if that is another time than that of its first attempt."""
_tries_log = logging.getLogger("worker")


def lost_attempts() -> int:
    """Return how many earlier attempts were cut off by the death, the silence or the end of their worker."""
    return _lost.get()


def this_try() -> int:
    """Which try of its call this attempt is, from 1."""
    return max(1, activity.info().attempt - lost_attempts())


class CountTries(Interceptor):
    """Counts tries for a worker whose activities belong to runs."""

    def __init__(self, client: Client, grace: float = 0.0) -> None:
        """`grace` is how many seconds the worker waits for its activities when it stops."""
        self._client = client
        self._grace = grace
        self._pushes: bool | None = None

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Around each of its activities."""
        return _Counting(next, self._client, self._grace, self.knows_pushes)

    async def knows_pushes(self) -> bool:
        """Whether the server pushes cancellations; it is asked once, and again while it does not answer."""
        if self._pushes is None:
            request = DescribeNamespaceRequest(namespace=self._client.namespace)
            try:
                answer = await self._client.workflow_service.describe_namespace(request, timeout=PATIENCE)
            except RPCError:
                return False
            self._pushes = answer.namespace_info.capabilities.worker_commands
        return self._pushes


class _Counting(ActivityInboundInterceptor):
    def __init__(
        self,
        next: ActivityInboundInterceptor,
        client: Client,
        grace: float,
        knows_pushes: Callable[[], Awaitable[bool]],
    ) -> None:
        super().__init__(next)
        self._client = client
        self._grace = grace
        self._knows_pushes = knows_pushes

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        policy = info.retry_policy
        if info.heartbeat_timeout is None or policy is None or not policy.maximum_attempts:
            return await super().execute_activity(input)
        _pushed.set(await self._knows_pushes())
        tries = policy.maximum_attempts - MOST_DEATHS
        if tries <= 0:  # someone changed it with Temporal's tools
            tries = policy.maximum_attempts
        if info.attempt > 1:
            # After a reset attempts begin again with 1, and the heartbeats say how many were lost before it.
            carried = min(_read_carried_losses(info), info.attempt - 2)
            pending = await self._describe_activity(info)
            _lost.set(carried + _is_loss(pending.last_failure))
            # Temporal gives each attempt the timeout of the first one, and goes by the one that someone changed.
            changed = pending.activity_options.heartbeat_timeout.ToTimedelta()
            _silence.set(changed or info.heartbeat_timeout)
        if this_try() > tries:  # the attempt before was the last try, and the server ended it: it took too long
            raise _make_timeout("no answer in time (activity StartToClose timeout)", tries, final=True)
        try:
            return await self._execute_in_time(input)
        except CancelledError:
            raise
        except Exception as error:
            if this_try() < tries:
                raise
            raise _make_final_error(error) from None

    async def _execute_in_time(self, input: ExecuteActivityInput) -> Any:
        """Execute an activity; its time limit is enforced here, where stalls are known."""
        running = finish_despite_operators(super().execute_activity(input), self._client, self._grace)
        seconds = next((one.seconds for one in input.args if isinstance(one, ToolCall)), None)
        if seconds is None:
            return await running
        try:
            return await wait_patiently(running, seconds)
        except CallTimedOut:
            raise _make_timeout(f"no answer in {seconds:g} s", this_try()) from None

    async def _describe_activity(self, info: activity.Info) -> PendingActivityInfo:
        """The server's description of an activity, with the failure of its attempt before; empty if it does not say."""
        try:
            pending = (await describe_workflow(self._client, info)).pending_activities
        except RPCError as error:
            _tries_log.warning("how attempt %d of %s ended is not known: %s", info.attempt - 1, info.activity_id, error)
            return PendingActivityInfo()
        return next((one for one in pending if one.activity_id == info.activity_id), PendingActivityInfo())


def _is_loss(failure: Failure) -> bool:
    silent = failure.timeout_failure_info.timeout_type == TimeoutType.TIMEOUT_TYPE_HEARTBEAT
    return silent or failure.application_failure_info.type == SHUTDOWN


def _read_carried_losses(info: activity.Info) -> int:
    carried = info.heartbeat_details[CARRIED_AT] if len(info.heartbeat_details) > CARRIED_AT else None
    return carried if isinstance(carried, int) else 0


def _make_timeout(message: str, attempt: int, *, final: bool = False) -> ApplicationError:
    """The failure of a call that took too long in this try."""
    details = FailureDetails(attempt=attempt).model_dump(mode="json", exclude_defaults=True)
    return ApplicationError(message, details, type=FailureType.TIMEOUT, non_retryable=final)


def _make_final_error(error: Exception) -> ApplicationError:
    """`error` as one after which there is no other try."""
    if not isinstance(error, ApplicationError):
        return ApplicationError(str(error), type=type(error).__name__, non_retryable=True)
    return ApplicationError(
        error.message,
        *error.details,
        type=error.type,
        non_retryable=True,
        next_retry_delay=error.next_retry_delay,
        category=error.category,
    )


BEAT: Final = timedelta(seconds=BEAT_SECONDS)
"""The answer to a beat is how a call learns that it was given up, where the server does not push that: what a cancelled
run uses is free soon. And it fits many times into the 30 s after which Temporal gives a silent activity to another
worker."""
QUIET_AFTER: Final = 10
"""After so many beats without anything new to say, a call beats more rarely: each beat is a write of the server, and
while models think for half a minute beats would be most of what it does."""
QUIET_BEATS: Final = 4
"""Factor by which beats are rarer."""
PUSHED_BEATS: Final = 8
"""Factor by which beats are rarer from the start, where the server pushes cancellations: a beat then only says that the
worker lives. After 10 s without one the run says so, and a worker that hangs for 20 s has 6 s left."""

_log = logging.getLogger("activities.heartbeat")


class Pulse:
    """Heartbeat details of one attempt; they start with those that the previous attempt left."""

    def __init__(self) -> None:
        left = activity.info().heartbeat_details
        self.details: Sequence[Any] = left[:1]
        self.unwritten: Any = left[UNWRITTEN_AT] if len(left) > UNWRITTEN_AT else None
        """The ledger's line that this attempt, or one before it, could not write."""
        self._written: Callable[[], Words | None] | None = None
        self._sent: list[Any] = []

    def carry(self, *details: object) -> None:
        """Every beat carries `details` from now on; the first one is sent at once."""
        self.details = details
        self.beat()

    def leave_unwritten(self, line: JsonObject) -> None:
        """Leave a line of the ledger to the next attempt, since the store does not take it now."""
        self.unwritten = line
        self.beat()

    def show(self, written: Callable[[], Words | None]) -> None:
        """Every beat asks `written` from now on what there is to show, and carries that too."""
        self._written = written

    def beat(self) -> None:
        """Tells Temporal that the activity is alive and how far it is."""
        self._sent = self._list_details()
        activity.heartbeat(*self._sent)

    def has_news(self) -> bool:
        """Whether a beat would say anything that the last one did not."""
        return self._list_details() != self._sent

    def _list_details(self) -> list[Any]:
        words = self._words()
        shown = None if words is None else words.model_dump(mode="json")
        # What a beat has not is left out behind, and said to be nothing in its place before what it has.
        carried = [next(iter(self.details), None), shown, lost_attempts() or None, self.unwritten]
        while carried and carried[-1] is None:
            carried.pop()
        return carried

    def _words(self) -> Words | None:
        """Return the text to show. An error here is logged and ends the display, never the heartbeats."""
        try:
            return None if self._written is None else self._written()
        except Exception:
            _log.exception("what is being written cannot be shown")
            self._written = None
            return None


@asynccontextmanager
async def send_heartbeats(interval: timedelta = BEAT) -> AsyncIterator[Pulse]:
    """Beats every `interval` until the block is left, and at once if an attempt before it left something to carry.

    When nothing is new for a while it beats more rarely, until something is. Needs the event loop to stay free. A
    local activity does not beat.
    """
    pulse = Pulse()
    if activity.info().is_local:
        yield pulse
        return
    beating = asyncio.create_task(_beat_periodically(pulse, interval))
    try:
        yield pulse
    finally:
        beating.cancel()


async def _beat_periodically(pulse: Pulse, interval: timedelta) -> None:
    if pulse.has_news():
        pulse.beat()
    most = count_allowed_pauses(_silence.get() or activity.info().heartbeat_timeout, interval)
    quiet = unsaid = 0
    while True:
        await asyncio.sleep(interval.total_seconds())
        quiet, unsaid = (0 if pulse.has_news() else quiet + 1), unsaid + 1
        if unsaid >= min(most, choose_pause(quiet, pushed=_pushed.get())):
            pulse.beat()
            unsaid = 0


BEATS_IN_TIME: Final = 3
"""Beats that fit into the heartbeat timeout of a call at least, however short someone set it with Temporal's tools: a
beat too late is a call that another worker makes, and pays, again."""


def count_allowed_pauses(silence: timedelta | None, interval: timedelta) -> int:
    """After how many intervals a beat is due at the latest, if a call may be silent for `silence`; at least one."""
    return PUSHED_BEATS if silence is None else max(1, int(silence / interval / BEATS_IN_TIME))


def choose_pause(quiet: int, *, pushed: bool) -> int:
    """After how many intervals the next beat is due, when nothing has been new for `quiet` of them.

    `pushed`: whether the server pushes cancellations.
    """
    if pushed:
        return PUSHED_BEATS if quiet else 1
    return QUIET_BEATS if quiet > QUIET_AFTER else 1


TICK: Final = 0.5
"""Seconds. A tick that came later by as much is not counted: the process stood still in it."""


class CallTimedOut(Exception):
    """The time of a call is over."""


async def wait_patiently(call: Awaitable[T], seconds: float) -> T:
    """Wait for a call, and cancel it after a number of seconds in which the process did not stand still.

    Raises:
        CallTimedOut: it was cancelled.
    """
    limit = asyncio.timeout(None)
    try:
        async with limit:
            counting = asyncio.create_task(_run_out(limit, seconds))
            try:
                return await call
            finally:
                counting.cancel()
    except TimeoutError:
        if not limit.expired():
            raise
        raise CallTimedOut from None


async def _run_out(limit: asyncio.Timeout, seconds: float) -> None:
    now = asyncio.get_running_loop().time
    while seconds > 0:
        tick, began = min(TICK, seconds), now()
        await asyncio.sleep(tick)
        if now() - began < tick + TICK:
            seconds -= tick
    limit.reschedule(now())
