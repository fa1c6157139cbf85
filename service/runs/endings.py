"""Records in the store the end of a run that ended without recording it itself.

A workflow archives itself as its last deed. One that is terminated, runs into a server limit or fails outside its own
care has no last deed: the store still believes that it runs. Code that notices calls `archive_if_ended`.

The reconciler compares the store's open runs with Temporal periodically. Three kinds of runs need it: one whose API
process died before or after the workflow was started, one whose start got no answer, and one that was ended from
outside. Temporal says what is so. Any number of API processes may do this at once: everything that is done here can be
done twice.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from temporalio.exceptions import ApplicationError

from elcano.graphs.contracts import RunStatus
from elcano.graphs.errors import ElcanoError
from elcano.graphs.lifecycle.finish import terminal_type
from elcano.graphs.records import ArchivedRun, RunSnapshot
from elcano.graphs.state.budget import Budget
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Failure
from elcano.graphs.text import clean_text
from elcano.service.errors import RunForgotten, RunNotFound, RunUnreadable, TemporalUnavailable, WorkerUnavailable
from elcano.service.temporal.cancelled_runs import CANNOT_CONTINUE
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.executions import Execution
from elcano.storage.store import OpenRun, Store, TenantStore

START_GRACE: Final = 60.0
"""Seconds after which a run that Temporal does not know is not one that is just being started."""


async def archive_if_ended(
    run: ArchivedRun, temporal: Temporal, store: TenantStore, known: Sequence[AgentEvent] = ()
) -> ArchivedRun:
    """The run as it ended, archived with all its events; `run` itself as long as its workflow is open.

    `known` are the events that are at hand already, from the first. While no worker can supply the others, a closed run
    is returned as it ended but not archived, so that no event is lost.

    Raises:
        RunNotFound: the run was deleted meanwhile, or the one that it is a branch of.
    """
    try:
        execution = await temporal.describe(run.run_id)
    except RunForgotten:
        await _require_kept(run, store)
        if time.time() - run.started_at < START_GRACE:
            return run
        execution = Execution(id="", status="terminated", closed_at=None, pending=())
    if not execution.is_of_run:
        return await _settle_replaced(run, execution, store, known)
    if execution.status == "running":
        if execution.cancel_requested:
            await temporal.free_if_cancelled(run.run_id)
        return run
    archived = await store.runs.get(run.run_id)  # it may have archived itself just before it closed
    if archived is not None and archived.status != "running" and not _ended_anew(archived, execution):
        return archived
    await _require_kept(run, store)
    return await _settle_closed(run, execution, temporal, store, known)


FORGOTTEN: Final = Failure(node="", type="Terminated", message="Temporal no longer knows it")


async def find_listed_status(section: ArchivedRun, temporal: Temporal, store: TenantStore) -> str | None:
    """What the run of a section says of it, which is all that `temporal workflow delete` leaves of an open one.

    `running` also for a moment before it is started and after it is deleted; None: the run has no such section.
    """
    root = None if section.branch_of is None else await store.runs.get(section.branch_of.run_id)
    if root is None:
        return None
    branches = root.branches
    if root.status == "running":
        with suppress(RunForgotten, RunUnreadable, WorkerUnavailable, TemporalUnavailable):
            snapshot = await temporal.snapshot(root.run_id)
            branches = branches if snapshot is None else snapshot.branches
    return next((branch.status for branch in branches if branch.run_id == section.run_id), None)


async def _settle_replaced(
    run: ArchivedRun, execution: Execution, store: TenantStore, known: Sequence[AgentEvent]
) -> ArchivedRun:
    """The run as it ended before `execution`, which another program started under its id and which is none of it.

    `temporal workflow start` does so with the id of an ended run, and ends an open one if it is told to.
    """
    archived = await store.runs.get(run.run_id)
    if archived is not None and archived.status != "running":
        return archived
    await _require_kept(run, store)
    ended = Execution(id="", status="terminated", closed_at=execution.started_at, pending=())
    used = await store.ledger.used(run.run_id)
    elapsed = max(0.0, execution.started_at - run.started_at)
    failure = Failure(node="", type="Terminated", message=REPLACED)
    run = run.model_copy(update={"budget": Budget(used=used, elapsed=elapsed).view(), "failure": failure})
    return await _store_ended_run(run, ended, REPLACED, known, store)


REPLACED: Final = "another workflow was started under its id"


def _ended_anew(archived: ArchivedRun, execution: Execution) -> bool:
    """Whether an execution is a later one than that which a run was archived by.

    It is an earlier one where Temporal's database was restored from an older copy than the store.
    """
    if archived.execution in ("", execution.id):
        return False
    stored, closed = archived.finished_at, execution.closed_at
    return stored is None or closed is None or closed > stored


async def _require_kept(run: ArchivedRun, store: TenantStore) -> None:
    """Refuse to bring back a run that was deleted while a client still followed it."""
    asked_for = run.branch_of.run_id if run.branch_of else run.run_id
    if await store.runs.get(asked_for) is None:
        raise RunNotFound(asked_for)


async def _settle_closed(
    run: ArchivedRun, execution: Execution, temporal: Temporal, store: TenantStore, known: Sequence[AgentEvent]
) -> ArchivedRun:
    try:
        cause = await temporal.reason(run.run_id)
    except RunForgotten:
        run = run.model_copy(update={"failure": FORGOTTEN})
        return await _store_unread_run(run, execution, FORGOTTEN.message, known, temporal, store)
    except RunUnreadable as error:
        cause = error
    reason = _describe_cause(cause) if cause is not None else ""
    if execution.status == "terminated" and reason == CANNOT_CONTINUE:
        execution = replace(execution, status="cancelled")
    if execution.status in ("failed", "terminated") and cause is not None:
        kind = cause.type if isinstance(cause, ApplicationError) and cause.type else type(cause).__name__
        run = run.model_copy(update={"failure": Failure(node="", type=kind, message=reason[:2_000])})
    try:
        snapshot = await temporal.snapshot(run.run_id, closed_too=True)  # first: it gives up soonest
        events = [*known, *await _fetch_remaining_events(run.run_id, len(known), temporal)]
    except RunUnreadable:
        return await _store_unread_run(run, execution, reason, known, temporal, store)
    except WorkerUnavailable:
        if not await temporal.was_worked_on(run.run_id):  # then no worker can ever supply anything
            return await _store_unread_run(run, execution, reason, known, temporal, store)
        return _build_ended_run(run, execution, None)
    return await _store_ended_run(run, execution, reason, events, store, snapshot)


async def _store_unread_run(
    run: ArchivedRun,
    execution: Execution,
    reason: str,
    events: Sequence[AgentEvent],
    temporal: Temporal,
    store: TenantStore,
) -> ArchivedRun:
    """Archive a run that cannot be read to its end, and may have more events than `events` and its history have.

    What it used is in the ledger, and its limits are in its input, if Temporal still has that.
    """
    elapsed = max(0.0, (execution.closed_at or time.time()) - run.started_at)
    budget = Budget(used=await store.ledger.used(run.run_id), elapsed=elapsed)
    with suppress(RunForgotten, RunUnreadable):
        budget = budget.model_copy(update={"limits": (await temporal.read_input(run.run_id, execution.id)).limits})
    run = run.model_copy(update={"budget": budget.view()})
    with suppress(RunForgotten, RunUnreadable):
        events = [*events, *await temporal.carried_events(run.run_id, execution.id, len(events))]
    return await _store_ended_run(run, execution, reason, events, store)


async def _store_ended_run(
    run: ArchivedRun,
    execution: Execution,
    reason: str,
    events: Sequence[AgentEvent],
    store: TenantStore,
    snapshot: RunSnapshot | None = None,
) -> ArchivedRun:
    """Archive the run; without a snapshot `events` may not be all."""
    ended = _build_ended_run(run, execution, snapshot)
    if not events or not events[-1].terminal:
        events = [*events, last_event(ended, reason, events, complete=snapshot is not None)]
    await store.runs.archive(ended, events)
    return ended


async def _fetch_remaining_events(run_id: str, since: int, temporal: Temporal) -> list[AgentEvent]:
    events: list[AgentEvent] = []
    more = True
    while more:
        page = await temporal.progress(run_id, since + len(events))
        events += page.events
        more = page.more
    return events


def _build_ended_run(run: ArchivedRun, execution: Execution, snapshot: RunSnapshot | None) -> ArchivedRun:
    facts: dict[str, object] = {
        "execution": execution.id,
        "status": _resolve_final_status(execution, snapshot),
        "finished_at": time.time() if execution.closed_at is None else execution.closed_at,
    }
    if snapshot is not None:
        facts |= {
            "ending": snapshot.ending,
            "failure": snapshot.failure or run.failure,
            "report": snapshot.report,
            "budget": snapshot.budget,
            "iterations": snapshot.iteration,
            "steps": snapshot.step - 1,
            "evidence": snapshot.evidence_ids,
            "branches": snapshot.branches,
            "ledger": snapshot.ledger,
        }
        if run.branch_of is not None:  # the record of a section that did not archive itself was made of its id
            facts |= {"question": snapshot.question, "mode": snapshot.mode}
    return run.model_copy(update=facts)


def _resolve_final_status(execution: Execution, snapshot: RunSnapshot | None) -> RunStatus:
    """Temporal reports that a workflow completed; only the run itself knows whether that was early."""
    is_reported = execution.status == "completed" and snapshot is not None and snapshot.status != "running"
    return snapshot.status if is_reported and snapshot is not None else execution.status


_ADVICE: Final = "For further information visit"


def _describe_cause(cause: BaseException) -> str:
    """Describe why a workflow ended, on one line: clients of Temporal write anything, and Pydantic adds addresses."""
    lines = (line.strip() for line in clean_text(str(cause)).splitlines())
    text = " ".join(line for line in lines if line and not line.startswith(_ADVICE))
    if isinstance(cause, ApplicationError) and cause.type == "ValidationError":
        return f"Temporal has a result that does not have its form: {text.removeprefix('ValidationError: ')}"
    return text


def last_event(run: ArchivedRun, reason: str, before: Sequence[AgentEvent], *, complete: bool) -> AgentEvent:
    """Build the terminal event that the run did not emit; `complete` says whether `before` has all that it did emit."""
    what = "The run was ended from outside" if run.status in ("terminated", "cancelled") else f"The run {run.status}"
    return AgentEvent(
        seq=before[-1].seq + 1 if before else 1,
        type=terminal_type(run.status),
        message=f"{what}: {reason}" if reason else what,
        at=run.finished_at or time.time(),
        step=before[-1].step if before else 0,
        iteration=before[-1].iteration if before else 0,
        data={"outside": True, "status": run.status, **({} if complete else {"incomplete": True})},
    )


BATCH: Final = 100
"""Runs compared per round. The next round continues after them, and starts anew at the end."""

_log = logging.getLogger("api.reconciler")


class Reconciler:
    """Looks at the open runs, oldest first, a batch at a time."""

    def __init__(self, temporal: Temporal, store: Store) -> None:
        self._temporal = temporal
        self._store = store
        self._after: OpenRun | None = None
        self._resuming: dict[tuple[str, float | None], float] = {}
        """By id and end, when runs were first seen that had ended and hold a place for their next execution."""

    async def look(self) -> None:
        """Compares the next batch. A run that cannot be settled is logged and looked at again in its turn.

        Raises:
            TemporalUnavailable: the rest of the batch was not compared; the next look begins with it.
        """
        batch = await self._store.open_runs(after=self._after, limit=BATCH)
        for kept in batch:
            if not kept.begun and time.time() - kept.run.started_at < START_GRACE:
                continue  # it may just be being started
            self._after = kept  # whatever comes of it, the next look continues behind it
            try:
                await self._compare(kept)
            except TemporalUnavailable:
                raise
            except ElcanoError as error:
                _log.warning("run %s cannot be settled: %s", kept.run.run_id, error)
            except Exception:  # whatever is wrong with one run is nothing to the others
                _log.exception("run %s cannot be settled", kept.run.run_id)
        self._after = batch[-1] if len(batch) == BATCH else None

    async def _compare(self, kept: OpenRun) -> None:
        store = self._store.of(kept.run.tenant)
        if kept.resuming:
            await self._release_place(kept.run, store)
            return
        if not kept.begun:
            try:
                await self._temporal.describe(kept.run.run_id)
            except RunForgotten:
                await store.admission.withdraw(kept.run.run_id)
                _log.info("run %s was never started", kept.run.run_id)
                return
            await store.runs.begin(kept.run)
        settled = await archive_if_ended(kept.run, self._temporal, store)
        if settled.status != "running":
            _log.info("run %s has ended: %s", kept.run.run_id, settled.status)

    async def _release_place(self, run: ArchivedRun, store: TenantStore) -> None:
        """Give back the place of a run whose resumption died on its way, or list it if it was started."""
        key = (run.run_id, run.finished_at)
        seen = self._resuming.setdefault(key, time.monotonic())
        if time.monotonic() - seen < START_GRACE:
            return
        del self._resuming[key]
        try:
            execution = await self._temporal.describe(run.run_id)
            if execution.status == "running" and execution.is_of_run:
                await store.runs.reopen(run.run_id, execution.id)
                return
            await archive_if_ended(run, self._temporal, store)  # an execution may have ended before any worker had it
        except RunForgotten:
            pass
        await store.admission.release(run)
        _log.info("run %s was not resumed", run.run_id)
