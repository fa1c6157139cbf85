"""The log of a run and its events: from the store if the run has ended, from its workflow while it is running.

A run that ended without recording it (terminated, or failed outside its own control) left no log in the store; as long
as Temporal keeps its history, a worker can read it there. A section is read by its run id too.
"""

import asyncio
from dataclasses import dataclass

from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.records import ArchivedRun, LogPage, ProgressPage, RunLog
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import RunForgotten, RunNotFound, RunUnreadable
from elcano.service.runs.run_status import find_run_record
from elcano.service.temporal.client import Temporal
from elcano.storage.store import TenantStore


async def read_log(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> RunLog:
    """All entries of `run`, as `current_run` gave it.

    Raises:
        WorkerUnavailable: it is running, and no worker answers.
        RunUnreadable: a worker cannot read it, or its record names a log that is not there.
        RunForgotten: it left no log, and Temporal does not know it any more.
        TemporalUnavailable: Temporal does not answer.
    """
    if run.status == "running" or not run.log:
        return await temporal.reads.share(("log", run.run_id), lambda: _asked_of_worker(run.run_id, temporal))
    kept = await store.artifacts.get(run.log)
    if kept is None:
        raise RunUnreadable(f"the log {run.log} of run {run.run_id!r} is not in the store any more")
    return await asyncio.to_thread(RunLog.model_validate_json, kept)


async def read_run_input(run_id: str, temporal: Temporal, store: TenantStore) -> ResearchInput:
    """The input of a run or section. Of one that is running, only the first page of its log is read.

    Raises:
        RunNotFound, WorkerUnavailable, RunUnreadable, RunForgotten, TemporalUnavailable: as `read_story`.
    """
    run = await find_run_record(run_id, temporal, store)
    if run.status != "running" and run.log:
        return (await read_log(run, temporal, store)).asked
    try:
        asked = (await temporal.reads.share(("log page", run_id), lambda: temporal.log(run_id, 0))).asked
    except RunForgotten as error:
        raise _explain_forgotten(run, error) from None
    except RunUnreadable:
        if run.status == "running":
            raise
        return await temporal.read_input(run_id, run.execution)  # the server has it, and needs no worker for it
    assert asked is not None, "the first page says what was asked for"
    return asked


async def _asked_of_worker(run_id: str, temporal: Temporal) -> RunLog:
    """Page by page. A run only gets longer, unless it is taken back meanwhile: then it is read anew."""
    pages: list[LogPage] = [await temporal.log(run_id, 0)]
    while pages[-1].more:
        page = await temporal.log(run_id, sum(len(one.entries) for one in pages))
        pages = [*pages, page] if page.entries else [await temporal.log(run_id, 0)]
    asked = pages[0].asked
    assert asked is not None, "the first page says what was asked for"
    entries = tuple(entry for page in pages for entry in page.entries)
    return RunLog(asked=asked, entries=entries, run=await asyncio.to_thread(fold, asked, entries))


@dataclass(frozen=True)
class RunHistory:
    """A run and how it came about."""

    run: ArchivedRun
    log: RunLog
    events: tuple[AgentEvent, ...]

    @property
    def going_on(self) -> bool:
        """It has not ended."""
        return self.run.status == "running"


async def read_story(run_id: str, temporal: Temporal, store: TenantStore) -> RunHistory:
    """A run or section as it is.

    Raises:
        RunNotFound: there is no such run.
        WorkerUnavailable: it is running, and no worker answers.
        RunUnreadable: a worker cannot read it, or its record names a log that is not there.
        RunForgotten: it left no log, and Temporal does not know it any more.
        TemporalUnavailable: it is running, and Temporal does not answer.
    """
    run = await find_run_record(run_id, temporal, store)
    try:
        log = await read_log(run, temporal, store)
        events = await _load_run_events(run, temporal, store)
    except RunForgotten as error:
        raise _explain_forgotten(run, error) from None
    return RunHistory(run, log, events)


async def find_unread_run(
    run_id: str, temporal: Temporal, store: TenantStore
) -> tuple[ArchivedRun, tuple[AgentEvent, ...]] | None:
    """Return an ended run whose log cannot be read, with the events that are stored; None if it has not ended."""
    run = await find_run_record(run_id, temporal, store)
    if run.status == "running":
        return None
    return run, tuple(await store.runs.events(run_id))


def _explain_forgotten(run: ArchivedRun, error: RunForgotten) -> RunForgotten | RunNotFound:
    """The error of a run that Temporal does not know; of a running section, only its id says that it exists."""
    made_up = run.branch_of is not None and run.status == "running"
    return RunNotFound(run.run_id) if made_up else error


async def _load_run_events(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> tuple[AgentEvent, ...]:
    if run.status != "running":
        return tuple(await store.runs.events(run.run_id))
    return await temporal.reads.share(("events", run.run_id), lambda: _ask_worker_for_events(run.run_id, temporal))


async def _ask_worker_for_events(run_id: str, temporal: Temporal) -> tuple[AgentEvent, ...]:
    pages: list[ProgressPage] = [await temporal.progress(run_id, 0)]
    while pages[-1].more:
        pages.append(await temporal.progress(run_id, pages[-1].last))
    return tuple(event for page in pages for event in page.events)
