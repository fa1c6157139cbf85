"""One research run: performs what the engine says, holds the clock, and ends in a report on every path.

The graph is in the input, so a run in flight keeps the graph that it started with; only the engine is replay-sensitive.
`CONTRIBUTING.md` says how to change this file without breaking runs in flight.
"""

import asyncio
from collections.abc import Callable

from temporalio import workflow
from temporalio.common import SearchAttributeKey
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from graphs import closing, opening, progress
    from graphs.budget import Limits, TopUp, Usage
    from graphs.commands import Diverted, Entry, Finish, RunBranches, ToppedUp, Wait, Work
    from graphs.contracts import (
        ARCHIVE_RUN,
        BRANCH_PAUSED_SIGNAL,
        CHAIN_WORKFLOW,
        OUTCOME_ATTRIBUTE,
        PROGRESS_QUERY,
        PUBLISH_REPORT,
        RESEARCH_WORKFLOW,
        SNAPSHOT_QUERY,
        STAGE_ATTRIBUTE,
        STOP_SIGNAL,
        STOP_UPDATE,
        TOP_UP_SIGNAL,
        TOP_UP_UPDATE,
        ArchiveCall,
        BranchPaused,
        Engine,
        ProgressPage,
        ResearchInput,
        ResearchResult,
        RunSnapshot,
        RunStatus,
        Stage,
        StopRequest,
    )
    from graphs.drawing import outline, with_place
    from graphs.engine import pauses
    from graphs.errors import ElcanoError, InputInvalid
    from graphs.report import ReportRef
    from graphs.state import Ending, Failure
    from workflows import policies
    from workflows.branching import Branching
    from workflows.deadline import Deadline
    from workflows.performing import Performer, failure

_STAGE = SearchAttributeKey.for_keyword(STAGE_ATTRIBUTE)
_OUTCOME = SearchAttributeKey.for_keyword(OUTCOME_ATTRIBUTE)


@workflow.defn(name=RESEARCH_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ResearchWorkflow:
    """A run of one graph. Its id is the run id."""

    @workflow.init
    def __init__(self, asked: ResearchInput) -> None:
        self._asked = asked
        self._journal = opening.journal(asked, workflow.time())
        self._performer = Performer(asked, self._journal)
        self._outline = outline(asked.graph)
        self._deadline = Deadline(workflow.time())
        self._interruption: Ending | None = None
        self._branching: Branching | None = None
        """Set while branches run."""
        self._topped_up = False
        """A part of a top-up came since the last pause was told."""
        self._stage: Stage = "researching"
        self._status: RunStatus = "running"
        self._closing = False
        """Nothing can be controlled any more; the archive may not have the run yet."""
        self._report: ReportRef | None = None

    @workflow.run
    async def run(self, asked: ResearchInput) -> ResearchResult:
        """Walks the graph to its end, publishes the report and archives the run."""
        self._aim()
        clock = asyncio.create_task(self._watch_time())
        broken: BaseException | None = None
        try:
            await self._walk()
            if asked.branch_of is None:
                self._enter("writing")
                await self._publish()
        except (asyncio.CancelledError, FailureError, ElcanoError, ValueError) as error:
            broken = error
        clock.cancel()
        self._closing = True
        run = self._journal.run
        cancelled = broken is not None and is_cancelled_exception(broken)
        failed = run.failure or (failure(run.node, broken) if broken and not cancelled else None)
        await self._close(closing.status_of(self._journal, failed, self._report, cancelled=cancelled), failed)
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
        uncharged = self._branching.used if self._branching else Usage()
        return progress.snapshot(
            self._asked, self._journal, workflow.time(), self._stage, self._status, self._report, uncharged
        )

    @workflow.update(name=STOP_UPDATE)
    def stop(self, request: StopRequest) -> None:
        """Ends the research and lets the run write its report from what it has."""
        self._interruption = Ending(kind="stopped", detail=request.reason or "somebody stopped the run")

    @stop.validator
    def _can_be_stopped(self, request: StopRequest) -> None:
        if self._past_control:
            raise ApplicationError("the run is writing its report or has ended; there is nothing to stop")

    @workflow.signal(name=STOP_SIGNAL)
    def stop_branch(self, request: StopRequest) -> None:
        """The same, from the run that this branch belongs to; a branch that is writing already goes on."""
        if not self._past_control:
            self._interruption = Ending(kind="stopped", detail=request.reason)

    @workflow.update(name=TOP_UP_UPDATE)
    def top_up(self, request: TopUp) -> Limits:
        """Raises the run's limits, which are returned; a run that had paused for lack of budget goes on."""
        return self._raise(request)

    @top_up.validator
    def _can_be_topped_up(self, request: TopUp) -> None:
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
        self._topped_up = True
        if not self._past_control:
            self._raise(request)

    @workflow.signal(name=BRANCH_PAUSED_SIGNAL)
    def branch_paused(self, notice: BranchPaused) -> None:
        """A branch of this run waits for more budget."""
        if self._branching is not None:
            self._branching.paused(notice)

    @property
    def _past_control(self) -> bool:
        """The run is at its exit or over: neither a stop nor more budget would change anything."""
        return self._closing or self._journal.leaving

    def _raise(self, request: TopUp) -> Limits:
        limits = request.added_to(self._journal.run.budget.limits)
        self._record(ToppedUp(at=self._elapsed(), limits=limits))
        self._aim()
        if self._branching is not None:
            self._branching.top_up(request)
        return limits

    async def _walk(self) -> None:
        """From the entry node through an exit node."""
        while not self._journal.run.finished:
            self._journal.settle(workflow.time())
            if (ending := self._take_interruption()) is not None:
                self._record(Diverted(at=self._elapsed(), ending=ending))
            self._continue_as_new_if_suggested()
            work = self._journal.next(workflow.time())
            match work:
                case Finish():
                    return
                case Wait():
                    await self._paused()
                case _:
                    self._show(work)
                    self._record(await self._performed(work))

    async def _paused(self, over: Callable[[], bool] = lambda: False) -> None:
        """Waits for a top-up, for somebody to stop the run, or until it is `over`; time does not count meanwhile."""

        def go_on() -> bool:
            return self._journal.run.paused is None or self._interruption is not None or over()

        stage = self._stage
        self._enter("paused")
        self._aim()
        while not go_on():
            self._topped_up = False
            await self._tell_of_the_pause()
            await workflow.wait_condition(lambda: go_on() or self._topped_up)
        self._enter(stage)

    async def _tell_of_the_pause(self) -> None:
        """Lets the run that this branch belongs to know, also when a top-up was not enough."""
        parent, ending = workflow.info().parent, self._journal.run.paused
        if self._asked.branch_of is not None and parent is not None and ending is not None:
            notice = BranchPaused(run_id=self._asked.run_id, ending=ending, top_ups=self._journal.top_ups)
            handle = workflow.get_external_workflow_handle(parent.workflow_id)
            await asyncio.gather(handle.signal(BRANCH_PAUSED_SIGNAL, notice))  # alone, it would swallow a cancellation

    def _continue_as_new_if_suggested(self) -> None:
        """Goes on in a fresh history, with everything that the journal holds."""
        open_and_working = not self._journal.run.finished and self._journal.run.paused is None
        if open_and_working and workflow.info().is_continue_as_new_suggested() and workflow.all_handlers_finished():
            workflow.continue_as_new(self._asked.model_copy(update={"carried": self._journal.pages}))

    async def _performed(self, work: Work) -> Entry:
        """What became of `work`. An interruption ends a call at once; branches are first asked to write."""
        self._keep_time()
        if isinstance(work, RunBranches):
            return await self._branched(work)
        task = asyncio.create_task(self._performer.perform(work))
        try:
            await workflow.wait_condition(lambda: task.done() or self._interruption is not None)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done() or (ending := self._take_interruption()) is None:
            return await task
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return Diverted(at=self._elapsed(), ending=ending, given_up=True)

    async def _branched(self, work: RunBranches) -> Entry:
        """Branches that are told to stop still hand over their drafts; when time is up they are given up.

        If the run waits for more budget they are not: they wait as well, and once all do the run has paused.
        """
        branching = self._branching = Branching(self._asked, self._journal, work)
        task = asyncio.create_task(branching.run())
        last: Ending | None = None
        try:
            while not task.done():
                await workflow.wait_condition(
                    lambda: task.done() or self._interruption is not None or branching.exhausted is not None
                )
                ending = self._take_interruption() or branching.exhausted
                if ending is None or task.done():
                    last = ending or last
                elif pauses(self._journal.run, ending):
                    if branching.exhausted is not None:  # else some still work, each within a time of its own
                        self._record(Diverted(at=self._elapsed(), ending=ending))
                        await self._paused(task.done)
                elif ending.kind == "stopped":
                    last = ending
                    await branching.ask_to_stop(ending.detail)
                else:
                    last = ending
                    await branching.give_up(ending.detail)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            self._branching = None
        self._interruption = self._interruption or last
        return await task

    def _take_interruption(self) -> Ending | None:
        ending, self._interruption = self._interruption, None
        return ending

    def _aim(self) -> None:
        """Sets the clock to the end of the research; a pause stops it."""
        run = self._journal.run
        self._deadline.move(None if run.paused else self._journal.due(run.budget.research_seconds()))

    def _keep_time(self) -> None:
        """Lets a clock that stood still for a pause go on, also if the pause ended without a top-up."""
        if self._deadline.at is None and self._journal.run.paused is None:
            self._aim()

    async def _watch_time(self) -> None:
        """Ends the research in time for the report, and then the exit node if it takes too long.

        The second timer is only started once the first has fired, which most runs never see.
        """
        while True:
            await self._deadline.reached()
            limit = self._journal.run.budget.limits.seconds
            over = self._elapsed() >= limit
            if over or not self._journal.leaving:
                self._interruption = Ending(kind="time", detail=f"the time of {limit:g} s is used up")
            if over:
                await self._deadline.moved()
            else:
                self._deadline.move(self._journal.due(limit))

    async def _publish(self) -> None:
        """Checks the citations and stores the report, also when the writer failed."""
        self._report = await workflow.execute_activity(
            PUBLISH_REPORT,
            closing.publish_call(self._asked, self._journal),
            result_type=ReportRef,
            activity_id="publish-report",
            summary="check the citations, store the report",
            **policies.PUBLISH,
        )
        self._journal.tell(closing.report_ready(self._report), workflow.time())

    async def _close(self, status: RunStatus, failure: Failure | None) -> None:
        """Archives the run with its one terminal event, even if it is cancelled meanwhile; only then it is told.

        So whoever has heard the end of a run finds it everywhere: in the store, in lists, in the search attributes.
        """
        now = workflow.time()
        last = self._journal.event(closing.last_event(status, self._journal.run, failure, self._report), now)
        engine: Engine = "chain" if workflow.info().workflow_type == CHAIN_WORKFLOW else "graph"
        run = closing.archived(self._asked, self._journal, status, failure, self._report, now, engine)
        archiving = asyncio.create_task(
            workflow.execute_activity(
                ARCHIVE_RUN,
                ArchiveCall(run=run, events=(*self._journal.events, last)),
                activity_id="archive-run",
                summary="keep the run and its events",
                **policies.ARCHIVE,
            )
        )
        try:
            await asyncio.shield(archiving)
        except asyncio.CancelledError:
            await archiving
        self._journal.events.append(last)
        self._stage, self._status = "closed", status
        workflow.upsert_search_attributes([_STAGE.value_set("closed"), _OUTCOME.value_set(status)])

    def _show(self, work: Work) -> None:
        """What the Temporal UI shows of a running workflow; costs no event."""
        run = self._journal.run
        if self._journal.leaving:
            self._enter("writing")
        place = with_place(self._outline, work.node)
        workflow.set_current_details(
            f"**{self._asked.mode}**, step {run.step}, iteration {run.budget.iterations}, "
            f"{len(run.state.evidence)} passages, {run.budget.used.tokens} tokens\n\n```\n{place}\n```"
        )

    def _enter(self, stage: Stage) -> None:
        if stage != self._stage:
            self._stage = stage
            workflow.upsert_search_attributes([_STAGE.value_set(stage)])

    def _record(self, entry: Entry) -> None:
        self._journal.record(entry, workflow.time())

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())
