"""Branches side by side as child workflows of the same class; the books are kept by `graphs.fanout`."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from temporalio import workflow
from temporalio.exceptions import ApplicationError, CancelledError, ChildWorkflowError

with workflow.unsafe.imports_passed_through():
    from graphs import fanout, opening
    from graphs.branches import BranchOutcome
    from graphs.budget import Limits
    from graphs.commands import BranchStart, Entry, RunBranches
    from graphs.contracts import STOP_SIGNAL, ResearchInput, ResearchResult, StopRequest
    from graphs.journal import Journal
    from graphs.narration import Told, branch_complete, branch_started, plan_cut
    from graphs.spec import ParallelNode

Child = workflow.ChildWorkflowHandle[object, ResearchResult]


class Branching:
    """Runs the branches of one visit of one parallel node."""

    def __init__(self, asked: ResearchInput, journal: Journal, work: RunBranches) -> None:
        node = asked.graph.by_id[work.node]
        assert isinstance(node, ParallelNode)
        self._asked = asked
        self._journal = journal
        self._work = work
        self._room = asyncio.Semaphore(node.max_concurrency)
        self._books = fanout.FanOut(node, work, journal.run.budget)
        self._open: dict[int, Child] = {}
        """The running branches by their index."""
        self._parting: Callable[[Child], Awaitable[None]] | None = None
        """What was last said to all open branches; one that was being started meanwhile is told as well."""

    async def run(self) -> Entry:
        """All branches, and what came of them in the order of the plan."""
        starts = self._books.starts
        if self._books.cut:
            self._tell(plan_cut(self._work.node, len(starts), len(self._work.branches)))
        await asyncio.gather(*(self._branch(start) for start in starts))
        return self._books.entry(self._elapsed())

    async def ask_to_stop(self, reason: str) -> None:
        """Lets the open branches write what they have; those that wait are not started."""

        async def stop(child: Child) -> None:
            with suppress(ApplicationError):  # it ended by itself meanwhile
                await child.signal(STOP_SIGNAL, StopRequest(reason=reason))

        await self._part(stop, reason)

    async def give_up(self, reason: str) -> None:
        """Ends the open branches as they are."""

        async def cancel(child: Child) -> None:
            child.cancel()

        await self._part(cancel, reason)

    async def _part(self, parting: Callable[[Child], Awaitable[None]], reason: str) -> None:
        self._books.over, self._parting = reason, parting
        await asyncio.gather(*(parting(child) for child in self._open.values()))

    async def _branch(self, start: BranchStart) -> None:
        async with self._room:
            limits = self._books.begin(start, self._journal.run.budget.at(self._elapsed()))
            if limits is None:
                return
            outcome = await self._researched(start, limits)
            self._books.end(start, outcome)
            self._tell(branch_complete(self._work.node, outcome))

    async def _researched(self, start: BranchStart, limits: Limits) -> BranchOutcome:
        asked = opening.branch(self._asked, start, limits)
        self._tell(branch_started(self._work.node, start, asked.run_id))
        child = await workflow.start_child_workflow(
            workflow.info().workflow_type,
            asked,
            id=asked.run_id,
            result_type=ResearchResult,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            cancellation_type=workflow.ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
            static_summary=start.title[:200],
        )
        self._open[start.index] = child
        try:
            if self._parting is not None:
                await self._parting(child)
            return fanout.outcome(start, await child)
        except ChildWorkflowError as error:
            return self._failed(start, error)
        finally:
            del self._open[start.index]

    def _failed(self, start: BranchStart, error: ChildWorkflowError) -> BranchOutcome:
        """What a branch that ended with an error used is in the error, unless it was cut off."""
        cause = error.cause
        if isinstance(cause, ApplicationError) and cause.details:
            return fanout.outcome(start, ResearchResult.model_validate(cause.details[0]))
        cancelled = isinstance(cause, CancelledError)
        reason = self._books.over or "it was cancelled" if cancelled else str(cause or error)
        return self._books.lost(start, reason, type=type(cause).__name__)

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())

    def _tell(self, told: Told) -> None:
        self._journal.tell(told, workflow.time())
