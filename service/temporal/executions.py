"""State of runs that the Temporal server knows without a worker: status, pending calls, what keeps them from going on.

`Glance` is for readers who prefer stored data to waiting: a look takes at most two seconds, and while Temporal does not
answer hardly any request waits for it. Each open run is looked up separately, because the server's list lags behind;
concurrent readers share the look-up, and what was seen a moment ago is returned at once, while it is looked at anew
behind the answer.
"""

import asyncio
import json
import time
from collections.abc import Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import Field
from temporalio.api.common.v1 import SearchAttributes, WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState as CallState
from temporalio.api.enums.v1 import PendingWorkflowTaskState as TaskState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import (
    DescribeWorkflowExecutionRequest,
    DescribeWorkflowExecutionResponse,
)
from temporalio.client import Client, WorkflowExecutionStatus

from elcano.graphs.contracts import RunStatus
from elcano.graphs.run_contracts import (
    MODE_ATTRIBUTE,
    SEARCH_ATTRIBUTES,
    SECTION_ATTRIBUTE,
    STAGE_ATTRIBUTE,
    WAITING_ATTRIBUTE,
)
from elcano.service.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.service.fields import Described, Moment, datetime_from_seconds
from elcano.service.temporal.blocked_runs import describe_pause, explain_halt, explain_paused_call
from elcano.service.temporal.connection import CALL_TIMEOUT, Connection, map_rpc_errors
from elcano.service.temporal.shared_reads import retrieve_error
from elcano.storage.payloads import read_failure_message

_STATUSES: Mapping[int, RunStatus] = {
    WorkflowExecutionStatus.COMPLETED: "completed",
    WorkflowExecutionStatus.FAILED: "failed",
    WorkflowExecutionStatus.CANCELED: "cancelled",
    WorkflowExecutionStatus.TERMINATED: "terminated",
    WorkflowExecutionStatus.TIMED_OUT: "terminated",
}
"""Any other status (continued, paused) means a running workflow."""
SILENT_AFTER: Final = 10.0
"""Seconds without a heartbeat that make a worker silent: a call sends one every 4 s, and clocks differ a little."""


def _seconds_from_timestamp(moment: Timestamp) -> float | None:
    return moment.ToMilliseconds() / 1_000 if moment.ToMilliseconds() else None


def _find_waiting_queue(pending: PendingActivityInfo) -> str:
    """Return the queue where it waits for a worker; empty if it does not."""
    later = (_seconds_from_timestamp(pending.next_attempt_schedule_time) or 0.0) > time.time()
    waits = pending.state == CallState.PENDING_ACTIVITY_STATE_SCHEDULED and not later
    return pending.activity_options.task_queue.name if waits else ""


def _find_repetition(pending: PendingActivityInfo) -> float | None:
    """When the server gives the call to another worker, if its own has been silent for `SILENT_AFTER`; else None."""
    allowed = pending.activity_options.heartbeat_timeout.ToMilliseconds() / 1_000
    if not allowed or pending.state != CallState.PENDING_ACTIVITY_STATE_STARTED:
        return None
    started, beat = map(_seconds_from_timestamp, (pending.last_started_time, pending.last_heartbeat_time))
    last = max(started or 0.0, beat or 0.0)  # an earlier attempt's heartbeat stays until the next one
    return last + allowed if last and time.time() - last > SILENT_AFTER else None


def _read_keyword(attributes: SearchAttributes, name: str) -> str:
    """A search attribute that is one text, which the server keeps as JSON; empty if the run has none."""
    kept = json.loads(attributes.indexed_fields[name].data) if name in attributes.indexed_fields else ""
    return kept if isinstance(kept, str) else ""


class PendingActivity(Described):
    """An activity that Temporal is waiting for."""

    activity_id: str = Field(examples=["0004-judge"])
    """Step and node."""
    activity: str = Field(examples=["judge"])
    """The activity's name, which is that of its agent or tool."""
    attempt: int = Field(examples=[2])
    """Number of attempts, including the current one."""
    last_failure: str = Field(default="", examples=["the provider did not answer in 120 s"])
    """Why it failed the last time; empty if it did not."""
    next_try: Moment | None = Field(default=None, examples=["2026-11-18T08:27:30Z"])
    """When it is tried again; null while it is being tried."""
    section: str = Field(default="", examples=["Costs"])
    """The section that it belongs to; empty for the run itself."""
    queue: str = Field(default="", examples=["elcano-source-pubmed"])
    """The task queue in which it waits for a worker; empty while it is being tried, or is to be tried later."""
    unserved: str = Field(default="", examples=["no worker polls the task queue 'elcano': start one that does"])
    """Why that queue gives it to no worker, and what to do; empty if it does, or is not known."""
    paused: bool = False
    """Whether it was paused in Temporal: an attempt under way still ends, and no other begins until it is unpaused."""
    paused_by: str = Field(default="", examples=["temporal-cli:ops@host, the provider is being moved"])
    """By whom and why, as far as they said."""
    repeated_at: Moment | None = Field(default=None, examples=["2026-11-18T08:28:00Z"])
    """When another worker makes the call again, as the one that makes it reports no more; null while it reports."""


@dataclass(frozen=True)
class Execution:
    """State of a workflow that the server knows without a worker."""

    id: str
    """Temporal's id of the last execution; empty if the server has none."""
    status: RunStatus
    closed_at: float | None
    """Seconds since the epoch."""
    pending: tuple[PendingActivity, ...]
    mode: str = ""
    """The displayed mode; for `auto` with the mode that it picked: `auto/deep`."""
    stage: str = ""
    """The last displayed stage."""
    waiting: str = ""
    """The displayed reason of its hold; empty while it waits for nothing."""
    halted: str = ""
    """Why it takes no requests until someone acts: it was paused in Temporal, or its task fails again and again."""
    paused_call: str = ""
    """Why it waits for a call that was paused in Temporal."""
    started_at: float = 0.0
    """Seconds since the epoch."""
    section: str = ""
    """The title; of sections alone."""
    sections: tuple[str, ...] = ()
    """Ids of its open sections."""
    waits_for_worker: bool = False
    """Whether there is something for it to do that no worker has taken yet."""
    cancel_requested: bool = False
    is_of_run: bool = True
    """False: another program started a workflow under the run's id. Runs have search attributes from their start."""

    @property
    def blocked(self) -> str:
        """Why it cannot continue until someone acts in Temporal; empty if it can."""
        return self.halted or self.paused_call

    @classmethod
    async def of(cls, answer: DescribeWorkflowExecutionResponse, client: Client) -> "Execution":
        """The server's answer in our words."""
        info = answer.workflow_execution_info
        return cls(
            id=info.execution.run_id,
            status=_STATUSES.get(info.status, "running"),
            closed_at=info.close_time.ToMilliseconds() / 1_000 if info.HasField("close_time") else None,
            pending=tuple(
                [
                    PendingActivity(
                        activity_id=pending.activity_id,
                        activity=pending.activity_type.name,
                        attempt=pending.attempt,
                        last_failure=await read_failure_message(client.data_converter, pending.last_failure),
                        next_try=datetime_from_seconds(_seconds_from_timestamp(pending.next_attempt_schedule_time)),
                        queue=_find_waiting_queue(pending),
                        paused=pending.paused,
                        paused_by=describe_pause(pending.pause_info.manual),
                        repeated_at=datetime_from_seconds(_find_repetition(pending)),
                    )
                    for pending in answer.pending_activities
                ]
            ),
            mode=_read_keyword(info.search_attributes, MODE_ATTRIBUTE),
            stage=_read_keyword(info.search_attributes, STAGE_ATTRIBUTE),
            waiting=_read_keyword(info.search_attributes, WAITING_ATTRIBUTE),
            halted=await explain_halt(answer, client),
            paused_call=explain_paused_call(answer),
            started_at=info.start_time.ToMilliseconds() / 1_000,
            section=_read_keyword(info.search_attributes, SECTION_ATTRIBUTE),
            sections=tuple(child.workflow_id for child in answer.pending_children if child.run_id),
            waits_for_worker=answer.pending_workflow_task.state == TaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED,
            cancel_requested=answer.workflow_extended_info.cancel_requested,
            # Of attributes that were removed from the namespace nothing is shown; a place in queues stays.
            is_of_run=bool(info.priority.fairness_key)
            or any(name in info.search_attributes.indexed_fields for name in SEARCH_ATTRIBUTES),
        )


async def describe_execution(client: Client, run_id: str, *, again: bool = True) -> Execution:
    """Return the server's description of the run's last execution; unless `again`, it is asked once.

    Raises:
        RunForgotten: there is no such workflow.
        SealedDataUnreadable: why a call failed was encrypted with a key that is missing.
    """
    return await Execution.of(await ask_for_execution(client, run_id, again=again), client)


async def ask_for_execution(
    client: Client, run_id: str, execution: str = "", *, again: bool = True
) -> DescribeWorkflowExecutionResponse:
    """Describe an execution of a run, by default the last one; see `describe_execution`."""
    # The SDK's `describe()` cannot read the status of a workflow that was paused.
    place = WorkflowExecution(workflow_id=run_id, run_id=execution)
    request = DescribeWorkflowExecutionRequest(namespace=client.namespace, execution=place)
    with map_rpc_errors():
        return await client.workflow_service.describe_workflow_execution(request, retry=again, timeout=CALL_TIMEOUT)


LOOK_SECONDS: Final = 2.0
"""Timeout of a look-up, the same as of a query to a worker."""
SILENT_SECONDS: Final = 5.0
"""Seconds without look-ups after Temporal did not answer; a run that was reset meanwhile looks ended for so long."""
SHARED_SECONDS: Final = 1.0
"""Seconds that a look-up of a running run is shared with other lists."""
STALE_SECONDS: Final = 3.0
"""Seconds that a cached look-up is returned at once, while the next one starts. With the look-up's own time, a list is
at most this far behind."""
SIDE_BY_SIDE: Final = 16
"""Runs looked at at once. More would take no less time: a server on one file answers one after the other."""

_Seen = TypeVar("_Seen")


@dataclass(frozen=True)
class _Look:
    """A look at one run, shared by all who ask for it at the same time."""

    began: float
    """On the monotonic clock, in seconds."""
    seen: asyncio.Task[Execution | None]

    def is_shared(self, now: float) -> bool:
        """One under way always: a server that is slow is not asked twice."""
        return not self.seen.done() or now - self.began < SHARED_SECONDS

    def is_usable(self, now: float) -> bool:
        """Whether it saw something that may still be returned."""
        succeeded = self.seen.done() and not self.seen.cancelled() and self.seen.exception() is None
        return succeeded and now - self.began < max(STALE_SECONDS, SHARED_SECONDS)


class Glance:
    """Looks at the last execution of runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._silent_until = 0.0
        self._looks: dict[str, _Look] = {}
        """The latest look-ups, by run id."""
        self._earlier: dict[str, _Look] = {}
        """The look-ups before them, as long as those are under way and these may be returned."""
        self._room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def last_execution(self, run_id: str) -> Execution:
        """The last execution of a run.

        Raises:
            RunForgotten: there is no such workflow, or not any more.
            TemporalRefused: Temporal says nothing of it.
            TemporalUnavailable: it does not answer at once, or did not a moment ago.
        """
        if self._is_silent():
            raise TemporalUnavailable("Temporal did not answer a moment ago")
        try:
            return await self._at_once(self._described(run_id))
        except TemporalUnavailable:
            self._fall_silent()
            raise

    async def executions(self, run_ids: Collection[str], *, lately: bool = False) -> Mapping[str, Execution]:
        """Return the state of these runs, at most two seconds old, without those that Temporal does not know at once.

        With `lately`, what was seen up to `STALE_SECONDS` ago is returned at once, and looked at anew for the next.
        """
        if not run_ids or self._is_silent():
            return {}
        now = time.monotonic()
        self._earlier = {name: look for name, look in self._earlier.items() if look.is_usable(now)}
        self._looks = {name: look for name, look in self._looks.items() if look.is_shared(now) or look.is_usable(now)}
        looks = {run_id: self._look(run_id, now, lately) for run_id in run_ids}
        # Shielded: who goes away leaves the look to the others.
        seen = await asyncio.gather(*(asyncio.shield(look.seen) for look in looks.values()), return_exceptions=True)
        if all(isinstance(one, TemporalUnavailable) for one in seen):
            self._fall_silent()
        found = {}
        for run_id, one in zip(looks, seen, strict=True):
            if isinstance(one, BaseException) and not isinstance(one, TemporalUnavailable):
                raise one
            if isinstance(one, Execution):
                found[run_id] = one
        return found

    def _look(self, run_id: str, now: float, lately: bool) -> _Look:
        """Return the latest look at a run; with `lately` the one before it while that is under way."""
        latest = self._looks.get(run_id)
        if latest is None or not latest.is_shared(now):
            if latest is not None:
                self._earlier[run_id] = latest
            latest = self._looks[run_id] = _Look(now, asyncio.ensure_future(self._at_once(self._known(run_id))))
            latest.seen.add_done_callback(retrieve_error)  # the next one to ask looks anew
        return self._earlier.get(run_id, latest) if lately and not latest.seen.done() else latest

    async def _known(self, run_id: str) -> Execution | None:
        """A run's last execution; None if Temporal has none, or does not let us see it."""
        async with self._room:
            try:
                return await self._described(run_id)
            except (RunForgotten, TemporalRefused):
                return None

    async def _described(self, run_id: str) -> Execution:
        return await describe_execution(await self._connection.client(), run_id, again=False)

    async def _at_once(self, look: Coroutine[Any, Any, _Seen]) -> _Seen:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await look
        except TimeoutError as error:
            raise TemporalUnavailable("Temporal does not answer at once") from error

    def _is_silent(self) -> bool:
        return time.monotonic() < self._silent_until

    def _fall_silent(self) -> None:
        self._silent_until = time.monotonic() + SILENT_SECONDS
