"""The books of one visit to a parallel node: which branch may start and with how much, and the outcome of each.

The code that runs the branches, as child workflows or in memory, asks here before each and reports after it. A branch
that fails, is cut from the plan or does not start is a gap in the outcome, never an exception: the findings of the
others are kept. The remaining budget is divided so that nothing is given out twice: open slices, usage and what is left
add up to the original budget, however branches end.
"""

from collections.abc import Collection, Iterable

from pydantic import Field

from elcano.graphs.engine.entries import BranchStart, RunBranches, StepCompleted, StepFailed
from elcano.graphs.engine.inputs import ExpressionReader, build_command
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import Steer
from elcano.graphs.errors import ElcanoError, EngineFault
from elcano.graphs.frozen import Frozen
from elcano.graphs.lifecycle.event_texts import word_branches
from elcano.graphs.lifecycle.handover import build_missing_outcome
from elcano.graphs.spec.graph import EndKind, ParallelNode, ResearchGraph
from elcano.graphs.state.branches import SUCCEEDED, BranchInput, BranchOutcome, BranchOutcomes, KeptBranch
from elcano.graphs.state.budget import LEAST_TOKENS, Budget, Limits, TopUp, Usage, sum_usages
from elcano.graphs.state.failures import Ending, Failure, FailureType


class Slice(Frozen):
    """The part of a budget that one branch may spend."""

    tokens: int = Field(ge=0)
    cost_microusd: int | None = Field(default=None, ge=0)
    """None: not limited."""

    def carries(self, minimum_tokens: int) -> bool:
        """Whether a branch that needs at least this many tokens can start with it."""
        return self.tokens >= max(LEAST_TOKENS, minimum_tokens) and self.cost_microusd != 0

    def add_amount(self, more: TopUp) -> "Slice":
        """The slice with its part of a top-up."""
        cost = None if self.cost_microusd is None else self.cost_microusd + more.cost_microusd
        return Slice(tokens=self.tokens + more.tokens, cost_microusd=cost)


class Allotment(Frozen):
    """The budget that a run can still give its branches while they run side by side.

    What is out, what was used and what is left always add up to what there was; what a branch does not use comes back
    and raises the share of those that have not started.
    """

    tokens: int
    """Below zero once branches used more than there was: nothing is given out until that is made up for."""
    cost_microusd: int | None = None
    """The same of money; None: not limited."""
    waiting: int = Field(ge=0)
    """Branches that have not started."""

    @classmethod
    def of(cls, budget: Budget, branches: int) -> "Allotment":
        """Everything that research may still use of `budget`, for this many branches."""
        left = budget.allowance(at_exit=False)
        return cls(tokens=left.tokens or 0, cost_microusd=left.cost_microusd, waiting=branches)

    def affordable(self, minimum_tokens: int) -> int:
        """Count the waiting branches that can have at least this many tokens."""
        return min(self.waiting, max(0, self.tokens) // max(LEAST_TOKENS, minimum_tokens))

    def add_branches(self, branches: int) -> "Allotment":
        """Adds waiting branches, or removes them, and shares what is left among them anew."""
        return self.model_copy(update={"waiting": self.waiting + branches})

    def take(self) -> tuple["Allotment", Slice]:
        """An equal share for the next branch."""
        waiting = max(1, self.waiting)
        cost = None if self.cost_microusd is None else max(0, self.cost_microusd) // waiting
        given = Slice(tokens=max(0, self.tokens) // waiting, cost_microusd=cost)
        left = Allotment(
            tokens=self.tokens - given.tokens,
            cost_microusd=None if self.cost_microusd is None or cost is None else self.cost_microusd - cost,
            waiting=waiting - 1,
        )
        return left, given

    def add_amount(self, tokens: int, cost_microusd: int) -> "Allotment":
        """More to give, or less; money that is not limited stays so."""
        cost = None if self.cost_microusd is None else self.cost_microusd + cost_microusd
        return self.model_copy(update={"tokens": self.tokens + tokens, "cost_microusd": cost})

    def give_back(self, given: Slice, used: Usage) -> "Allotment":
        """Takes back what an ended branch did not use, or takes off what it used beyond its slice."""
        return self.add_amount(given.tokens - used.tokens, (given.cost_microusd or 0) - used.cost_microusd)


class FanOut:
    """Mutable, as a journal is: branches begin and end in any order. Times are seconds since the run's start."""

    def __init__(self, node: ParallelNode, work: RunBranches, run: Run, kept: Iterable[KeptBranch] = ()) -> None:
        """`kept` are branches of an earlier visit that had ended well: they are not started again, and are charged."""
        self.node = node
        self.over: str | None = None
        """Why no further branch is begun."""
        self._work = work
        self._figures = run.figures
        self._exit_needs = run.budget.exit_needs
        self._outcomes = _match_kept_branches(work.branches, kept)
        wanted = tuple(start for start in work.branches if start.index not in self._outcomes)
        spent = sum_usages(outcome.usage for outcome in self._outcomes.values())
        allotment = Allotment.of(run.budget, len(wanted)).add_amount(-spent.tokens, -spent.cost_microusd)
        afforded = allotment.affordable(work.minimum_tokens)
        self._allotment = allotment.model_copy(update={"waiting": afforded})
        self.starts = wanted[:afforded]
        """The branches that the budget allows, in the order of the plan; the others are gaps already."""
        self.cut = len(wanted) - afforded
        """Number of branches that the budget does not allow."""
        self._given: dict[int, Slice] = {}
        for start in wanted[afforded:]:
            text = "left out of the plan: the budget does not allow it"
            self._outcomes[start.index] = build_missing_outcome(start, text, type=FailureType.BUDGET)
        self._failures = 0
        """Branches that failed in a row."""
        self.dropped: set[int] = set()
        """The indices of branches that were dropped on request: they have no outcome, not even a gap."""
        self._dropped_usage = Usage()
        """The usage of dropped branches."""
        self._joined = False
        """Branches were added. The budget of the others does not come back until they end."""

    @property
    def used(self) -> Usage:
        """Return the usage of the branches that have ended."""
        return sum_usages(outcome.usage for outcome in self._outcomes.values()) + self._dropped_usage

    def replan(self, work: RunBranches) -> tuple[BranchStart, ...]:
        """The same visit with other branches: those of `work`, by their indices.

        Returns:
            The branches that are new. They share what is left with those that wait; where that is too little they wait
            until others have ended. Those that are not among them are dropped, wherever they stand.
        """
        before, now = ({start.index for start in one.branches} for one in (self._work, work))
        added = tuple(start for start in work.branches if start.index not in before)
        for index in before - now:
            self._drop(index)
        self._work = work
        self.starts = (*(start for start in self.starts if start.index in now), *added)
        self._allotment = self._allotment.add_branches(len(added))
        self._joined = self._joined or bool(added)
        return added

    def _drop(self, index: int) -> None:
        self.dropped.add(index)
        if (outcome := self._outcomes.pop(index, None)) is not None:
            self._dropped_usage += outcome.usage
        elif index not in self._given:
            self._allotment = self._allotment.add_branches(-1)

    def begin(self, start: BranchStart, budget: Budget) -> Limits | Ending | None:
        """Returns the limits of the branch; the reason to wait, if it may; or None if it is a gap or was dropped.

        Args:
            start: one of `starts`.
            budget: of the run that the branch belongs to, as it is now.
        """
        if start.index in self.dropped:
            return None
        seconds = self._seconds(budget)
        allotment, given = self._allotment.take()
        short = self._short_of(given, seconds)
        pauses = budget.limits.when_exhausted == "pause"
        others_may_leave_more = self._joined and bool(self._given) and short is not None and short.kind != "time"
        if short is not None and self.over is None and (pauses or others_may_leave_more):
            return short
        if self.over is not None or short is not None:
            no_time = seconds < self._figures.shortest_seconds
            kind = "NotStarted" if self.over is not None or no_time else FailureType.BUDGET
            reason = self.over or (short.detail if short else "")
            self._outcomes[start.index] = build_missing_outcome(start, reason, type=kind)
            self._allotment = allotment.give_back(given, Usage())
            return None
        self._allotment, self._given[start.index] = allotment, given
        own = {"tokens": given.tokens, "cost_microusd": given.cost_microusd, "seconds": seconds}
        return Limits.model_validate(budget.limits.model_dump() | own)

    def end(self, start: BranchStart, outcome: BranchOutcome) -> None:
        """Ends a branch that had begun; what it did not use goes to those that wait."""
        self._allotment = self._allotment.give_back(self._given.pop(start.index), outcome.usage)
        if start.index in self.dropped:
            self._dropped_usage += outcome.usage
            return
        self._outcomes[start.index] = outcome
        self._failures = self._failures + 1 if outcome.gap else 0
        if outcome.gap and outcome.gap.type == FailureType.MODEL_REFUSED:
            self.over = f"{start.title!r} could not continue: {outcome.gap.reason}"
        elif outcome.gap and self._failures == self._figures.breaker_failures:
            failed = f"{self._failures} {word_branches(self.node)[1]} in a row had failed"
            self.over = f"{failed}, the last one: {outcome.gap.reason}"

    def share_top_up(self, extra: TopUp, limits: Limits, open_branches: Collection[int]) -> dict[int, TopUp]:
        """Shares a top-up of the run among running and waiting branches.

        Args:
            extra: what was added to the limits of the run.
            limits: of the run, raised.
            open_branches: the indices of branches that have begun and not ended.

        Returns:
            The part of each open branch. Iterations, steps and time are not divided: branches run side by side.
        """
        gained = Budget(limits=limits, exit_needs=self._exit_needs).compute_gain(extra)
        tokens, cost = gained.tokens or 0, gained.cost_microusd or 0
        self._allotment = self._allotment.add_amount(tokens, cost)
        tokens = min(tokens, max(0, self._allotment.tokens))  # what branches overspent is made up for first
        cost = min(cost, max(0, self._allotment.cost_microusd or 0))
        parts = max(1, len(open_branches) + self._allotment.waiting)
        waves = 1 + -(-self._allotment.waiting // self.node.max_concurrency)
        part = extra.model_copy(
            update={
                "tokens": tokens // parts,
                "cost_microusd": cost // parts,
                "seconds": extra.seconds * (1 - limits.reserve) / waves * self._figures.writing_share,
            }
        )
        return self._granted(part, open_branches)

    def passed_on(self, short: Collection[int]) -> dict[int, TopUp]:
        """Return the leftovers of ended branches, for the open ones that are short of them; nothing if too small."""
        parts = max(1, len(short))
        left = Slice(
            tokens=max(0, self._allotment.tokens) // parts,
            cost_microusd=None if (cost := self._allotment.cost_microusd) is None else max(0, cost) // parts,
        )
        if self._allotment.waiting or not left.carries(minimum_tokens=0):
            return {}
        return self._granted(TopUp(tokens=left.tokens, cost_microusd=left.cost_microusd or 0), short)

    def _granted(self, part: TopUp, indices: Collection[int]) -> dict[int, TopUp]:
        if part == TopUp():
            return {}
        for index in indices:
            self._given[index] = self._given[index].add_amount(part)
            self._allotment = self._allotment.add_amount(-part.tokens, -part.cost_microusd)
        return dict.fromkeys(indices, part)

    def entry(self, at: float) -> StepCompleted | StepFailed:
        """Return the outcomes of all branches, in the order of the plan; a failure if too few of them succeeded.

        If none succeeded and some found no answer, it is no failure: the report then says so, section by section.
        """
        outcomes = tuple(outcome for _, outcome in sorted(self._outcomes.items()))
        usage = self.used
        succeeded = sum(outcome.status in SUCCEEDED for outcome in outcomes)
        nothing_answers = not succeeded and any(outcome.unanswered for outcome in outcomes)
        step, node = self._work.step, self._work.node
        refused = next((one.gap for one in outcomes if one.gap and one.gap.type == FailureType.MODEL_REFUSED), None)
        if refused is not None:  # someone has to mend something first, as in a run without branches
            failure = Failure(node=node, type=refused.type, message=refused.reason[:2_000], fatal=True)
            return StepFailed(step=step, node=node, at=at, failure=failure, usage=usage)
        if succeeded < self.node.must_succeed and not nothing_answers:
            reasons = "; ".join(f"{one.title}: {_explain_gap(one)}" for one in outcomes if one.status not in SUCCEEDED)
            message = f"{succeeded} of {len(outcomes)} branches succeeded, {self.node.must_succeed} must: {reasons}"
            failure = Failure(node=node, type=FailureType.BRANCHES_FAILED, message=message[:2_000])
            return StepFailed(step=step, node=node, at=at, failure=failure, usage=usage)
        output = BranchOutcomes(branches=outcomes, dropped=self._dropped_usage).model_dump(mode="json")
        return StepCompleted(step=step, node=node, at=at, output=output, usage=usage)

    def _short_of(self, given: Slice, seconds: float) -> Ending | None:
        """Why a branch with so much is better not begun."""
        if seconds < self._figures.shortest_seconds:
            return Ending(kind="time", detail="no time was left for it")
        if not given.carries(self._work.minimum_tokens):
            kind: EndKind = "cost" if given.cost_microusd == 0 else "tokens"
            return Ending(kind=kind, detail=f"earlier {word_branches(self.node)[1]} left too little of the budget")
        return None

    def _seconds(self, budget: Budget) -> float:
        """An equal share of the time that is left for research, as many waves as there are to come."""
        left = budget.research_seconds() - budget.elapsed
        waves = -(-max(1, self._allotment.waiting) // self.node.max_concurrency)  # rounded up
        return min(self.node.timeout_seconds, left / waves * self._figures.writing_share)


def same_branch(start: BranchStart, begun: BranchInput) -> bool:
    """Whether a branch that was begun with this is the one that is to be started."""
    return (start.title, start.input.question) == (begun.title or begun.question, begun.question)


def _match_kept_branches(starts: Iterable[BranchStart], kept: Iterable[KeptBranch]) -> dict[int, BranchOutcome]:
    """The outcomes of an earlier visit, by the index of the branch that need not be started; each counts once."""
    left = list(kept)
    found = {}
    for start in starts:
        known = next((one for one in left if same_branch(start, one.start)), None)
        if known is not None:
            left.remove(known)
            found[start.index] = known.outcome.model_copy(update={"index": start.index})
    return found


def _explain_gap(outcome: BranchOutcome) -> str:
    return outcome.gap.reason if outcome.gap else "no source answers it"


def visit_of(graph: ResearchGraph, run: Run) -> RunBranches:
    """The branches of the node that `run` is at.

    Raises:
        ValidationError: what its expressions gave does not fit a branch's input.
        InputInvalid: there are too many.
        EngineFault: the run is at another kind of node.
    """
    work = build_command(graph, run, ExpressionReader(run))
    if not isinstance(work, RunBranches):
        raise EngineFault(f"node {run.node!r} has no branches")
    return work


def explain_replan_refusal(graph: ResearchGraph, run: Run, action: Steer) -> str | None:
    """Why the branches under way cannot be changed so; None if they can."""
    try:
        visit_of(graph, action.apply(run))
    except (ElcanoError, ValueError) as error:
        return f"the graph {graph.name!r} has no branches for these sections: {error}"
    return None
