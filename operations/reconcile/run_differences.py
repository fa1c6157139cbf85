"""Runs that the store and Temporal do not agree on.

Runs that Temporal has open continue there, unless the store has their end; what ended is in the store. So the record
of a run that the store has lost is made anew from its history, a run whose history is lost is closed, and a history
that is older than the end in the store is deleted, before its work is done and paid for a second time.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from elcano.graphs.records import ArchivedRun, build_accepted_run
from elcano.operations.reconcile.installation import (
    CannotMend,
    Installation,
    ListedExecution,
    describe_start,
    knows_execution,
    list_branch_executions,
    list_executions,
)
from elcano.operations.reconcile.row_store import RunKey, RunRow
from elcano.operations.reconcile.work_differences import compare_work
from elcano.service.errors import RunForgotten, RunUnreadable, WorkerUnavailable
from elcano.service.runs.deletion import DAY
from elcano.service.runs.endings import archive_if_ended
from elcano.service.runs.run_log import read_log
from elcano.service.temporal.connection import CALL_TIMEOUT, map_rpc_errors
from elcano.service.temporal.executions import Execution
from elcano.service.temporal.history import read_input
from elcano.storage.artifacts import LOG_TYPE
from elcano.storage.plugin_store import Difference
from elcano.storage.store import OpenRun, TenantStore

BATCH: Final = 100
"""Open runs that are read at once."""
OLDER: Final = "the history is older than the end of the run, which is in the store"


async def list_open_runs(installation: Installation) -> AsyncIterator[OpenRun]:
    """Every run that the store has open."""
    after: OpenRun | None = None
    while True:
        batch = await installation.store.open_runs(after=after, limit=BATCH)
        for kept in batch:
            yield kept
        if len(batch) < BATCH:
            return
        after = batch[-1]


async def compare_open_runs(installation: Installation) -> AsyncIterator[Difference]:
    """The runs that are open in the store, and not in Temporal."""
    async for kept in list_open_runs(installation):
        run = kept.run
        if kept.resuming or not installation.is_settled(run.started_at):  # the API gives back places of resumed runs
            continue
        admission = installation.store.of(run.tenant).admission
        try:
            execution = await installation.temporal.describe(run.run_id)
        except RunForgotten:
            if kept.begun:
                text = "the store has it open, and Temporal does not know it"
                action = "close it as terminated, with what it found; to have it researched, ask its question again"
                yield Difference(
                    "run_forgotten", run.tenant, run.run_id, text, action, partial(_store_run_end, installation, run)
                )
            else:
                text = "it was accepted, and never started"
                mend = partial(admission.withdraw, run.run_id)
                yield Difference("run_unstarted", run.tenant, run.run_id, text, "withdraw it; nothing was paid", mend)
            continue
        if not kept.begun:
            begin = partial(installation.store.of(run.tenant).runs.begin, run)
            text = "Temporal has started it, and the store does not know that"
            yield Difference("run_unconfirmed", run.tenant, run.run_id, text, "list it as a run", begin)
        if execution.status != "running" and installation.is_settled(execution.closed_at or 0.0):
            text = f"it has ended ({execution.status}), and the store has it open"
            action = "store its end, its events and its log from its history"
            yield Difference(
                "end_unknown", run.tenant, run.run_id, text, action, partial(_store_run_end, installation, run)
            )


async def compare_executions(installation: Installation) -> AsyncIterator[Difference]:
    """The runs that Temporal has and the store does not, or not so."""
    client = await installation.temporal.client()
    async for page in list_executions(client):
        by_run = {(_tenant_of(one.run_id), one.run_id): one for one in page}
        kept = await installation.rows.read_runs(by_run)
        unknown = [key for key in by_run if key not in kept]
        deleted = await installation.rows.read_deleted(unknown) if unknown else set()
        for key in unknown:
            if (found := await _compare_unknown(installation, key, was_deleted=key in deleted)) is not None:
                yield found
        for key, row in kept.items():
            if row.is_open or not installation.is_settled(row.finished_at or 0.0):
                continue
            if (found := await _compare_ended(installation, key, row, by_run[key])) is not None:
                yield found


def _tenant_of(run_id: str) -> str:
    """The tenant that a run's id begins with."""
    return run_id.rpartition("-")[0]


async def _compare_unknown(installation: Installation, key: RunKey, *, was_deleted: bool) -> Difference | None:
    """A run that the store does not know."""
    tenant, run_id = key
    client = await installation.temporal.client()
    try:
        execution, began_at = await describe_start(client, run_id)
        asked, engine = await read_input(client, run_id, execution.id)
    except RunForgotten:  # it has just been deleted
        return None
    except RunUnreadable as error:
        text = f"Temporal has it, the store does not, and its history cannot be read: {error}"
        return Difference("run_unreadable", tenant, run_id, text, "put the missing objects back, or terminate it")
    started_at = began_at if asked.carried is None else asked.carried.started_at
    if not installation.is_settled(max(began_at, execution.closed_at or 0.0)):
        return None
    delete = partial(_delete_history, installation, run_id, execution)
    if was_deleted:
        text = "it was deleted, and Temporal has it again"
        return Difference("run_deleted", tenant, run_id, text, "delete its history", delete)
    age = installation.keep_days * DAY
    if age and execution.closed_at is not None and installation.is_settled(execution.closed_at, age):
        text = f"it ended more than {installation.keep_days:g} days ago, and Temporal still has it"
        return Difference("run_expired", tenant, run_id, text, "delete its history", delete)
    run = build_accepted_run(asked, engine, started_at)
    state = "open" if execution.status == "running" else f"as {execution.status}"
    what = "make its record anew from its history"
    if execution.status != "running":
        what += ", with its end, its events and its log"
    return Difference(
        "run_unknown",
        tenant,
        run_id,
        f"Temporal has it {state}, and the store does not know it",
        what,
        partial(_rebuild_record, installation, run, execution),
    )


async def _compare_ended(
    installation: Installation, key: RunKey, row: RunRow, listed: ListedExecution
) -> Difference | None:
    """A run that the store has ended, in case Temporal has it as it was before."""
    tenant, run_id = key
    client = await installation.temporal.client()
    try:
        last, began_at = await describe_start(client, run_id)
    except RunForgotten:
        return None
    if last.id == row.execution:
        if last.status != "running":
            return None
    elif (
        not row.execution
        or began_at >= (row.finished_at or 0.0)
        or await knows_execution(client, run_id, row.execution)
    ):
        return None  # it was reset, or resumed, since
    text = f"it has ended in the store ({row.status}), and the history in Temporal is older"
    action = "keep its end, and delete the history before its last steps are paid for again"
    return Difference(
        "history_older", tenant, run_id, text, action, partial(_delete_history, installation, run_id, last)
    )


async def _rebuild_record(installation: Installation, run: ArchivedRun, execution: Execution) -> None:
    """Make the record of a run anew. It is open until everything else about its end is stored."""
    await installation.rows.add_run(run)
    if execution.status != "running":
        await _store_run_end(installation, run)


async def _store_run_end(installation: Installation, run: ArchivedRun) -> None:
    """Store the end of a run that is open in the store: the run's own record last.

    Raises:
        CannotMend: only a worker knows how it ended, and none answers.
    """
    async for one in compare_work(installation, run, is_open=False):
        if one.mend is not None:
            await one.mend()
    client = await installation.temporal.client()
    kept = await installation.rows.list_branch_ids(run.tenant, run.run_id)
    for branch_id in await list_branch_executions(client, run.run_id):
        if branch_id not in kept:
            await _settle_branch(installation, branch_id)
    settled = await archive_if_ended(
        await _add_log(installation, run), installation.temporal, _store_of(installation, run)
    )
    if settled.status == "running" or await _is_open_in_store(installation, run):
        raise CannotMend("no worker answers that could tell how it ended: start one, and compare again")


async def _settle_branch(installation: Installation, branch_id: str) -> None:
    """Store the end of a section that ended."""
    client = await installation.temporal.client()
    try:
        execution, began_at = await describe_start(client, branch_id)
        asked, engine = await read_input(client, branch_id, execution.id)
    except RunForgotten:  # it has been deleted since
        return
    except RunUnreadable as error:
        raise CannotMend(f"its section {branch_id!r} cannot be read: {error}") from error
    if execution.status == "running":
        return
    branch = build_accepted_run(asked, engine, began_at)
    await archive_if_ended(await _add_log(installation, branch), installation.temporal, _store_of(installation, branch))


async def _add_log(installation: Installation, run: ArchivedRun) -> ArchivedRun:
    """The run with its log in the store, if a worker can read that."""
    store = _store_of(installation, run)
    try:
        log = await read_log(run.model_copy(update={"log": ""}), installation.temporal, store)
    except (WorkerUnavailable, RunUnreadable, RunForgotten):
        return run
    key = await store.artifacts.put(run.run_id, log.model_dump_json(), LOG_TYPE)
    return run.model_copy(update={"log": key})


async def _is_open_in_store(installation: Installation, run: ArchivedRun) -> bool:
    kept = await _store_of(installation, run).runs.get(run.run_id)
    return kept is not None and kept.status == "running"


def _store_of(installation: Installation, run: ArchivedRun) -> TenantStore:
    return installation.store.of(run.tenant)


async def _delete_history(installation: Installation, run_id: str, last: Execution) -> None:
    """Delete a run's workflows from Temporal, and those of its sections; open ones are terminated."""
    client = await installation.temporal.client()
    branches = await list_branch_executions(client, run_id)
    for workflow_id in (run_id, *branches):
        try:
            execution = await installation.temporal.describe(workflow_id)
            if execution.status == "running":
                with map_rpc_errors():
                    await client.get_workflow_handle(workflow_id).terminate(reason=OLDER, rpc_timeout=CALL_TIMEOUT)
        except RunForgotten:  # it closed, or was deleted, a moment ago
            continue
    await installation.temporal.delete(run_id, branches, last.id)
