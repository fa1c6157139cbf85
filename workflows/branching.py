"""Branches side by side: child workflows of the same class, each with a slice of the budget and a time of its own.

A branch that fails, is cut from the plan or is given up is a gap in the outcome, never an exception: what the others
found is kept. What a branch did not use raises the share of those that wait.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from temporalio import workflow
from temporalio.exceptions import ApplicationError, CancelledError, ChildWorkflowError

with workflow.unsafe.imports_passed_through():
    from graphs.branches import SHORTEST_SECONDS, WRITING_SHARE, BranchOutcome, BranchOutcomes
    from graphs.budget import Allotment, Limits, Slice, Usage, total
    from graphs.commands import BranchStart, Entry, RunBranches, StepCompleted, StepFailed
    from graphs.contracts import STOP_SIGNAL, BranchOf, ResearchInput, ResearchResult, StopRequest
    from graphs.journal import Journal
    from graphs.narration import Told, branch_complete, branch_started, plan_cut
    from graphs.safety import BREAKER_FAILURES
    from graphs.spec import ParallelNode
    from graphs.state import Failure, SectionGap

Child = workflow.ChildWorkflowHandle[object, ResearchResult]


class Branching:
    """Runs the branches of one visit of one parallel node."""

    def __init__(self, asked: ResearchInput, journal: Journal, work: RunBranches) -> None:
        node = asked.graph.by_id[work.node]
        assert isinstance(node, ParallelNode)
        self._asked = asked
        self._journal = journal
        self._work = work
        self._node = node
        self._room = asyncio.Semaphore(node.max_concurrency)
        self._allotment = Allotment.of(journal.run.budget, len(work.branches))
        self._open: dict[str, Child] = {}
        self._over: str | None = None
        """Why no further branch is started."""
        self._parting: Callable[[Child], Awaitable[None]] | None = None
        """What was last said to all open branches; one that was being started meanwhile is told as well."""
        self._failures = 0
        """Branches that failed in a row."""

    async def run(self) -> Entry:
        """All branches, and what came of them in the order of the plan."""
        afforded = self._allotment.affordable(self._work.minimum_tokens)
        if afforded < len(self._work.branches):
            self._tell(plan_cut(self._work.node, afforded, len(self._work.branches)))
            self._allotment = self._allotment.model_copy(update={"waiting": afforded})
        outcomes = await asyncio.gather(
            *(self._branch(branch) for branch in self._work.branches[:afforded]),
        )
        cut = [
            _missing(branch, "left out of the plan: the budget does not allow it", type="BudgetExhausted")
            for branch in self._work.branches[afforded:]
        ]
        return self._entry([*outcomes, *cut])

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
        self._over, self._parting = reason, parting
        await asyncio.gather(*(parting(child) for child in self._open.values()))

    async def _branch(self, start: BranchStart) -> BranchOutcome:
        async with self._room:
            seconds = self._seconds()
            self._allotment, given = self._allotment.take()
            if (unstarted := self._unstarted(start, given, seconds)) is not None:
                self._allotment = self._allotment.give_back(given, Usage())
                return unstarted
            outcome = await self._researched(start, given, seconds)
            self._allotment = self._allotment.give_back(given, outcome.usage)
            self._failures = self._failures + 1 if outcome.gap else 0
            if outcome.gap and self._failures == BREAKER_FAILURES:
                self._over = f"{BREAKER_FAILURES} sections in a row had failed, the last one: {outcome.gap.reason}"
            self._tell(branch_complete(self._work.node, outcome))
            return outcome

    def _unstarted(self, start: BranchStart, given: Slice, seconds: float) -> BranchOutcome | None:
        """The gap of a branch that is better not begun; None if it can be."""
        if self._over:
            return _missing(start, self._over, type="NotStarted")
        if seconds < SHORTEST_SECONDS:
            return _missing(start, "no time was left for it", type="NotStarted")
        if not given.carries(self._work.minimum_tokens):
            return _missing(start, "the sections before it left too little of the budget", type="BudgetExhausted")
        return None

    async def _researched(self, start: BranchStart, given: Slice, seconds: float) -> BranchOutcome:
        run_id = f"{self._asked.run_id}.{start.parallel_path_id}"
        self._tell(branch_started(self._work.node, start, run_id))
        child = await workflow.start_child_workflow(
            workflow.info().workflow_type,
            self._input(start, run_id, given, seconds),
            id=run_id,
            result_type=ResearchResult,
            parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
            cancellation_type=workflow.ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
            static_summary=start.title[:200],
        )
        self._open[run_id] = child
        try:
            if self._parting is not None:
                await self._parting(child)
            return _drafted(start, await child)
        except ChildWorkflowError as error:
            return self._failed(start, error, given)
        finally:
            del self._open[run_id]

    def _input(self, start: BranchStart, run_id: str, given: Slice, seconds: float) -> ResearchInput:
        asked = self._asked
        outer = asked.branch_of
        path = f"{outer.path}/{start.parallel_path_id}" if outer else start.parallel_path_id
        limits = self._journal.run.budget.limits.model_dump() | {
            "tokens": given.tokens,
            "cost_microusd": given.cost_microusd,
            "seconds": seconds,
            "when_exhausted": "finish",  # it is the run that pauses, not one of its sections
        }
        return asked.model_copy(
            update={
                "run_id": run_id,
                "question": start.input.question,
                "background": start.input.background,
                "graph": asked.graph.branches[start.branch],
                "limits": Limits.model_validate(limits),
                "branch_of": BranchOf(run_id=outer.run_id if outer else asked.run_id, path=path, section=start.title),
            }
        )

    def _seconds(self) -> float:
        """An equal share of the time that is left for research, as many waves as there are to come."""
        elapsed = self._journal.elapsed(workflow.time())
        left = self._journal.run.budget.research_seconds() - elapsed
        waves = -(-max(1, self._allotment.waiting) // self._node.max_concurrency)  # rounded up
        return min(self._node.timeout_seconds, left / waves * WRITING_SHARE)

    def _failed(self, start: BranchStart, error: ChildWorkflowError, given: Slice) -> BranchOutcome:
        """What a branch that ended with an error used is in the error; of one that was cut off nothing is known."""
        cause = error.cause
        if isinstance(cause, ApplicationError) and cause.details:
            return _drafted(start, ResearchResult.model_validate(cause.details[0]))
        reason = self._over or "it was cancelled" if isinstance(cause, CancelledError) else str(cause or error)
        unknown = Usage(input_tokens=given.tokens, cost_microusd=given.cost_microusd or 0, estimated=True)
        return _missing(start, reason, type=type(cause).__name__, usage=unknown)

    def _entry(self, outcomes: list[BranchOutcome]) -> Entry:
        at = self._journal.elapsed(workflow.time())
        usage = total(outcome.usage for outcome in outcomes)
        drafted = sum(1 for outcome in outcomes if outcome.gap is None)
        if drafted < self._node.must_succeed:
            reasons = "; ".join(f"{one.title}: {one.gap.reason}" for one in outcomes if one.gap)
            message = f"{drafted} of {len(outcomes)} branches succeeded, {self._node.must_succeed} must: {reasons}"
            failure = Failure(node=self._work.node, type="BranchesFailed", message=message[:2_000])
            return StepFailed(step=self._work.step, node=self._work.node, at=at, failure=failure, usage=usage)
        output = BranchOutcomes(branches=tuple(outcomes)).model_dump(mode="json")
        return StepCompleted(step=self._work.step, node=self._work.node, at=at, output=output, usage=usage)

    def _tell(self, told: Told) -> None:
        self._journal.tell(told, workflow.time())


def _drafted(start: BranchStart, result: ResearchResult) -> BranchOutcome:
    """A branch that ended by itself; without a draft it is a gap all the same."""
    gap = None
    if result.draft is None:
        failure = result.failure
        gap = SectionGap(
            reason=failure.message if failure else result.ending.detail if result.ending else "it wrote nothing",
            type=failure.type if failure else result.ending.kind if result.ending else "NoDraft",
            attempts=failure.attempts if failure else 0,
            tokens=result.usage.tokens,
            cost_microusd=result.usage.cost_microusd,
        )
    return BranchOutcome(
        index=start.index,
        parallel_path_id=start.parallel_path_id,
        title=start.title,
        question=start.input.question,
        draft=result.draft,
        evidence=result.evidence,
        searches=result.searches,
        ending=result.ending.detail or result.ending.kind if result.ending else "",
        gap=gap,
        warnings=result.warnings,
        usage=result.usage,
        iterations=result.iterations,
    )


def _missing(start: BranchStart, reason: str, *, type: str, usage: Usage | None = None) -> BranchOutcome:
    """A branch that left nothing."""
    used = usage or Usage()
    return BranchOutcome(
        index=start.index,
        parallel_path_id=start.parallel_path_id,
        title=start.title,
        question=start.input.question,
        gap=SectionGap(reason=reason, type=type, tokens=used.tokens, cost_microusd=used.cost_microusd),
        usage=used,
    )
