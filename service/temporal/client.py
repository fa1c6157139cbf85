"""Every call that the API makes to Temporal.

Runs are addressed by workflow id alone, so continue-as-new and resets are followed. No call waits for ever: each has a
time after which the other side counts as not answering.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, Final

from temporalio.client import (
    Client,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryRejectedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import (
    QueryRejectCondition,
    WorkflowIDReusePolicy,
)

from elcano.graphs.contracts import (
    CONTROL_UPDATE,
    LOG_QUERY,
    PROGRESS_QUERY,
    SNAPSHOT_QUERY,
    Engine,
)
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.records import LogPage, ProgressPage, RunSnapshot
from elcano.graphs.run_contracts import (
    ControlAnswer,
    ControlRequest,
    ResearchInput,
)
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import (
    OutcomeUnknown,
    RunBlocked,
    RunForgotten,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    UpdateRefused,
    WorkerUnavailable,
)
from elcano.service.temporal.cancelled_runs import free_cancelled_run
from elcano.service.temporal.connection import (
    CALL_TIMEOUT,
    Connection,
    describe_missing_attributes,
    find_missing_attributes,
    is_unheard,
    map_rpc_errors,
    mapped_query,
    until_heard,
)
from elcano.service.temporal.executions import (
    Execution,
    Glance,
    ask_for_execution,
    describe_execution,
)
from elcano.service.temporal.history import (
    WatchedHistory,
    delete_workflows,
    read_carried_events,
    read_input,
    was_worked_on,
    watch_history,
)
from elcano.service.temporal.looks import Looks
from elcano.service.temporal.run_start import start_run_workflow
from elcano.service.temporal.shared_reads import SharedReads, Turns
from elcano.service.temporal.workers import Workers
from elcano.service.temporal.writing import Writing, read_current_writing

SNAPSHOT_TIMEOUT: Final = timedelta(seconds=2)
"""A reader of one run would rather have what is stored than wait longer."""
PROGRESS_TIMEOUT: Final = timedelta(seconds=15)
"""A worker that has to replay a long history needs seconds."""
UPDATE_TIMEOUT: Final = timedelta(seconds=10)
"""For a worker to take a request."""
NO_RUN: Final = "elcano-readiness"
"""The id of a workflow that there is not."""
BEGUN: Final = "begun"
"""The memo of an execution that continues a run: the request that started it, and its answer."""


class Temporal:
    """Research runs as the server has them. Every method can raise `TemporalUnavailable` and `TemporalRefused`."""

    def __init__(self, connection: Connection, task_queue: str) -> None:
        self.task_queue = task_queue
        self.glance = Glance(connection)
        self.looks = Looks(connection, task_queue)
        self.reads = SharedReads()
        self.turns = Turns()
        self.workers = Workers(connection, task_queue)
        self._connection = connection

    async def check(self) -> None:
        """Makes sure that the server would start a run.

        Raises:
            TemporalUnavailable: it does not answer, lacks the namespace, or cannot use its database.
            TemporalRefused: it lacks search attributes of runs.
        """
        client = await self._connection.client()
        with map_rpc_errors():
            await client.service_client.check_health(timeout=CALL_TIMEOUT)
            missing = await find_missing_attributes(client)
        # The server answers both from memory. Whether it has its database shows where it looks for a workflow.
        with suppress(RunForgotten):
            await ask_for_execution(client, NO_RUN, again=False)
        if missing:
            raise TemporalRefused(describe_missing_attributes(client, missing))

    async def start(self, asked: ResearchInput, engine: Engine) -> bool:
        """Starts a run; False if its workflow was started before.

        Raises:
            TemporalUnavailable: it is not known whether it was started; doing it again is safe.
            TemporalRefused: it was not started by this call.
        """
        client, reuse = await self._connection.client(), WorkflowIDReusePolicy.REJECT_DUPLICATE
        return await start_run_workflow(client, self.task_queue, asked, engine, reuse) is not None

    async def go_on(self, asked: ResearchInput, engine: Engine, begun: JsonObject) -> str | None:
        """Begins the next execution of a run that has ended, and gives its id; None if one is open.

        `begun` is kept with it: what `begun_by` answers.

        Raises:
            TemporalUnavailable: it is not known whether it was begun.
            TemporalRefused: it was not.
        """
        client, reuse = await self._connection.client(), WorkflowIDReusePolicy.ALLOW_DUPLICATE
        return await start_run_workflow(client, self.task_queue, asked, engine, reuse, memo={BEGUN: begun})

    async def client(self) -> Client:
        """Temporal's client; see `Connection.client`."""
        return await self._connection.client()

    async def begun_by(self, run_id: str) -> JsonObject | None:
        """Return the input that `go_on` gave the last execution of a run; None if another caller started it.

        Raises:
            RunForgotten: there is no such workflow.
        """
        client = await self._connection.client()
        memo = (await ask_for_execution(client, run_id)).workflow_execution_info.memo.fields
        if BEGUN not in memo:
            return None
        with map_rpc_errors():
            begun: list[JsonObject] = await client.data_converter.decode([memo[BEGUN]], [dict])
        return begun[0]

    async def progress(self, run_id: str, since: int) -> ProgressPage:
        """The run's events after number `since`; also of a closed workflow, as long as Temporal keeps it.

        Raises:
            WorkerUnavailable: no worker answered in `PROGRESS_TIMEOUT`.
            RunUnreadable: a worker did, with an error.
            RunForgotten: there is no such workflow.
        """
        handle = await self._handle(run_id)
        async with self._answering(run_id):
            page: ProgressPage = await handle.query(
                PROGRESS_QUERY, since, result_type=ProgressPage, rpc_timeout=PROGRESS_TIMEOUT
            )
        return page

    async def snapshot(self, run_id: str, *, closed_too: bool = False) -> RunSnapshot | None:
        """Return the run's snapshot; None if its workflow is closed and `closed_too` is not set.

        Raises:
            WorkerUnavailable: no worker answered in `SNAPSHOT_TIMEOUT`.
            RunUnreadable: a worker did, with an error.
            RunForgotten: there is no such workflow.
        """
        handle = await self._handle(run_id)
        async with self._answering(run_id):
            try:
                snapshot: RunSnapshot = await handle.query(
                    SNAPSHOT_QUERY,
                    result_type=RunSnapshot,
                    reject_condition=None if closed_too else QueryRejectCondition.NOT_OPEN,
                    rpc_timeout=SNAPSHOT_TIMEOUT,
                )
            except WorkflowQueryRejectedError:
                return None
        return snapshot

    async def log(self, run_id: str, since: int) -> LogPage:
        """The run's entries after the first `since`; also of a closed workflow, as long as Temporal keeps it.

        Raises:
            WorkerUnavailable: no worker answered in `PROGRESS_TIMEOUT`.
            RunUnreadable: a worker did, with an error.
            RunForgotten: there is no such workflow.
        """
        handle = await self._handle(run_id)
        async with self._answering(run_id):
            page: LogPage = await handle.query(LOG_QUERY, since, result_type=LogPage, rpc_timeout=PROGRESS_TIMEOUT)
        return page

    async def control(self, run_id: str, request: ControlRequest, request_id: str) -> Json:
        """Asks something of the run, and gives its answer; once, however often it is asked under the same id.

        That holds after the run was continued as new too, because its log has the ids.

        Raises:
            UpdateRefused: the run refused.
            OutcomeUnknown: no answer came in `UPDATE_TIMEOUT`, or the server broke off.
            TemporalUnavailable: nothing was sent.
            RunForgotten: there is no such workflow, or it is closed and its last execution did not apply the request.
        """
        handle = await self._handle(run_id)

        async def ask() -> ControlAnswer:
            answer: ControlAnswer = await handle.execute_update(
                CONTROL_UPDATE, request, id=request_id, result_type=ControlAnswer, rpc_timeout=UPDATE_TIMEOUT
            )
            return answer

        try:
            with map_rpc_errors():
                answer = await until_heard(ask)
        except WorkflowUpdateFailedError as error:
            if is_unheard(error):
                raise OutcomeUnknown(request_id) from error
            raise UpdateRefused(str(error.cause)) from error
        except (WorkflowUpdateRPCTimeoutOrCancelledError, TemporalUnavailable) as error:
            raise OutcomeUnknown(request_id) from error
        return answer.answer

    async def cancel(self, run_id: str, reason: str) -> None:
        """Has the server cancel the run; the worker on it is notified at once, or else the next one to take it.

        Raises:
            RunForgotten: there is no such workflow, or it is closed.
        """
        handle = await self._handle(run_id)
        with map_rpc_errors():
            await handle.cancel(reason=reason, rpc_timeout=CALL_TIMEOUT)

    async def free_if_cancelled(self, run_id: str) -> None:
        """Unpause a cancelled run that was paused in Temporal; terminate one that no worker can continue."""
        await free_cancelled_run(await self._connection.client(), run_id)

    async def read_input(self, run_id: str, execution: str) -> ResearchInput:
        """Return the input that an execution of a run began with, for which no worker is needed.

        Raises:
            RunForgotten: the server does not have it.
            RunUnreadable: an object or a key is missing.
        """
        return (await read_input(await self._connection.client(), run_id, execution))[0]

    async def describe(self, run_id: str) -> Execution:
        """Return the server's description of the run's workflow.

        Raises:
            RunForgotten: there is no such workflow.
        """
        return await describe_execution(await self._connection.client(), run_id)

    async def writing(self, run_id: str) -> Writing | None:
        """Return the writing agent of the run's workflow, and the text so far; None if there is no writer. Asks once.

        Raises:
            RunForgotten: there is no such workflow.
        """
        return await read_current_writing(await self._connection.client(), run_id)

    async def reason(self, run_id: str) -> BaseException | None:
        """Why a closed workflow did not complete, as the server has it; None if it completed."""
        handle = await self._handle(run_id)
        with map_rpc_errors():
            try:
                await handle.result(rpc_timeout=CALL_TIMEOUT)
            except WorkflowFailureError as error:
                return error.cause
        return None

    async def carried_events(self, run_id: str, execution: str, since: int) -> list[AgentEvent]:
        """The events after number `since` that can be read without a worker; there may be more.

        Raises:
            RunForgotten: the server does not have that execution.
        """
        return await read_carried_events(await self._connection.client(), run_id, execution, since)

    async def was_worked_on(self, run_id: str) -> bool:
        """Whether a worker ever took up the workflow; of one that was closed before, no worker knows anything.

        Raises:
            RunForgotten: there is no such workflow.
        """
        handle = await self._handle(run_id)
        with map_rpc_errors():
            return await was_worked_on(handle)

    async def changes(self, run_id: str) -> AsyncIterator[WatchedHistory]:
        """Yields whenever the workflow may have done something; ends when it is closed (or reset).

        Costs the workflow nothing: it is a long poll of the history.

        Raises:
            RunForgotten: there is no such workflow.
        """
        handle = await self._handle(run_id)
        with map_rpc_errors():
            async for watched in watch_history(handle, self.turns.watches):
                yield watched

    async def delete(self, run_id: str, branches: Sequence[str], archived: str = "") -> None:
        """Deletes an ended run's workflows, those of its branches too, of which `branches` are known.

        Raises:
            DeleteRefused: one of them is open, and is not the execution `archived`; nothing was deleted.
        """
        await delete_workflows(await self._connection.client(), run_id, branches, archived)

    @asynccontextmanager
    async def _answering(self, run_id: str) -> AsyncIterator[None]:
        """Raise our errors in place of Temporal's; where no worker answers because each fails the run, say that."""
        try:
            with mapped_query():
                yield
        except WorkerUnavailable as error:
            with suppress(RunForgotten, TemporalUnavailable, TemporalRefused):
                if blocked := (await self.describe(run_id)).blocked:
                    raise (RunBlocked if isinstance(error, RunBlocked) else RunUnreadable)(blocked) from error
            raise

    async def _handle(self, run_id: str) -> WorkflowHandle[Any, Any]:
        client = await self._connection.client()
        return client.get_workflow_handle(run_id)
