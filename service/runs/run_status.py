"""Status of a run: from the store if it has ended, from its workflow while it runs.

Someone who asks always gets an answer: if neither a worker nor Temporal knows more, what is stored is shown as
stale, with what Temporal is waiting for.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from elcano.graphs.records import ArchivedRun, RunSnapshot
from elcano.graphs.state.budget import Usage, usd_from_microusd
from elcano.service.errors import (
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    WorkerUnavailable,
)
from elcano.service.runs.endings import FORGOTTEN, archive_if_ended, find_listed_status
from elcano.service.runs.pending_calls import (
    find_queue_faults,
    join_blocked,
    mark_idle_workflows,
    mark_unserved,
    put_faults,
)
from elcano.service.runs.run_view import RunView, Spent
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.executions import Execution, PendingActivity
from elcano.storage.store import TenantStore

SECTION: Final = "."
"""Parts the id of a run from what comes behind it in the ids of its sections."""
LISTED_SECTIONS: Final = 50
"""Open sections that are looked at for a list of runs."""
ASKED_BRANCHES: Final = 20
"""Sections whose pending calls are shown, the first ones that are open."""


async def kept_run(run_id: str, store: TenantStore) -> ArchivedRun:
    """A run as it is stored.

    Raises:
        RunNotFound: there is no such run.
    """
    run = await store.runs.get(run_id)
    if run is None:
        raise RunNotFound(run_id)
    return run


async def current_run(run_id: str, temporal: Temporal, store: TenantStore) -> ArchivedRun:
    """Return a run as stored, or as open if it was reset since, whatever its record says.

    The execution decides. If Temporal cannot be asked, or no longer knows the run, what is stored holds.

    Raises:
        RunNotFound: there is no such run.
    """
    run = await kept_run(run_id, store)
    return run.without_end() if await goes_on(run, temporal) else run


async def find_run_record(run_id: str, temporal: Temporal, store: TenantStore) -> ArchivedRun:
    """The record of a run as `current_run`; for a section that has not ended, and so has none, one made of its id.

    Raises:
        RunNotFound: there is no such run, nor one that it could be a section of.
    """
    root_id, _, section = run_id.partition(SECTION)
    try:
        return await current_run(run_id, temporal, store)
    except RunNotFound:
        root = await store.runs.get(root_id) if section else None
        if root is None:
            raise
    branch_of = {"run_id": root_id, "path": section, "section": section}
    return ArchivedRun.model_validate(
        {
            **root.model_dump(include={"question", "mode", "tenant", "engine", "priority", "sources", "started_at"}),
            "run_id": run_id,
            "status": "running",
            "branch_of": branch_of,
        }
    )


async def find_existing_run(run_id: str, temporal: Temporal, store: TenantStore) -> ArchivedRun:
    """The record of a run or section as `find_run_record`, once Temporal knows of a section that has no record.

    Raises:
        RunNotFound: there is no such run.
        TemporalUnavailable: it would be a section that is running, and Temporal does not answer.
    """
    run = await find_run_record(run_id, temporal, store)
    if run.branch_of is None or run.status != "running":
        return run
    try:
        await temporal.describe(run_id)
        snapshot = await temporal.snapshot(run_id)
    except RunForgotten:
        raise RunNotFound(run_id) from None
    except (WorkerUnavailable, RunUnreadable):
        return run
    return run if snapshot is None else run.model_copy(update={"question": snapshot.question, "mode": snapshot.mode})


async def goes_on(run: ArchivedRun, temporal: Temporal) -> bool:
    """Return whether an ended run has a new execution, so that its stored ending no longer holds."""
    last = await _find_last_execution(run, temporal)
    return last is not None and last.id != run.execution


async def is_end_final(run: ArchivedRun, temporal: Temporal) -> bool:
    """Return whether nothing can follow the stored ending of a run, as far as Temporal knows.

    A run is archived in the workflow task that ends it. If a signal comes meanwhile, the server rejects that end, and
    the run is archived again, with more events.
    """
    last = await _find_last_execution(run, temporal)
    return last is None or (last.id == run.execution and last.status != "running")


async def _find_last_execution(run: ArchivedRun, temporal: Temporal) -> Execution | None:
    """The last execution of an ended run; None if Temporal does not say at once, or it is another program's.

    Temporal is only glanced at: what was shown of a run is there without it, and without waiting for it.
    """
    if run.status == "running" or not run.execution:
        return None
    try:
        last = await temporal.glance.last_execution(run.run_id)
    except (RunForgotten, TemporalUnavailable, TemporalRefused):
        return None
    return last if last.is_of_run else None


async def refresh_listed_runs(runs: Iterable[RunView], temporal: Temporal, store: TenantStore) -> list[RunView]:
    """Add stage and spending to the running runs of a list; a run that Temporal does not answer for is marked stale."""
    listed = list(runs)
    running = {run.run_id for run in listed if run.status == "running"}
    seen, used = await asyncio.gather(
        temporal.glance.executions(running, lately=True), store.ledger.used_by_each(running)
    )
    open_sections = [section for one in seen.values() for section in one.sections][:LISTED_SECTIONS]
    sections = await temporal.glance.executions(open_sections, lately=True)
    seen, sections = await mark_idle_workflows(seen, temporal), await mark_idle_workflows(sections, temporal)
    calls = [call for one in (*seen.values(), *sections.values()) for call in one.pending]
    faults = await find_queue_faults(calls, temporal)
    return [
        _update_from_execution(run, seen.get(run.run_id), used[run.run_id], sections, faults)
        if run.run_id in running
        else run
        for run in listed
    ]


def _update_from_execution(
    run: RunView,
    execution: Execution | None,
    used: Usage,
    sections: Mapping[str, Execution],
    faults: Mapping[str, str],
) -> RunView:
    """Show one run; if its workflow is closed its ending is about to be stored, and is not known until then."""
    run = run.model_copy(update={"spent": Spent(tokens=used.tokens, cost_usd=usd_from_microusd(used.cost_microusd))})
    if execution is None:
        return run.model_copy(update={"stale": True})
    own = [sections[name] for name in execution.sections if name in sections]
    pending = put_faults([call for one in (execution, *own) for call in one.pending], faults)
    blocked = join_blocked(execution.blocked, ((one.section, one) for one in own), pending)
    return run.model_copy(update={"blocked": blocked}).at_a_glance(execution)


async def read_run(run_id: str, temporal: Temporal, store: TenantStore, *, pending: bool = True) -> RunView:
    """A run or section as it is now; unless `pending`, without what Temporal waits for, which takes longest.

    Raises:
        RunNotFound: there is no such run.
    """
    view = await _read_view(run_id, temporal, store, pending=pending)
    if not view.branches:
        return view
    done, evidence = await asyncio.gather(
        store.ledger.progress_of_branches(run_id), store.evidence.count_of_branches(run_id)
    )
    return view.with_sections(done, evidence)


async def _read_view(run_id: str, temporal: Temporal, store: TenantStore, *, pending: bool) -> RunView:
    run = await find_run_record(run_id, temporal, store)
    if run.status != "running":
        return RunView.of(run).with_spent(await store.ledger.used(run_id))
    if run.branch_of is not None:
        return await _read_open_section(run, temporal, store)
    try:
        snapshot, execution = await asyncio.gather(
            temporal.reads.share(("snapshot", run_id), partial(temporal.snapshot, run_id)),
            temporal.reads.share(("description", run_id), partial(temporal.describe, run_id))
            if pending
            else _do_nothing(),
        )
    except (WorkerUnavailable, RunForgotten, RunUnreadable):
        return await _without_worker(run, temporal, store)
    except TemporalUnavailable:
        return _build_stale_view(run)
    if snapshot is None:
        return RunView.of(await archive_if_ended(run, temporal, store))
    if snapshot.status != "running":  # its end is archived before it says so
        return RunView.of(await current_run(run_id, temporal, store))
    spent = await store.ledger.used(run_id)
    waiting: tuple[PendingActivity, ...] = ()
    blocked = ""
    if execution is not None:
        sections = await _glance_at_branches(snapshot, temporal)
        of_sections = [one.model_copy(update={"section": title}) for title, seen in sections for one in seen.pending]
        waiting = await mark_unserved([*execution.pending, *of_sections], temporal)
        blocked = join_blocked(execution.blocked, sections, waiting)
    return RunView.of(run).at(snapshot, spent, waiting, time.time()).model_copy(update={"blocked": blocked})


async def _read_open_section(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> RunView:
    """A section whose end is not in the store, where the section puts it unless it is ended from outside.

    Raises:
        RunNotFound: only its id says that it exists.
    """
    try:
        execution = await temporal.describe(run.run_id)
        snapshot = await temporal.snapshot(run.run_id)
    except RunForgotten:
        listed = await find_listed_status(run, temporal, store)
        if listed is None:
            raise RunNotFound(run.run_id) from None
        if listed == "running":
            return _build_stale_view(run)
        return RunView.of(run.model_copy(update={"status": "terminated", "failure": FORGOTTEN}))
    except (WorkerUnavailable, RunUnreadable):
        return await _build_view_of_server(run, execution, temporal)
    except TemporalUnavailable:
        return _build_stale_view(run)
    if snapshot is None:
        return RunView.of(await archive_if_ended(run, temporal, store))
    shown = run.model_copy(update={"question": snapshot.question, "mode": snapshot.mode})
    pending = await mark_unserved(execution.pending, temporal)
    view = RunView.of(shown).at(snapshot, await store.ledger.used(run.run_id), pending, time.time())
    return view.model_copy(update={"blocked": join_blocked(execution.blocked, pending=pending)})


async def _do_nothing() -> None:
    """Do nothing, in place of a look."""


async def _glance_at_branches(snapshot: RunSnapshot, temporal: Temporal) -> list[tuple[str, Execution]]:
    """The sections that are researched, by title, as Temporal has them."""
    open_branches = [branch for branch in snapshot.branches if branch.status == "running"][:ASKED_BRANCHES]
    seen = await temporal.glance.executions([branch.run_id for branch in open_branches])
    # One that is not there was announced, and not started yet.
    return [(branch.section, seen[branch.run_id]) for branch in open_branches if branch.run_id in seen]


async def _without_worker(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> RunView:
    """Return the server's own knowledge."""
    try:
        settled = await archive_if_ended(run, temporal, store)
        if settled.status != "running":
            return RunView.of(settled)
        execution = await temporal.describe(run.run_id)
    except (RunForgotten, TemporalUnavailable):
        return _build_stale_view(run)
    return await _build_view_of_server(run, execution, temporal)


def _build_stale_view(run: ArchivedRun) -> RunView:
    """The run as it is stored."""
    return RunView.of(run).model_copy(update={"worker": "not answering", "stale": True})


async def _build_view_of_server(run: ArchivedRun, execution: Execution, temporal: Temporal) -> RunView:
    """The run as it is stored, with what the server knows of it and of its sections, as in a list."""
    seen = await temporal.glance.executions(execution.sections[:ASKED_BRANCHES])
    execution, *own = (await mark_idle_workflows({run.run_id: execution, **seen}, temporal)).values()
    of_sections = [call.model_copy(update={"section": one.section}) for one in own for call in one.pending]
    pending = await mark_unserved([*execution.pending, *of_sections], temporal)
    blocked = join_blocked(execution.blocked, ((one.section, one) for one in own), pending)
    return _build_stale_view(run).at_a_glance(execution).model_copy(update={"pending": pending, "blocked": blocked})
