"""All of a run as those need it who look back: its record, its log, its events; of a section too, by its run id.

From the store of a run that has ended, without Temporal and without a worker; from its workflow while it goes on.
"""

from dataclasses import dataclass
from typing import Final

from elcano.api.http.errors import RunForgotten, RunNotFound
from elcano.api.runs.logs import read_log
from elcano.api.runs.run_status import current_run
from elcano.api.temporal.client import Temporal
from elcano.graphs.records import ArchivedRun, ProgressPage, RunLog
from elcano.graphs.state.events import AgentEvent
from elcano.storage.store import TenantStore

_SECTION: Final = "."
"""Parts the id of a run from what comes behind it in the ids of its sections."""


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
    """A run or section as it stands.

    Raises:
        RunNotFound: there is no such run.
        WorkerUnavailable: it goes on, and no worker answers.
        RunUnreadable: a worker cannot read it, or its record names a log that is not there.
        RunForgotten: it left no log, and Temporal does not know it any more.
        TemporalUnavailable: it goes on, and Temporal does not answer.
    """
    run = await _find_run_record(run_id, temporal, store)
    try:
        log = await read_log(run, temporal, store)
        events = await _load_run_events(run, temporal, store)
    except RunForgotten:
        if run.branch_of is not None and run.status == "running":  # nobody but its id says that there is one
            raise RunNotFound(run_id) from None
        raise
    return RunHistory(run, log, events)


async def _find_run_record(run_id: str, temporal: Temporal, store: TenantStore) -> ArchivedRun:
    """Return the record of a run; for a section that has not ended, and so has none, build one from its id."""
    root_id, _, section = run_id.partition(_SECTION)
    try:
        return await current_run(run_id, temporal, store)
    except RunNotFound:
        root = await store.runs.get(root_id) if section else None
        if root is None:
            raise
    branch_of = {"run_id": root_id, "path": section, "section": section}
    return ArchivedRun.model_validate(
        {
            **root.model_dump(include={"question", "mode", "tenant", "engine", "started_at"}),
            "run_id": run_id,
            "status": "running",
            "branch_of": branch_of,
        }
    )


async def _load_run_events(run: ArchivedRun, temporal: Temporal, store: TenantStore) -> tuple[AgentEvent, ...]:
    if run.status != "running":
        return tuple(await store.runs.events(run.run_id))
    pages: list[ProgressPage] = [await temporal.progress(run.run_id, 0)]
    while pages[-1].more:
        pages.append(await temporal.progress(run.run_id, pages[-1].last))
    return tuple(event for page in pages for event in page.events)
