"""One research run: performs what the engine says, hears those who control it, and ends in a report on every path.

The graph is in the input, so a run in flight keeps the graph that it started with; only the engine is replay-sensitive.
`CONTRIBUTING.md` says how to change this file without breaking runs in flight.
"""

import asyncio

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import (
        BRANCH_HELD_SIGNAL,
        BRANCH_PAUSED_SIGNAL,
        PROGRESS_QUERY,
        RESEARCH_WORKFLOW,
        SNAPSHOT_QUERY,
        STOP_SIGNAL,
        STOP_UPDATE,
        TOP_UP_SIGNAL,
        TOP_UP_UPDATE,
        BranchHeld,
        BranchPaused,
        ProgressPage,
        ResearchInput,
        ResearchResult,
        RunSnapshot,
        StopRequest,
    )
    from elcano.graphs.engine.commands import (
        Diverted,
        Entry,
        Finish,
        Held,
        Resumed,
        Retry,
        RunBranches,
        StepAbandoned,
        StepCompleted,
        ToppedUp,
        Wait,
        Work,
    )
    from elcano.graphs.engine.steps import pauses
    from elcano.graphs.errors import ElcanoError, InputInvalid
    from elcano.graphs.lifecycle import finish as closing
    from elcano.graphs.lifecycle import start as opening
    from elcano.graphs.lifecycle import watch as progress
    from elcano.graphs.values.budget import Limits, TopUp, Usage
    from elcano.graphs.values.report import ReportRef
    from elcano.graphs.values.state import Ending
    from elcano.workflows import concluding
    from elcano.workflows.branches import Branching
    from elcano.workflows.calls import Performer
    from elcano.workflows.interruptions import Interruptions, is_cancelled
    from elcano.workflows.outcomes import failure
    from elcano.workflows.request_ids import remember, remembered
    from elcano.workflows.showing import Shown
    from elcano.workflows.waiting import Waiting


@workflow.defn(name=RESEARCH_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ResearchWorkflow:
    """A run of one graph. Its id is the run id."""

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        self._asked = asked
        self._journal = opening.journal(asked, workflow.time())
        self._performer = Performer(asked, self._journal)
        self._interruptions = Interruptions(asked, self._journal)
        self._shown = Shown(asked, self._journal)
        self._waiting = Waiting(asked, self._journal, self._interruptions, self._shown)
        self._branching: Branching | None = None
        """Set while branches run."""
        self._closing = False
        """Nothing can be controlled any more; the archive may not have the run yet."""
        self._report: ReportRef | None = None

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """Walks the graph to its end, publishes the report and archives the run."""
        self._interruptions.aim()
        beside = [
            asyncio.create_task(self._interruptions.watch()),
            asyncio.create_task(self._interruptions.watch_resets()),
        ]
        broken: BaseException | None = None
        try:
            await self._walk()
            await self._interruptions.settled()
            if asked.branch_of is None:
                self._shown.enter("writing")
                self._report = await concluding.publish(asked, self._journal)
        except (asyncio.CancelledError, FailureError, ElcanoError, ValueError) as error:
            broken = error
        self._closing = True
        run = self._journal.run
        cancelled = broken is not None and is_cancelled_exception(broken)
        failed = run.failure or (failure(run.node, broken) if broken and not cancelled else None)
        status = closing.status_of(self._journal, failed, self._report, cancelled=cancelled)
        await self._interruptions.settled()
        for task in beside:
            task.cancel()
        await concluding.close(asked, self._journal, self._shown, status, failed, self._report)
        if cancelled and broken:
            raise broken
        result = closing.result(asked, self._journal, failed, self._report)
        if failed:
            raise ApplicationError(
                f"{failed.node} failed: {failed.message}",
                result.model_dump(mode="json"),
                type=failed.type,
                non_retryable=True,
            ) from broken
        return result

    @workflow.query(name=PROGRESS_QUERY)
    def progress(self, since: int) -> ProgressPage:
        """The events after number `since`, a page at a time."""
        return progress.page(self._journal, since)

    @workflow.query(name=SNAPSHOT_QUERY)
    def snapshot(self) -> RunSnapshot:
        """Where the run is now."""
        return progress.snapshot(
            self._asked,
            self._journal,
            workflow.time(),
            self._shown.stage,
            self._shown.status,
            self._report,
            uncharged=self._branching.used if self._branching else Usage(),
            held=self._branching.some_hold if self._branching else None,
        )

    @workflow.update(name=STOP_UPDATE)
    def stop(self, request: StopRequest) -> None:
        """Ends the research and lets the run write its report from what it has."""
        if remembered(self._journal) is None:
            self._interruptions.say(Ending(kind="stopped", detail=request.reason or "somebody stopped the run"))
            remember(self._journal)

    @stop.validator
    def _can_be_stopped(self, request: StopRequest) -> None:
        if remembered(self._journal) is None and self._past_control:
            raise ApplicationError("the run is writing its report or has ended; there is nothing to stop")

    @workflow.signal(name=STOP_SIGNAL)
    def stop_branch(self, request: StopRequest) -> None:
        """The same, from the run that this branch belongs to; a branch that is writing already goes on."""
        if not self._past_control:
            self._interruptions.say(Ending(kind="stopped", detail=request.reason))

    @workflow.update(name=TOP_UP_UPDATE)
    def top_up(self, request: TopUp) -> Limits:
        """Raises the run's limits, which are returned; a run that had paused for lack of budget goes on."""
        if (before := remembered(self._journal)) is not None and before.limits is not None:
            return before.limits
        limits = self._raise(request)
        remember(self._journal, limits)
        return limits

    @top_up.validator
    def _can_be_topped_up(self, request: TopUp) -> None:
        if remembered(self._journal) is not None:
            return
        if (branch := self._asked.branch_of) is not None:
            raise ApplicationError(f"a section has its part of the budget of {branch.run_id}: top that run up")
        if self._past_control:
            raise ApplicationError("the run is writing its report or has ended; more budget would not be used")
        try:
            request.added_to(self._journal.run.budget.limits)
        except InputInvalid as error:
            raise ApplicationError(str(error)) from error

    @workflow.signal(name=TOP_UP_SIGNAL)
    def top_up_branch(self, request: TopUp) -> None:
        """A branch's part of a top-up of the run that it belongs to; one that is writing already has no use for it."""
        self._waiting.topped_up()
        if not self._past_control:
            self._raise(request)

    @workflow.signal(name=BRANCH_PAUSED_SIGNAL)
    def branch_paused(self, notice: BranchPaused) -> None:
        """A branch of this run waits for more budget."""
        if self._branching is not None:
            self._branching.paused(notice)

    @workflow.signal(name=BRANCH_HELD_SIGNAL)
    def branch_held(self, notice: BranchHeld) -> None:
        """A call of a branch of this run cannot be answered now, or has been."""
        if self._branching is not None:
            self._branching.held(notice)

    @property
    def _past_control(self) -> bool:
        """The run is over or at its exit, and not held there: neither a stop nor more budget would change anything."""
        return self._closing or (self._journal.leaving and self._journal.run.hold is None)

    def _raise(self, request: TopUp) -> Limits:
        limits = request.added_to(self._journal.run.budget.limits)
        self._record(ToppedUp(at=self._elapsed(), limits=limits))
        self._interruptions.aim()
        if self._branching is not None:
            self._branching.top_up(request)
        return limits

    async def _walk(self) -> None:
        """From the entry node through an exit node."""
        while not self._journal.run.finished:
            await self._interruptions.settled()
            self._journal.settle(workflow.time())
            if (interruption := self._interruptions.take()) is not None:
                self._record(self._leaving(interruption))
            await self._waiting.released()
            self._continue_as_new_if_suggested()
            work = self._journal.next(workflow.time())
            match work:
                case Finish():
                    return
                case Wait():
                    await self._waiting.for_budget()
                case Retry():
                    await self._waiting.for_answer(work.hold)
                case _:
                    self._shown.place(work)
                    self._record(await self._performed(work))

    def _leaving(self, interruption: Ending) -> Entry:
        """How an ending that comes while no call is under way is written down; an exit that is held is given up."""
        run = self._journal.run
        if run.hold is not None and self._journal.leaving:
            return StepAbandoned(step=run.step, node=run.node, at=self._elapsed(), ending=self._because(interruption))
        return Diverted(at=self._elapsed(), ending=self._because(interruption))

    def _because(self, interruption: Ending) -> Ending:
        """An ending with what the run had been waiting for, if it had."""
        hold = self._journal.run.hold
        if hold is None:
            return interruption
        why = f"{hold.node} was tried {hold.tries} times in vain: {hold.detail}"
        return interruption.model_copy(update={"detail": "; ".join(filter(None, (interruption.detail, why)))})

    def _continue_as_new_if_suggested(self) -> None:
        """Goes on in a fresh history, with everything that the journal holds."""
        open_and_working = not self._journal.run.finished and self._journal.run.paused is None
        if open_and_working and workflow.info().is_continue_as_new_suggested() and workflow.all_handlers_finished():
            workflow.continue_as_new(self._asked.model_copy(update={"carried": self._journal.pages}))

    async def _performed(self, work: Work) -> Entry:
        """What became of `work`. An interruption ends a call at once; branches are first asked to write."""
        if isinstance(work, RunBranches):
            return await self._branched(work)
        self._interruptions.keep_time()
        task = asyncio.create_task(self._performer.perform(work))
        try:
            await workflow.wait_condition(lambda: task.done() or self._interruptions.pending)
        except asyncio.CancelledError:
            if is_cancelled():
                self._record(await self._performer.given_up(task, work, None))
            raise
        if not task.done() and (interruption := self._interruptions.take()) is not None:
            entry = await self._performer.given_up(task, work, self._because(interruption))
            if isinstance(entry, StepCompleted):  # it had been answered after all
                self._interruptions.say(interruption)
            return entry
        return await task

    async def _branched(self, work: RunBranches) -> Entry:
        """Branches that are told to stop still hand over their drafts; when time is up they are given up.

        If the run waits for more budget they are not: they wait as well, and once all do the run has paused. If all
        wait for a provider, so does the run.
        """
        self._journal.begin_work()
        self._interruptions.keep_time()
        branching = self._branching = Branching(self._asked, self._journal, work, self._performer)
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
                ending = self._interruptions.take() or branching.exhausted
                if ending is None or task.done():
                    last = ending or last
                elif pauses(self._journal.run, ending):
                    if branching.exhausted is not None:  # else some still work, each within a time of its own
                        self._record(Diverted(at=self._elapsed(), ending=ending))
                        await self._waiting.for_budget(task.done)
                elif ending.kind == "stopped":
                    last = ending
                    await branching.ask_to_stop(ending.detail)
                else:
                    last = ending
                    await branching.give_up(ending.detail)
        except asyncio.CancelledError:
            if is_cancelled():
                await branching.give_up("the run was cancelled")
                used = (await task).usage
                self._record(StepAbandoned(step=work.step, node=work.node, at=self._elapsed(), usage=used))
            raise
        finally:
            self._branching = None
        if last is not None and not self._interruptions.pending:
            self._interruptions.say(last)
        return await task

    async def _follow_holds(self, branching: Branching, work: RunBranches) -> None:
        """The run is held while all branches that are left are, and its time counts as theirs does."""
        hold = branching.hold
        if hold is not None and self._journal.run.hold is None:
            own = hold.model_copy(update={"node": work.node})
            self._record(Held(step=work.step, node=work.node, at=self._elapsed(), hold=own))
            self._shown.enter("held")
        elif hold is None and self._journal.run.hold is not None:
            self._record(Resumed(at=self._elapsed(), over=True))
            self._shown.enter("researching")
        else:
            return
        self._interruptions.aim()

    def _record(self, entry: Entry) -> None:
        begun = self._journal.begun
        self._journal.record(entry, workflow.time())
        if not begun:
            self._interruptions.aim()

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())
