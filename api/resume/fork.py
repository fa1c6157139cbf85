"""Runs that begin with steps of another one, and go their own way from there.

What the other run did up to there is in the new one's log and is not paid for again; what it found and drafted is kept
for both. The other run is not touched, and may have ended or not.
"""

import time
from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import FieldFault, RequestInvalid, ResumeRefused
from elcano.api.resume.resumption import RunDependencies
from elcano.api.runs.idempotent_start import RequestKey, Starter, Submission
from elcano.api.runs.model_checks import require_models
from elcano.api.runs.run_log import read_log
from elcano.api.runs.run_request import BudgetRequest
from elcano.api.runs.run_status import current_run
from elcano.graphs.contracts import Engine, ForkedFrom, ModelChoice
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.errors import EngineFault
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle import resume_input
from elcano.graphs.lifecycle.resume_points import LogPrefix, before_step
from elcano.graphs.lifecycle.start import fold
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import ResearchInput, ResumedFrom
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.plan import SectionPlan
from elcano.storage.lineage import days_of, list_entries_before_step
from elcano.storage.section_logs import shared_logs


class Fork(Frozen):
    """The changes to apply to a forked run. None: as in the original."""

    step: int
    """The first step of its own."""
    question: str | None = None
    background: str | None = None
    instructions: str | None = None
    guidance: str = ""
    """A further instruction to its agents."""
    plan: tuple[SectionPlan, ...] | None = None
    graph: ResearchGraph | None = None
    models: ModelChoice | None = None
    sources: tuple[str, ...] | None = None
    budget: BudgetRequest | None = None
    """What it may spend; what is left out is as it is there."""
    reason: str = ""


async def start_fork(
    run_id: str,
    wanted: Callable[[], Awaitable[Fork]],
    keyed: RequestKey | None,
    reached: RunDependencies,
    starter: Starter,
) -> Submission:
    """Start a run that shares the steps of `run_id` before the wanted step, unless that is refused.

    Raises:
        RunNotFound: there is no such run.
        ResumeRefused: it is a section of a run.
        InputInvalid: it has had no such step.
        RequestInvalid: a changed graph does not fit the steps that are shared, or a model has no key.
        WorkerUnavailable, RunUnreadable: the run is under way, and its log cannot be read.
        KeyReused, TooManyRuns, TemporalUnavailable, TemporalRefused: see `Starter.start`.
    """

    async def judge(own: str) -> tuple[ResearchInput, Engine]:
        return await _validate_fork(run_id, own, await wanted(), reached)

    return await starter.start(judge, keyed)


async def _validate_fork(run_id: str, own: str, wanted: Fork, reached: RunDependencies) -> tuple[ResearchInput, Engine]:
    """The input of the run `own`, and what runs it."""
    run = await current_run(run_id, reached.temporal, reached.store)
    if run.branch_of is not None:
        raise ResumeRefused(f"{run_id!r} is a section: fork the run that it belongs to, {run.branch_of.run_id!r}")
    log = await read_log(run, reached.temporal, reached.store)
    shared = log.model_copy(update={"entries": before_step(log, wanted.step).entries})
    sections = await shared_logs(shared, reached.store)
    lines = list_entries_before_step(await reached.store.ledger.entries(run_id, branches=True), run_id, wanted.step)
    searched = days_of(lines, log.asked.searched)
    asked = await run_in_threadpool(_build_fork_input, own, log, wanted, reached, sections, searched)
    require_models(asked, reached.settings)
    return asked, run.engine


def _build_fork_input(
    own: str, log: RunLog, wanted: Fork, reached: RunDependencies, sections: tuple[str, ...], searched: tuple[str, ...]
) -> ResearchInput:
    """Build the new run's input; `sections` are the logs of what it shares, `searched` the dates of its searches."""
    origin, given = log.asked, wanted.model_dump(exclude_none=True, include={"question", "background", "instructions"})
    graph = wanted.graph or origin.graph
    follows = origin.follows
    if follows is not None and wanted.question is not None:  # what the other question lacked is of no concern to it
        follows = follows.model_copy(update={"in_context": ""})
    asked = origin.model_copy(
        update={
            **given,
            "run_id": own,
            "graph": graph,
            "mode": graph.name,
            "models": wanted.models or origin.models,
            "guidance": (*origin.guidance, wanted.guidance) if wanted.guidance else origin.guidance,
            "sources": origin.sources if wanted.sources is None else wanted.sources,
            "forked_from": ForkedFrom(run_id=origin.run_id, step=wanted.step),
            "searched": searched,
            "follows": follows,
        }
    )
    cut = _fold_shared_entries(log, asked, wanted.step)
    limits = cut.run.budget.limits if wanted.budget is None else wanted.budget.limits(cut.run.budget.limits)
    entry = RunResumed(
        at=0.0,
        why="forked",
        by=reached.by,
        reason=wanted.reason,
        saved=resume_input.compute_saved_work(origin.graph, before_step(log, wanted.step)),
        from_run=origin.run_id,
        limits=limits,
        plan=wanted.plan,
    )
    found = tuple(ref.id for ref in cut.run.state.evidence)
    resumed_from = ResumedFrom(
        entry=entry, evidence=found, artifacts=(*resume_input.list_draft_artifacts(cut.run), *sections)
    )
    return resume_input.build_fork_input(asked, cut, resumed_from, time.time())


def _fold_shared_entries(log: RunLog, asked: ResearchInput, step: int) -> LogPrefix:
    """The shared entries, folded by the new run's graph and question.

    Raises:
        RequestInvalid: its graph goes another way.
    """
    cut = before_step(log, step)
    try:
        run = fold(asked, cut.entries)
    except EngineFault as error:
        message = f"it does not fit the steps that are shared, fork at an earlier one: {error}"
        raise RequestInvalid([FieldFault(field="graph", message=message)]) from error
    return cut.model_copy(update={"run": run})
