"""Runs that go on: resumed after their end, or taken back to before one of their steps.

What is kept is read off the logs of the run and of its sections, and a new execution of the same workflow begins with
it. Only one execution of a workflow can be open, so of two requests at once one is refused. A request that is sent
again under its id gets its first answer: the execution knows the id that it was begun under.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from elcano.api.control.requests import send_control
from elcano.api.http.errors import ControlRefused, KeyReused, ResumeRefused, RunForgotten
from elcano.api.runs.endings import archive_if_ended
from elcano.api.runs.model_checks import assign_model_queues, require_models
from elcano.api.runs.run_log import read_log
from elcano.api.runs.run_status import current_run
from elcano.api.temporal.client import Temporal
from elcano.graphs.contracts import DiscardedWork, ModelChoice
from elcano.graphs.engine.control_actions import RollBack
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.errors import RunOpen
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.lifecycle import resume_input
from elcano.graphs.lifecycle.resume_points import CannotResume, LogPrefix, before_step
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.run_contracts import ControlRequest, OpenBranch, ResumedFrom
from elcano.graphs.state.branches import KeptBranch, ReusedWork
from elcano.graphs.state.budget import TopUp
from elcano.settings.settings import Settings
from elcano.storage.controls import ControlOutcome
from elcano.storage.store import TenantStore


class Resumption(Frozen):
    """How a run is to be resumed."""

    extra: TopUp = TopUp()
    models: ModelChoice | None = None
    """Other models from here on."""
    sources: tuple[str, ...] | None = None
    sections: tuple[str, ...] = ()
    """Titles of sections to be researched on; empty: those that are missing."""
    reason: str = ""


class ResumedRun(Frozen):
    """A run that goes on."""

    run_id: str
    step: int
    """The step that comes next."""
    node: str
    saved: ReusedWork


@dataclass(frozen=True)
class RunDependencies:
    """The dependencies of a request about a run."""

    temporal: Temporal
    store: TenantStore
    settings: Settings
    by: str = ""
    """Who asks, where that is known."""


async def resume_ended_run(run_id: str, wanted: Resumption, request_id: str, reached: RunDependencies) -> ResumedRun:
    """The run goes on from where it failed, was stopped or ended too early.

    Raises:
        RunNotFound: there is no such run.
        RunOpen: it has not ended.
        ResumeRefused: it cannot go on so; the text says why.
        RequestInvalid: a model has no key.
        InputInvalid: it has no section of that title.
        KeyReused: the id came with another request before.
        TemporalUnavailable: nothing was begun, or it is not known; the same request under the same id is safe.
    """
    run = await _load_settled_run(run_id, reached)
    known = await _find_previous_answer(run, wanted, request_id, reached)
    if known is not None:
        return known
    _require_ended(run)
    log = await read_log(run, reached.temporal, reached.store)
    asked = log.asked.model_copy(
        update={
            "models": log.asked.models if wanted.models is None else wanted.models,
            "sources": log.asked.sources if wanted.sources is None else wanted.sources,
        }
    )
    require_models(asked, reached.settings)
    asked = await assign_model_queues(asked, reached.temporal, reached.settings)
    log = log.model_copy(update={"asked": asked})
    now, titles = time.time(), frozenset(wanted.sections)
    try:
        cut = resume_input.where_to_resume(run, log, extra=wanted.extra, titles=titles, now=now)
    except CannotResume as error:
        raise ResumeRefused(str(error)) from error
    resumed_from = await _plan_resume(run, log, cut, wanted, titles, now, reached)
    return await _go_on(run, log, cut, resumed_from, request_id, reached)


async def roll_back(run_id: str, step: int, reason: str, request_id: str, reached: RunDependencies) -> ResumedRun:
    """Roll a run back to before `step`; a run under way gives up its current work and rolls back by itself.

    Raises:
        RunNotFound: there is no such run.
        ResumeRefused: it is a section of a run.
        InputInvalid: there is no such step.
        ControlRefused: it is under way and refuses.
        KeyReused, TemporalUnavailable, OutcomeUnknown: see `controls.request_control`.
    """
    run = await _load_settled_run(run_id, reached)
    wanted = RollBack(step=step, reason=reason)
    known = await _find_previous_answer(run, wanted, request_id, reached)
    if known is not None:
        return known
    log = await read_log(run, reached.temporal, reached.store)
    cut = before_step(log, step)
    saved = resume_input.compute_saved_work(log.asked.graph, cut)
    if run.status == "running":
        outcome = await send_control(run_id, ControlRequest(action=wanted, by=reached.by), request_id, reached.temporal)
        if not outcome.accepted:
            await reached.store.controls.settle(run_id, request_id, outcome)
            raise ControlRefused(outcome.text)
        return await _record_answer(
            ResumedRun(run_id=run_id, step=step, node=cut.run.node, saved=saved), request_id, reached
        )
    resumed_from = resume_input.build_rollback(log, cut, by=reached.by, reason=reason)
    return await _go_on(run, log, cut, resumed_from, request_id, reached)


async def _load_settled_run(run_id: str, reached: RunDependencies) -> ArchivedRun:
    """Return the current state of a run, settling it first if it was ended from outside unnoticed."""
    run = await current_run(run_id, reached.temporal, reached.store)
    if run.status == "running":
        run = await archive_if_ended(run, reached.temporal, reached.store)
    if run.branch_of is not None:
        raise ResumeRefused(f"{run_id!r} is a section of {run.branch_of.run_id!r}: ask that of the run, with the title")
    return run


def _require_ended(run: ArchivedRun) -> None:
    if run.status == "running":
        raise RunOpen(f"the run {run.run_id!r} has not ended: stop it, top it up, or roll it back")


async def _find_previous_answer(
    run: ArchivedRun, wanted: Frozen, request_id: str, reached: RunDependencies
) -> ResumedRun | None:
    """Return the earlier answer to this request; None if there was none and the request is to be carried out."""
    sent = sha256(wanted.model_dump_json().encode()).hexdigest()
    claim = await reached.store.controls.claim(run.run_id, request_id, sent)
    if claim.request_hash != sent:
        raise KeyReused(f"the key {request_id!r} was sent to run {run.run_id!r} with another request; take a new one")
    if claim.outcome is not None and not claim.outcome.accepted:
        raise ControlRefused(claim.outcome.text)
    if claim.outcome is not None:
        return ResumedRun.model_validate_json(claim.outcome.text)
    begun = None if claim.mine else await reached.temporal.begun_by(run.run_id)
    if begun is None or begun.get("request") != request_id:
        return None
    return await _record_answer(ResumedRun.model_validate(begun["answer"]), request_id, reached)


async def _record_answer(answer: ResumedRun, request_id: str, reached: RunDependencies) -> ResumedRun:
    outcome = ControlOutcome(accepted=True, text=answer.model_dump_json())
    await reached.store.controls.settle(answer.run_id, request_id, outcome)
    return answer


async def _plan_resume(
    run: ArchivedRun,
    log: RunLog,
    cut: LogPrefix,
    wanted: Resumption,
    titles: frozenset[str],
    now: float,
    reached: RunDependencies,
) -> ResumedFrom:
    """How a run, or a section, goes on: with what its own sections have."""
    kept, open_branches = await _list_resumed_branches(run, log, cut, wanted, titles, now, reached)
    entry = RunResumed(
        at=0.0,
        why="resumed",
        by=reached.by,
        reason=wanted.reason,
        saved=resume_input.compute_saved_work(log.asked.graph, cut, kept, open_branches),
        kept=tuple(one.run_id for one in kept),
        open=tuple(one.run_id for one in open_branches),
    )
    undone: DiscardedWork = resume_input.build_undo_record(run.run_id, cut)
    return ResumedFrom(entry=entry, undone=(undone,), kept=tuple(kept), open=tuple(open_branches))


async def _list_resumed_branches(
    run: ArchivedRun,
    log: RunLog,
    cut: LogPrefix,
    wanted: Resumption,
    titles: frozenset[str],
    now: float,
    reached: RunDependencies,
) -> tuple[Sequence[KeptBranch], Sequence[OpenBranch]]:
    """Return the sections of the fan-out that a run resumes with: those that are done, and those to resume.

    Of one that left no log, because it was ended from outside, nothing is known: it begins anew.
    """
    if not resume_input.goes_on_with_branches(log.asked.graph, cut.run):
        return (), ()
    begun, older = resume_input.branches_in_force(run.run_id, log, cut.run.step)
    ended = await reached.store.runs.branches(run.run_id, cut.run.step)
    await _require_no_other([one.run_id for one in run.branches], {one.run_id for one in ended}, reached)
    kept: list[KeptBranch] = []
    going_on: list[OpenBranch] = []
    for branch in ended:
        if not branch.log or not (branch.run_id.startswith(begun) or branch.run_id in older):
            continue
        own = await read_log(branch, reached.temporal, reached.store)
        if resume_input.is_kept(branch, wanted.extra, titles):
            kept.append(resume_input.kept_branch(branch, own))
            continue
        changed: dict[str, object] = {"models": log.asked.models, "model_providers": log.asked.model_providers}
        if wanted.sources is not None:
            changed["sources"] = wanted.sources
        own = own.model_copy(update={"asked": own.asked.model_copy(update=changed)})
        place = resume_input.where_to_resume(
            branch, own, extra=wanted.extra, titles=frozenset(), now=now, limited=False
        )
        resumed_from = await _plan_resume(branch, own, place, wanted, frozenset(), now, reached)
        going_on.append(resume_input.open_branch(branch, own, place, resumed_from))
    return kept, going_on


async def _require_no_other(known: Iterable[str], ended: Collection[str], reached: RunDependencies) -> None:
    """Sections end after the run that was taken from them; what they have is only known then.

    Raises:
        ResumeRefused: one is still at it.
    """
    for branch in known:
        if branch in ended:
            continue
        try:
            execution = await reached.temporal.describe(branch)
        except RunForgotten:
            continue
        if execution.status == "running":
            raise ResumeRefused(f"its section {branch!r} is still ending: ask again in a few seconds")


async def _go_on(
    run: ArchivedRun, log: RunLog, cut: LogPrefix, resumed_from: ResumedFrom, request_id: str, reached: RunDependencies
) -> ResumedRun:
    """Begins the next execution of a run that has ended."""
    events = await reached.store.runs.events(run.run_id)
    asked = resume_input.going_on(log.asked, cut, resumed_from, events, run.started_at)
    answer = ResumedRun(run_id=run.run_id, step=cut.run.step, node=cut.run.node, saved=resumed_from.entry.saved)
    begun: JsonObject = {"request": request_id, "answer": answer.model_dump(mode="json")}
    execution = await reached.temporal.go_on(asked, run.engine, begun)
    if execution is None:
        raise RunOpen(f"the run {run.run_id!r} goes on already: somebody was quicker")
    await reached.store.runs.reopen(run.run_id, execution)
    return await _record_answer(answer, request_id, reached)
