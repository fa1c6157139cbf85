"""One research run: performs the engine's commands, accepts control actions, and ends in a report on every path.

The graph is in the input, so a run in flight keeps the graph that it started with; only the engine is replay-sensitive.
`CONTRIBUTING.md` says how to change this file without breaking runs in flight.
"""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import (
        BRANCH_HELD_SIGNAL,
        CONTROL_SIGNAL,
        CONTROL_UPDATE,
        LOG_QUERY,
        PROGRESS_QUERY,
        RESEARCH_WORKFLOW,
        SNAPSHOT_QUERY,
    )
    from elcano.graphs.engine.control_actions import Action, RollBack, refuse_control
    from elcano.graphs.engine.entries import (
        ChooseNode,
        Controlled,
        Diverted,
        Entry,
        Finish,
        Held,
        HoldCleared,
        RunBranches,
        StepAbandoned,
        StepCompleted,
        Wait,
        Work,
    )
    from elcano.graphs.engine.step_function import should_pause
    from elcano.graphs.errors import ElcanoError
    from elcano.graphs.frozen import Json
    from elcano.graphs.lifecycle.finish import build_research_result, build_run_log, status_of
    from elcano.graphs.lifecycle.journal import Journal, build_progress_page, build_run_snapshot, log_page
    from elcano.graphs.lifecycle.start_and_fold import open_journal, taken_back
    from elcano.graphs.records import LogPage, ProgressPage, RunSnapshot
    from elcano.graphs.run_contracts import BranchHeld, ControlAnswer, ControlRequest, ResearchInput, ResearchResult
    from elcano.graphs.state.budget import Usage
    from elcano.graphs.state.failures import Cancellation, Ending
    from elcano.graphs.state.state import ReportRef
    from elcano.workflows.branches import BranchRunner
    from elcano.workflows.calls import Performer
    from elcano.workflows.holds import Approvals, RunWaits
    from elcano.workflows.interruptions import Interruptions, add_hold_reason, entry_from_interruption, is_cancelled
    from elcano.workflows.outcomes import failure_from_error
    from elcano.workflows.run_conclusion import close_run, publish_report, take_over
    from elcano.workflows.run_display import RunDisplay


@workflow.defn(name=RESEARCH_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ResearchWorkflow:
    """A run of one graph. Its id is the run id."""

    code_routed = False
    """Whether the next node is chosen here; else the edges of the graph say it."""

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        self._asked = asked
        self._journal = open_journal(asked, workflow.time(), code_routed=self.code_routed)
        self._interruptions = Interruptions(asked, self._journal)
        self._branching: BranchRunner | None = None
        """Set while branches run."""
        self._shown = RunDisplay(asked, self._journal, lambda: self._branching)
        self._waiting = RunWaits(asked, self._journal, self._interruptions, self._shown)
        approvals = Approvals(asked, self._journal, self._interruptions, self._shown, self._waiting)
        self._performer = Performer(asked, self._journal, approvals)
        self._closing = False
        """Nothing can be controlled any more; the archive may not have the run yet."""
        self._report: ReportRef | None = None

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """Walks the graph to its end, publishes the report and archives the run."""
        if asked.resumed_from is not None:
            self._shown.enter_work()
        self._interruptions.aim()
        watches = [
            asyncio.create_task(self._interruptions.watch()),
            asyncio.create_task(self._interruptions.watch_resets()),
        ]
        broken: BaseException | None = None
        try:
            if asked.follows is not None and asked.carried is None:
                await take_over(asked, asked.follows)
            await self._research()
            await self._interruptions.settle_reset()
            if asked.branch_of is None and self._journal.run.failure is None:  # a run that failed has no report
                self._shown.enter("writing")
                self._report = await publish_report(asked, self._journal, self._shown)
        except (asyncio.CancelledError, FailureError, ElcanoError, ValueError) as error:
            broken = error
        self._closing = True
        run = self._journal.run
        cancelled = broken is not None and is_cancelled_exception(broken)
        failed = run.failure or (failure_from_error(run.node, broken) if broken and not cancelled else None)
        status = status_of(self._journal, failed, self._report, cancelled=cancelled)
        await self._interruptions.settle_reset()
        for task in watches:
            task.cancel()
        cancellation = Cancellation.read(workflow.cancellation_reason() or "") if cancelled else None
        await close_run(asked, self._journal, self._shown, status, failed, self._report, cancellation)
        if cancelled and broken:
            raise broken
        result = build_research_result(asked, self._journal, failed, self._report)
        if failed:
            raise ApplicationError(
                f"{failed.node} failed: {failed.message}",
                result.model_dump(mode="json"),
                type=failed.type,
                non_retryable=True,
            ) from broken
        return result

    @property
    def journal(self) -> Journal:
        """The journal of the run."""
        return self._journal

    @workflow.query(name=PROGRESS_QUERY)
    def progress(self, since: int) -> ProgressPage:
        """The events after number `since`, a page at a time."""
        return build_progress_page(self._journal, since)

    @workflow.query(name=SNAPSHOT_QUERY)
    def snapshot(self) -> RunSnapshot:
        """Return the current state of the run."""
        return build_run_snapshot(
            self._asked,
            self._journal,
            workflow.time(),
            self._shown.stage,
            self._shown.status,
            self._report,
            uncharged=self._branching.used if self._branching else Usage(),
            held=self._shown.held or (self._branching.some_hold if self._branching else None),
            calls=self._shown.calls,
        )

    @workflow.query(name=LOG_QUERY)
    def log(self, since: int) -> LogPage:
        """The entries of the run after the first `since`, a page at a time."""
        return log_page(self._asked, self._journal, since)

    @workflow.update(name=CONTROL_UPDATE)
    def control(self, request: ControlRequest) -> ControlAnswer:
        """Applies a control request to the run, once for each id.

        Temporal knows the ids of one execution and answers a repeated one by itself; the log knows earlier ones too.
        """
        known = self._journal.find_accepted(_request_id())
        return ControlAnswer(answer=known.answer if known else self._accept_action(request, _request_id()))

    @control.validator
    def _can_be_controlled(self, request: ControlRequest) -> None:
        if self._journal.find_accepted(_request_id()) is not None:
            return
        branch = self._asked.branch_of
        if refusal := self._refusal(request.action, branch.run_id if branch else ""):
            raise ApplicationError(refusal)

    @workflow.signal(name=CONTROL_SIGNAL)
    def control_branch(self, request: ControlRequest) -> None:
        """The same, from the run that this branch belongs to; a branch that is writing already has no use for it."""
        self._waiting.hear()
        if self._refusal(request.action) is None:
            self._accept_action(request)

    @workflow.signal(name=BRANCH_HELD_SIGNAL)
    def branch_held(self, notice: BranchHeld) -> None:
        """A branch of this run has to wait, or does not any more."""
        if self._branching is not None:
            self._branching.held(notice)

    def _refusal(self, action: Action, owner: str = "") -> str | None:
        run = self._journal.run
        refusal = refuse_control(self._asked.graph, run, action, closing=self._closing, owner=owner)
        if refusal is None and self._branching is not None:
            return self._branching.refusal(action)
        return refusal

    def _accept_action(self, request: ControlRequest, request_id: str = "") -> Json:
        """Writes an action into the log, and lets the clock, those who look on and the branches know."""
        action, by = request.action, request.by
        answer = action.answer(self._asked.graph, action.apply(self._journal.run))
        when = workflow.time()
        self._record(
            Controlled(at=self._elapsed(), action=action, by=by, when=when, request_id=request_id, answer=answer)
        )
        self._interruptions.aim()
        self._shown.follow_pause()
        if self._branching is not None:
            self._branching.control(request)
        return answer

    async def _research(self) -> None:
        """From the entry node through an exit node."""
        await self._walk()

    async def _walk(self) -> None:
        """From where the run is through an exit node, or to where the way on has to be chosen."""
        while not self._journal.run.finished:
            await self._interruptions.settle_reset()
            self._go_back_if_asked()
            if self._journal.run.pause is not None:  # not even the clock takes it to its report
                await self._waiting.while_paused()
                continue
            self._journal.settle(workflow.time())
            if self._journal.run.choosing or self._journal.run.finished:  # an exit that calls no one ends it at once
                return
            if (interruption := self._interruptions.take()) is not None:
                self._record(entry_from_interruption(self._journal, interruption, workflow.time()))
            await self._waiting.show_release()
            self._continue_as_new_if_suggested()
            work = self._journal.next(workflow.time())
            match work:
                case Finish() | ChooseNode():
                    return
                case Wait():
                    await self._waiting.on(work.hold)
                case _:
                    self._shown.place()
                    self._record(await self._perform(work))

    def _go_back_if_asked(self) -> None:
        """Continues in a fresh history, with the log up to the requested step, if a rollback was requested."""
        journal = self._journal
        if (step := journal.run.going_back) is None:
            return
        controlled = (one for one in reversed(journal.entries) if isinstance(one, Controlled))
        reason, by = next((one.action.reason, one.by) for one in controlled if isinstance(one.action, RollBack))
        log = build_run_log(self._asked, journal)
        workflow.continue_as_new(taken_back(log, step, journal.events, journal.started_at, by=by, reason=reason))

    def _continue_as_new_if_suggested(self) -> None:
        """Goes on in a fresh history, with everything that the journal holds."""
        open_and_working = not self._journal.run.finished and self._journal.run.paused is None
        if open_and_working and workflow.info().is_continue_as_new_suggested() and workflow.all_handlers_finished():
            workflow.continue_as_new(
                self._asked.model_copy(update={"carried": self._journal.pages, "resumed_from": None})
            )

    async def _perform(self, work: Work) -> Entry:
        """Return the outcome of `work`. An interruption ends a call at once; branches are first asked to write."""
        if isinstance(work, RunBranches):
            return await self._run_branches(work)
        self._interruptions.keep_time()
        task = asyncio.create_task(self._performer.perform(work))
        try:
            await workflow.wait_condition(lambda: task.done() or self._interruptions.pending)
        except asyncio.CancelledError:
            if is_cancelled():
                self._record(await self._performer.give_up(task, work, None))
            raise
        if task.done():
            return await task
        interruption = self._interruptions.take()
        ending = None if interruption is None else add_hold_reason(self._journal.run, interruption)
        entry = await self._performer.give_up(task, work, ending)
        if interruption is not None and isinstance(entry, StepCompleted):  # it had been answered after all
            self._interruptions.say(interruption)
        return entry

    async def _run_branches(self, work: RunBranches) -> Entry:
        """Run the branches. If asked to stop they still hand over their drafts; when time is up they are given up.

        If the run waits for more budget they are not: they wait as well, and once all do the run has paused. If all
        wait for a provider, so does the run.
        """
        self._journal.begin_work()
        self._interruptions.keep_time()
        branching = self._branching = BranchRunner(self._asked, self._journal, work, self._performer, self._shown)
        task = asyncio.create_task(branching.run())
        last: Ending | None = None
        try:
            while not task.done():
                await workflow.wait_condition(
                    lambda: (
                        task.done()
                        or self._interruptions.pending
                        or branching.exhausted is not None
                        or (branching.hold is None) != (self._journal.run.hold is None)
                    )
                )
                await self._follow_holds(branching, work)
                if self._journal.run.going_back is not None:
                    await branching.give_up("the run goes back to an earlier step")
                    break
                ending = self._interruptions.take() or branching.exhausted
                if ending is None or task.done():
                    last = ending or last
                elif should_pause(self._journal.run, ending):
                    if branching.exhausted is not None:  # else some still work, each within a time of its own
                        self._record(Diverted(at=self._elapsed(), ending=ending))
                        await self._waiting.for_somebody(task.done)
                elif ending.kind == "stopped":
                    last = ending
                    await branching.ask_to_stop(ending.detail)
                else:
                    last = ending
                    await branching.give_up(ending.detail)
        except asyncio.CancelledError:
            if is_cancelled():
                await branching.give_up("the run was cancelled", workflow.cancellation_reason())
                used = (await task).usage
                self._record(StepAbandoned(step=work.step, node=work.node, at=self._elapsed(), usage=used))
            raise
        finally:
            self._branching = None
        if last is not None and not self._interruptions.pending:
            self._interruptions.say(last)
        return await task

    async def _follow_holds(self, branching: BranchRunner, work: RunBranches) -> None:
        """The run is held while all branches that are left are, and its time counts as theirs does."""
        hold, before = branching.hold, self._journal.run.hold
        if hold is not None and before is None:
            own = hold.model_copy(update={"node": work.node})
            self._record(Held(step=work.step, node=work.node, at=self._elapsed(), hold=own))
            self._shown.enter("approval" if own.reason == "approval" else "held")
        elif hold is None and before is not None:
            self._record(HoldCleared(at=self._elapsed(), over=True))
            self._shown.enter("researching")
        else:
            return
        self._interruptions.aim()
        if "approval" in (hold and hold.reason, before and before.reason):
            self._waiting.tell()

    def _record(self, entry: Entry) -> None:
        begun = self._journal.begun
        self._journal.record(entry, workflow.time())
        if not begun:
            self._interruptions.aim()

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _request_id() -> str:
    update = workflow.current_update_info()
    assert update is not None, "only updates have ids"
    return update.id
