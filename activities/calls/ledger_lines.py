"""The ledger's line of the attempt that is running, and the activities that keep a run's books straight.

Every activity of a run writes its own line, however it ends. `read_usage` tells what calls used that could not say so;
`reopen_run` strikes out what a reset or a resumed run undoes.
"""

import time
from typing import Literal

from temporalio import activity
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.client import Client

from elcano.activities.calls.retry_classification import classify_failure
from elcano.graphs.contracts import READ_USAGE, REOPEN_RUN, SNAPSHOT_QUERY, ReopenCall, Reopened, UsageQuestion
from elcano.graphs.records import RunSnapshot
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store

Outcome = Literal["completed", "failed", "abandoned"]


def build_ledger_entry(
    run_id: str,
    node: str,
    name: str,
    outcome: Outcome,
    *,
    kind: Literal["agent", "tool", "publish"],
    step: int = 0,
    item: int = 0,
    model: str = "",
    usage: Usage | None = None,
) -> LedgerEntry:
    """The line of this attempt; `step` 0 is no step of the graph."""
    info = activity.info()
    return LedgerEntry(
        run_id=run_id,
        execution=info.workflow_run_id or "",
        activity=info.activity_id,
        attempt=info.attempt,
        step=step,
        item=item,
        node=node,
        kind=kind,
        name=name,
        outcome=outcome,
        model=model,
        usage=usage or Usage(),
        at=time.time(),
    )


def measure_queue_seconds() -> float:
    """Seconds for which no worker was free to begin this attempt."""
    info = activity.info()
    return max(0.0, (info.started_time - info.current_attempt_scheduled_time).total_seconds())


def given_up() -> bool:
    """Whether the run abandoned this activity; a worker that shuts down cancels it as well, and another continues."""
    details = activity.cancellation_details()
    return details is not None and details.cancel_requested


class BookActivities:
    """The activities `read_usage` and `reopen_run`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @activity.defn(name=READ_USAGE)
    async def read_usage(self, asked: UsageQuestion) -> Usage:
        """Return the ledger's usage of one activity of this execution, or of a run with its branches."""
        ledger = self._store.of(asked.tenant).ledger
        try:
            if not asked.activity:
                return await ledger.used(asked.run_id)
            execution = activity.info().workflow_run_id or ""
            lines = await ledger.of_activity(asked.run_id, execution, asked.activity)
            return sum_usages(line.usage for line in lines)
        except Exception as error:
            raise classify_failure(error) from None

    @activity.defn(name=REOPEN_RUN)
    async def reopen_run(self, call: ReopenCall) -> Reopened:
        """Reopens the record of a resumed run and strikes out undone work; a fork adopts its evidence and artifacts.

        Doing it twice changes nothing. Answers with the highest event number that anybody can have seen: that of the
        last event of the execution that this one was reset from, if it was.
        """
        execution = activity.info().workflow_run_id or ""
        store = self._store.of(call.tenant)
        try:
            told = await _last_event_before(activity.client(), call.run_id, execution)
            if not call.resumed:
                await store.lineage.undo(call.run_id, call.step, execution=execution)
            for one in call.undone:
                await store.lineage.undo(one.run_id, one.step, execution=execution, found=one.evidence, but=call.kept)
            if call.from_run:
                await store.lineage.adopt(call.run_id, call.from_run, call.evidence, call.artifacts)
            await store.runs.reopen(call.run_id, execution)
        except Exception as error:
            raise classify_failure(error) from None
        return Reopened(told=told)


async def _last_event_before(client: Client, run_id: str, execution: str) -> int:
    """The number of the last event of the execution that this one was reset from."""
    base = ""
    async for event in client.get_workflow_handle(run_id, run_id=execution).fetch_history_events():
        failed = event.workflow_task_failed_event_attributes
        reset = failed.cause == WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED and reset:
            base = failed.base_run_id
    if not base:
        return 0
    snapshot: RunSnapshot = await client.get_workflow_handle(run_id, run_id=base).query(
        SNAPSHOT_QUERY, result_type=RunSnapshot
    )
    return snapshot.last_event
