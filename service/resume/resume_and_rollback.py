"""Resuming runs after their end, and rolling them back to before one of their steps.

The kept work is read from the logs of the run and of its sections, and a new execution of the same workflow starts with
it. Only one execution of a workflow can be open, so of two concurrent requests one is refused. A repeated request with
the same id gets its first answer: the execution knows the id that it was started under.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field

from elcano.graphs.contracts import DiscardedWork
from elcano.graphs.engine.control_actions import RollBack
from elcano.graphs.engine.entries import RunResumed
from elcano.graphs.errors import RunOpen
from elcano.graphs.frozen import JsonObject
from elcano.graphs.graph_traits import read_graph_traits
from elcano.graphs.lifecycle import resume_input
from elcano.graphs.lifecycle.resume_points import CannotResume
from elcano.graphs.lifecycle.start_and_fold import (
    LogPrefix,
    before_step,
    build_rollback,
    build_undo_record,
    compute_saved_work,
    going_on,
)
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.run_contracts import ControlRequest, OpenBranch, ResearchInput, ResumedFrom
from elcano.graphs.state.branches import KeptBranch, ReusedWork
from elcano.graphs.state.budget import Limits, TopUp, usd_from_microusd
from elcano.service.control.actions import TopUpBody
from elcano.service.control.requests import claim_request, send_control, unwrap_outcome
from elcano.service.errors import FieldFault, RequestInvalid, ResumeRefused, RunForgotten
from elcano.service.fields import EXAMPLE_RUN, Described, Request, Text
from elcano.service.process import Services
from elcano.service.runs.endings import archive_if_ended
from elcano.service.runs.judgement import Refusals
from elcano.service.runs.mode_checks import find_allowance_faults
from elcano.service.runs.model_checks import (
    assign_model_queues,
    find_model_name_faults,
    find_price_faults,
    judge_models,
    list_called_models,
    list_model_queues,
    read_model_choice,
)
from elcano.service.runs.run_log import read_log
from elcano.service.runs.run_request import ModelRequest, default_model
from elcano.service.runs.run_status import current_run
from elcano.service.runs.submission import continue_run
from elcano.service.runs.trust_checks import find_model_contact_faults, narrow_sources
from elcano.service.source_survey import add_own_sources, find_source_faults, survey_sources
from elcano.storage.runs import ControlOutcome

Model = Annotated[
    ModelRequest | None,
    BeforeValidator(default_model, json_schema_input_type=Annotated[str, Field()] | ModelRequest | None),
]
SourceNames = list[Annotated[str, Field(max_length=100)]]


class ResumeBody(Request):
    """Changes since the run ended; all of them are optional."""

    reason: Text = Field(default="", max_length=500, examples=["The key works again."])
    """Shown in the events."""
    add: TopUpBody | None = None
    """Additional budget."""
    model: Model = Field(default=None, examples=["openai:gpt-5.1"])
    """Which models answer from here on, as in the request for a run; left out: as before."""
    sources: SourceNames | None = Field(default=None, min_length=1, max_length=50, examples=[["packages"]])
    """The sources from here on; left out: as before."""
    sections: list[Annotated[str, Field(max_length=500)]] = Field(default=[], max_length=200, examples=[["Costs"]])
    """Titles of sections to research further, whatever their outcome; left out: those that are missing."""


class RollBackBody(Request):
    """The step to roll back to."""

    step: int = Field(ge=1, le=100_000, examples=[4])
    """The step before which it is to be again; `GET /v1/runs/{run_id}/steps` lists them."""
    reason: Text = Field(default="", max_length=500, examples=["The plan misses the point."])
    """Shown in the events."""


class ReusedWorkView(Described):
    """The work that is reused, and so not paid for again."""

    steps: int = Field(examples=[5])
    """Steps of the run."""
    calls: int = Field(examples=[21])
    """Calls of agents and tools, including those of sections that are kept or continue."""
    sections: int = Field(examples=[7])
    """Sections that have ended."""
    tokens: int = Field(examples=[180_000])
    """Tokens that they used."""
    cost_usd: float = Field(examples=[0.42])
    """Cost in US dollars."""


class ResumeAccepted(Described):
    """The run continues."""

    run_id: str = Field(examples=[EXAMPLE_RUN])
    """The run."""
    step: int = Field(examples=[6])
    """The step that comes next."""
    node: str = Field(examples=["parallel_loops"])
    """Its node."""
    kept: ReusedWorkView
    """The reused work."""

    @classmethod
    def of(cls, run_id: str, cut: LogPrefix, saved: ReusedWork) -> "ResumeAccepted":
        """Build the answer for a run that continues from the end of `cut`."""
        kept = ReusedWorkView.from_record(saved, cost_usd=usd_from_microusd(saved.cost_microusd))
        return cls(run_id=run_id, step=cut.run.step, node=cut.run.node, kept=kept)


async def resume_ended_run(
    run_id: str, wanted: ResumeBody, request_id: str, services: Services, by: str
) -> ResumeAccepted:
    """Continue the run from where it failed, was stopped or ended too early.

    Raises:
        RunNotFound: there is no such run.
        RunOpen: it has not ended.
        ResumeRefused: it cannot continue this way; the text says why.
        RequestInvalid: sources or models are unavailable here; with all faults.
        InputInvalid: it has no section of that title, or nothing is added.
        KeyReused: the id came with another request before.
        TemporalUnavailable: nothing was started, or it is not known; the same request under the same id is safe.
    """
    refused = await judge_names(wanted.model, wanted.sources, services)
    refused.require_none()
    extra = TopUp() if wanted.add is None else wanted.add.build_top_up()
    run = await _load_settled_run(run_id, services)
    if (known := await _find_previous_answer(run, wanted, request_id, services)) is not None:
        return known
    if run.status == "running":
        helps = "stop it, top it up, or roll it back; pause and unpause it to have a held call tried at once"
        raise RunOpen(f"the run {run.run_id!r} has not ended: {helps}")
    log = await read_log(run, services.temporal, services.store)
    asked = with_changes(log.asked, wanted.model, wanted.sources)
    refused.faults += await judge_run_models(asked, services)
    refused.require_none()
    asked = assign_model_queues(asked, services.settings)
    plan = _ResumePlan(wanted, extra, asked, by, time.time(), services)
    log = log.model_copy(update={"asked": asked})
    titles = frozenset(wanted.sections)
    try:
        cut = resume_input.where_to_resume(run, log, extra=extra, titles=titles, now=plan.now)
    except CannotResume as error:
        raise ResumeRefused(str(error)) from error
    return await _go_on(run, log, cut, await plan.resume(run, log, cut, titles), request_id, services)


async def judge_names(model: ModelRequest | None, sources: Sequence[str] | None, services: Services) -> Refusals:
    """List the faults of models and sources that a request changes."""
    refused = Refusals()
    if sources:
        known = await add_own_sources(services.sources, services.store)
        survey = await survey_sources(known, services.temporal.workers, services.settings, sources)
        refused.faults += find_source_faults("sources", sources, survey)
    if model is not None:
        refused.faults += find_model_name_faults(read_model_choice(model))
    return refused


async def judge_run_models(asked: ResearchInput, services: Services, limits: Limits | None = None) -> list[FieldFault]:
    """List the faults of the models of a run that is resumed, forked or changed; `limits`, if they are known by now."""
    settings = services.settings
    graph = read_graph_traits(asked.graph)
    queues = list_model_queues(list_called_models(graph.callees, asked.models, settings), settings)
    unpolled = (await services.temporal.workers.survey(queues)).unpolled if queues else {}
    barred = find_allowance_faults(services.allowance, graph, asked.models, settings)
    unreachable = find_model_contact_faults(asked.trust, graph.callees, asked.models, settings)
    unreachable += narrow_sources(asked.trust, asked.sources, asked.sources, services.sources.specs, settings)[1]
    unpriced = [] if limits is None else find_price_faults(limits, graph.callees, asked.models, settings)
    return [*judge_models(asked.models, graph, asked.sources, unpolled, settings), *barred, *unreachable, *unpriced]


def with_changes(asked: ResearchInput, model: ModelRequest | None, sources: Sequence[str] | None) -> ResearchInput:
    """A run's input with other models and sources, as far as they are named."""
    changed: dict[str, object] = {} if model is None else {"models": read_model_choice(model)}
    if sources is not None:
        changed["sources"] = tuple(dict.fromkeys(sources))
    return asked.model_copy(update=changed)


async def roll_back(run_id: str, wanted: RollBackBody, request_id: str, services: Services, by: str) -> ResumeAccepted:
    """Roll a run back to before a step; a run under way gives up its current work and rolls back by itself.

    Raises:
        RunNotFound: there is no such run.
        ResumeRefused: it is a section of a run.
        InputInvalid: there is no such step.
        ControlRefused: it is under way and refuses.
        KeyReused, TemporalUnavailable, OutcomeUnknown: see `controls.request_control`.
    """
    run = await _load_settled_run(run_id, services)
    if (known := await _find_previous_answer(run, wanted, request_id, services)) is not None:
        return known
    log = await read_log(run, services.temporal, services.store)
    cut = before_step(log, wanted.step)
    if run.status != "running":
        resumed_from = build_rollback(log, cut, by=by, reason=wanted.reason)
        return await _go_on(run, log, cut, resumed_from, request_id, services)
    saved = compute_saved_work(log.asked.graph, cut)
    action = RollBack(step=wanted.step, reason=wanted.reason)
    outcome = await send_control(run_id, ControlRequest(action=action, by=by), request_id, services.temporal)
    if not outcome.accepted:
        await services.store.controls.settle(run_id, request_id, outcome)
    unwrap_outcome(outcome)
    return await _record_answer(ResumeAccepted.of(run_id, cut, saved), request_id, services)


async def _load_settled_run(run_id: str, services: Services) -> ArchivedRun:
    """Return the current state of a run, settling it first if it was ended from outside unnoticed."""
    run = await current_run(run_id, services.temporal, services.store)
    if run.status == "running":
        run = await archive_if_ended(run, services.temporal, services.store)
    if run.branch_of is not None:
        raise ResumeRefused(f"{run_id!r} is a section of {run.branch_of.run_id!r}: ask that of the run, with the title")
    return run


async def _find_previous_answer(
    run: ArchivedRun, wanted: Request, request_id: str, services: Services
) -> ResumeAccepted | None:
    """Return the earlier answer to this request; None if there was none and the request is to be carried out."""
    claim = await claim_request(run.run_id, request_id, wanted, services)
    if claim.outcome is not None:
        return ResumeAccepted.model_validate_json(unwrap_outcome(claim.outcome))
    begun = None if claim.mine else await services.temporal.begun_by(run.run_id)
    if begun is None or begun.get("request") != request_id:
        return None
    return await _record_answer(ResumeAccepted.model_validate(begun["answer"]), request_id, services)


async def _record_answer(answer: ResumeAccepted, request_id: str, services: Services) -> ResumeAccepted:
    outcome = ControlOutcome(accepted=True, text=answer.model_dump_json())
    await services.store.controls.settle(answer.run_id, request_id, outcome)
    return answer


@dataclass(frozen=True)
class _ResumePlan:
    """The plan by which a run and its sections continue."""

    wanted: ResumeBody
    extra: TopUp
    asked: ResearchInput
    """The run's input with what has changed."""
    by: str
    now: float
    services: Services

    async def resume(
        self, run: ArchivedRun, log: RunLog, cut: LogPrefix, titles: frozenset[str] = frozenset()
    ) -> ResumedFrom:
        """Plan how a run, or a section, continues, including its own sections."""
        kept, open_branches = await self._list_branches(run, log, cut, titles)
        entry = RunResumed(
            at=0.0,
            why="resumed",
            by=self.by,
            reason=self.wanted.reason,
            saved=compute_saved_work(log.asked.graph, cut, kept, open_branches),
            kept=tuple(one.run_id for one in kept),
            open=tuple(one.run_id for one in open_branches),
            retry_now=True,
        )
        undone: DiscardedWork = build_undo_record(run.run_id, cut)
        return ResumedFrom(entry=entry, undone=(undone,), kept=tuple(kept), open=tuple(open_branches))

    async def _list_branches(
        self, run: ArchivedRun, log: RunLog, cut: LogPrefix, titles: frozenset[str]
    ) -> tuple[Sequence[KeptBranch], Sequence[OpenBranch]]:
        """Return the sections of the fan-out that a run resumes with: those that are done, and those to resume.

        Of one that left no log, because it was ended from outside, nothing is known: it begins anew.
        """
        if not resume_input.goes_on_with_branches(log.asked.graph, cut.run):
            return (), ()
        begun, older = resume_input.branches_in_force(run.run_id, log, cut.run.step)
        ended = await self.services.store.runs.branches(run.run_id, cut.run.step)
        await _require_no_other([one.run_id for one in run.branches], {one.run_id for one in ended}, self.services)
        kept: list[KeptBranch] = []
        going_on: list[OpenBranch] = []
        for branch in ended:
            if not branch.log or not (branch.run_id.startswith(begun) or branch.run_id in older):
                continue
            own = await read_log(branch, self.services.temporal, self.services.store)
            if resume_input.is_kept(branch, self.extra, titles):
                kept.append(resume_input.kept_branch(branch, own))
                continue
            changed: dict[str, object] = {
                "models": self.asked.models,
                "model_providers": self.asked.model_providers,
                "call_seconds": self.asked.call_seconds,
                "sources": own.asked.sources if self.wanted.sources is None else self.asked.sources,
            }
            own = own.model_copy(update={"asked": own.asked.model_copy(update=changed)})
            place = resume_input.where_to_resume(
                branch, own, extra=self.extra, titles=frozenset(), now=self.now, limited=False
            )
            going_on.append(resume_input.open_branch(branch, own, place, await self.resume(branch, own, place)))
        return kept, going_on


async def _require_no_other(known: Iterable[str], ended: Collection[str], services: Services) -> None:
    """Sections end after the run that was taken from them; what they have is only known then.

    Raises:
        ResumeRefused: one is still at it.
    """
    for branch in known:
        if branch in ended:
            continue
        try:
            execution = await services.temporal.describe(branch)
        except RunForgotten:
            continue
        if execution.status == "running":
            raise ResumeRefused(f"its section {branch!r} is still ending: ask again in a few seconds")


async def _go_on(
    run: ArchivedRun, log: RunLog, cut: LogPrefix, resumed_from: ResumedFrom, request_id: str, services: Services
) -> ResumeAccepted:
    """Begins the next execution of a run that has ended."""
    events = await services.store.runs.events(run.run_id)
    asked = going_on(log.asked, cut, resumed_from, events, run.started_at)
    callees = read_graph_traits(asked.graph).callees
    if unpriced := find_price_faults(cut.run.budget.limits, callees, asked.models, services.settings):
        raise RequestInvalid(unpriced)
    answer = ResumeAccepted.of(run.run_id, cut, resumed_from.entry.saved)
    begun: JsonObject = {"request": request_id, "answer": answer.model_dump(mode="json")}
    await continue_run(run, asked, cut.run.budget.limits, begun, services)
    return await _record_answer(answer, request_id, services)
