"""Runs branches in parallel as child workflows of the same class; `graphs.lifecycle.fanout` keeps the books.

A branch that waits for more budget makes room for others. It continues with its share of a top-up, or with what others
left over; only when all remaining branches wait is the run itself out of budget.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping

from temporalio import workflow
from temporalio.exceptions import ApplicationError, CancelledError, ChildWorkflowError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.engine.control_actions import Action, AddBudget, Pause, Stop, Unpause
    from elcano.graphs.engine.entries import BranchStart, RunBranches, StepCompleted, StepFailed
    from elcano.graphs.engine.routing import DIVIDED_ENDINGS
    from elcano.graphs.engine.steering import Steer
    from elcano.graphs.lifecycle.event_texts import (
        EventDraft,
        narrate_branch_end,
        narrate_branch_start,
        narrate_plan_cut,
    )
    from elcano.graphs.lifecycle.fanout import FanOut, explain_replan_refusal, same_branch, visit_of
    from elcano.graphs.lifecycle.handover import build_branch_outcome, build_missing_outcome
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.lifecycle.start_and_fold import branch_going_on, build_branch_input, resolve_run_date
    from elcano.graphs.run_contracts import (
        BranchHeld,
        ControlRequest,
        ResearchInput,
        ResearchResult,
        ResumedFrom,
    )
    from elcano.graphs.spec.graph import ParallelNode
    from elcano.graphs.state.branches import BranchOutcome
    from elcano.graphs.state.budget import Limits, TopUp, Usage
    from elcano.graphs.state.failures import Ending, Hold, HoldReason, WaitingCall
    from elcano.workflows.branch import Branch, Child, Gate, send_branch_control, start_branch
    from elcano.workflows.calls import Performer
    from elcano.workflows.run_display import RunDisplay


class BranchRunner:
    """Runs the branches of one visit of one parallel node."""

    def __init__(
        self, asked: ResearchInput, journal: Journal, work: RunBranches, performer: Performer, shown: RunDisplay
    ) -> None:
        node = asked.graph.by_id[work.node]
        assert isinstance(node, ParallelNode)
        self._asked = asked
        self._journal = journal
        self._work = work
        self._performer = performer
        self._shown = shown
        self._room = Gate(node.max_concurrency)
        resumed_from = _resumed_from(asked, work)
        self._older = list(resumed_from.open) if resumed_from else []
        """Earlier branches whose entries this visit's branches continue from."""
        self._books = FanOut(node, work, journal.run, resumed_from.kept if resumed_from else ())
        self._unstarted = len(self._books.starts)
        self._over = False
        self._postponed: dict[int, Ending] = {}
        """Branches that cannot begin without more budget, by their index; emptied whenever they may try again."""
        self._open: dict[str, Branch] = {}
        """The open branches by run id."""
        self._tasks: list[asyncio.Task[None]] = []
        """The work to finish before the visit is over: each branch, and the messages to them."""
        self._parting: Callable[[Child], Awaitable[None]] | None = None
        """The last message to all open branches; a branch that was starting meanwhile gets it as well."""
        self._unsent: list[ControlRequest] = []
        """Messages to the open branches, in the order of the requests."""

    async def run(self) -> StepCompleted | StepFailed:
        """Run all branches, and return their outcomes in the order of the plan."""
        starts = self._books.starts
        if self._books.cut:
            self._tell(narrate_plan_cut(self._books.node, len(starts), len(self._work.branches)))
        telling = asyncio.create_task(self._tell_branches())
        try:
            self._begin(starts)
            while unfinished := [task for task in self._tasks if not task.done()]:
                await asyncio.gather(*unfinished)
            for task in self._tasks:
                task.result()
        finally:
            telling.cancel()
        self._over = True
        return self._books.entry(self._elapsed())

    def _begin(self, starts: Iterable[BranchStart]) -> None:
        self._tasks += [asyncio.create_task(self._branch(start)) for start in starts]

    @property
    def exhausted(self) -> Ending | None:
        """Why nothing can continue without more budget; None as long as something can."""
        paused = [branch.paused for branch in self._open.values() if not branch.granted]
        waiting = [*self._postponed.values(), *paused]
        if self._parting or not waiting or None in waiting:
            return None
        if self._unstarted > len(self._postponed) or len(paused) < len(self._open):
            return None
        first = next(ending for ending in waiting if ending)
        return Ending(kind=first.kind, detail=f"every section that is left waits: {first.detail or first.kind}")

    @property
    def some_hold(self) -> Hold | None:
        """Return the reason why one of the open branches waits for an answer; None if none does.

        A hold whose time counts comes first: while a call waits for approval, no time counts.
        """
        holds = [branch.hold for branch in self._open.values() if branch.hold is not None]
        return next((hold for hold in holds if hold.reason != "approval"), holds[0] if holds else None)

    @property
    def calls(self) -> tuple[WaitingCall, ...]:
        """The calls of open branches that wait for approval."""
        return tuple(call for branch in self._open.values() for call in branch.calls)

    @property
    def hold(self) -> Hold | None:
        """Return the common wait of all remaining branches, if it is not budget alone; None while one continues."""
        waits = (branch.child is not None and (branch.hold or branch.paused) for branch in self._open.values())
        return self.some_hold if not self._parting and all(waits) else None

    @property
    def used(self) -> Usage:
        """Return the usage of the branches that have ended; it is charged when the last one has."""
        return self._books.used

    @property
    def waits(self) -> dict[str, HoldReason]:
        """Return the reasons of the waiting branches, by run id."""
        held = {branch.run_id: branch.hold.reason for branch in self._open.values() if branch.hold is not None}
        return held | {branch.run_id: "budget" for branch in self._open.values() if branch.paused is not None}

    def held(self, notice: BranchHeld) -> None:
        """A branch waits, or does not any more. If it is for budget, what others left over may already help it."""
        branch = self._open.get(notice.run_id)
        if branch is None:  # it has ended
            return
        self._notice(branch, notice)
        self._shown.refresh()

    def _notice(self, branch: Branch, notice: BranchHeld) -> None:
        branch.calls = notice.calls
        if notice.hold is None or notice.hold.ending is None:
            branch.hold = notice.hold
        elif notice.top_ups >= branch.top_ups:  # else it was given more meanwhile
            branch.paused = notice.hold.ending
            self._pass_on()

    def refusal(self, action: Action) -> str | None:
        """Explains why branches can no longer be added or dropped; None if they can, or none are to be."""
        if not isinstance(action, Steer) or not action.changes_sections:
            return None
        if self._over or self._parting:
            return "it is too late to change sections: they are over, or are being ended"
        return explain_replan_refusal(self._asked.graph, self._journal.run, action)

    def control(self, request: ControlRequest) -> None:
        """Passes on a request made to the run, in parts if it is divided; a steered run has its new plan already."""
        match request.action:
            case AddBudget(extra=extra):
                self._top_up(extra)
            case Pause() | Unpause():
                self._unsent.append(request)
            case Steer() as steered:
                for part in steered.for_branches:
                    split = request.model_copy(update={"action": part})
                    self._tasks += [asyncio.create_task(self._say(split, branch)) for branch in self._open.values()]
                if steered.changes_sections:
                    self._replan()

    async def _tell_branches(self) -> None:
        """Sends requests on one after the other, so that each branch receives them in order."""
        while True:
            await workflow.wait_condition(lambda: bool(self._unsent))
            request = self._unsent.pop(0)
            await asyncio.gather(
                *(send_branch_control(branch.child, request) for branch in self._open.values() if branch.child)
            )

    def _replan(self) -> None:
        """Starts new branches when there is room, and cancels running ones that were dropped."""
        added = self._books.replan(visit_of(self._asked.graph, self._journal.run))
        self._unstarted += len(added)
        self._begin(added)
        self._postponed.clear()
        for branch in self._open.values():
            if branch.start.index in self._books.dropped and branch.child is not None:
                branch.child.cancel()

    async def _say(self, request: ControlRequest, branch: Branch) -> None:
        """Lets a branch know, once it is there."""
        await workflow.wait_condition(lambda: branch.child is not None)
        if not branch.ended:
            await send_branch_control(branch.handle, request)

    def _top_up(self, extra: TopUp) -> None:
        open_branches = {branch.start.index for branch in self._open.values()} - self._books.dropped
        self._grant(self._books.share_top_up(extra, self._journal.run.budget.limits, open_branches))
        self._postponed.clear()

    async def ask_to_stop(self, reason: str) -> None:
        """Lets the open branches write what they have; waiting ones are not started."""

        async def stop(child: Child) -> None:
            await send_branch_control(child, ControlRequest(action=Stop(reason=reason[:500])))

        await self._part(stop, reason)

    async def give_up(self, reason: str, cancellation: str | None = None) -> None:
        """Ends the open branches as they are; `cancellation` is the reason that the run's own has, if it has one."""

        async def cancel(child: Child) -> None:
            child.cancel(cancellation or reason)

        await self._part(cancel, reason)

    async def _part(self, parting: Callable[[Child], Awaitable[None]], reason: str) -> None:
        self._books.over, self._parting = reason, parting
        self._postponed.clear()
        await asyncio.gather(*(parting(branch.child) for branch in self._open.values() if branch.child))

    async def _branch(self, start: BranchStart) -> None:
        begun = await self._once_begun(start)
        while isinstance(begun, Ending):
            await workflow.wait_condition(lambda: start.index not in self._postponed)
            begun = await self._once_begun(start)
        while begun is not None and begun.run_id in self._open:
            await workflow.wait_condition(lambda: begun.ended or begun.granted is not None)
            async with self._room:
                await self._working(begun)

    async def _once_begun(self, start: BranchStart) -> Branch | Ending | None:
        """Returns the branch once it needs no slot; the reason that it cannot begin yet; or None for a gap."""
        async with self._room:
            await workflow.wait_condition(lambda: self._journal.run.pause is None or self._parting is not None)
            limits = self._books.begin(start, self._journal.run.budget.at(self._elapsed()))
            if isinstance(limits, Ending):
                self._postponed[start.index] = limits
                self._pass_on()
                return limits
            self._unstarted -= 1
            if limits is None:
                self._pass_on()
                return None
            branch = await self._begun(start, limits)
            await self._working(branch)
            return branch

    async def _begun(self, start: BranchStart, limits: Limits) -> Branch:
        today = resolve_run_date(self._asked, self._journal)
        asked = build_branch_input(self._asked, start, limits, self._journal.run, today)
        older = next((one for one in self._older if same_branch(start, one.start)), None)
        if older is not None:
            self._older.remove(older)
            asked = branch_going_on(asked, older)
        self._tell(narrate_branch_start(self._work.node, start, asked.run_id))
        branch = self._open[asked.run_id] = Branch(asked.run_id, start)
        child = branch.child = await start_branch(asked)
        if self._parting is not None:
            await self._parting(child)
        elif start.index in self._books.dropped:
            child.cancel()
        elif (pause := self._journal.run.pause) is not None:  # it was paused while this one was being started
            await send_branch_control(child, ControlRequest(action=Pause(reason=pause.detail), by=pause.by))
        return branch

    async def _working(self, branch: Branch) -> None:
        """Returns once the branch needs no room; if it has ended, its outcome is in the books."""
        while not branch.at_rest or branch.granted is not None:
            if branch.granted is not None:
                await self._send_granted(branch)
            await workflow.wait_condition(lambda: branch.at_rest or branch.granted is not None)
        if branch.ended:
            outcome = await self._outcome(branch)
            del self._open[branch.run_id]
            self._books.end(branch.start, outcome)
            dropped = branch.start.index in self._books.dropped
            self._tell(narrate_branch_end(self._work.node, outcome, dropped=dropped))
            self._shown.after_branch()
            self._postponed.clear()
            self._pass_on()

    async def _outcome(self, branch: Branch) -> BranchOutcome:
        """Returns the outcome of a branch; after an error its usage is in the error, unless it was cut off."""
        try:
            return build_branch_outcome(branch.start, await branch.handle)
        except ChildWorkflowError as error:
            cause = error.cause
            if isinstance(cause, ApplicationError) and cause.details:
                return build_branch_outcome(branch.start, ResearchResult.model_validate(cause.details[0]))
            cancelled = isinstance(cause, CancelledError)
            reason = self._books.over or "it was cancelled" if cancelled else str(cause or error)
            used = await self._performer.used(run_id=branch.run_id)
            return build_missing_outcome(branch.start, reason, type=type(cause).__name__, usage=used)

    def _pass_on(self) -> None:
        """Give the leftovers of ended branches to those that wait for them, once no other branch is working."""
        if self.exhausted is not None:
            paused = ((branch.start.index, branch.paused) for branch in self._open.values())
            self._grant(self._books.passed_on({index for index, why in paused if why and why.kind in DIVIDED_ENDINGS}))

    def _grant(self, parts: Mapping[int, TopUp]) -> None:
        """Send each branch its share: at once if it is running, or when there is room for it to continue."""
        for branch in self._open.values():
            if (part := parts.get(branch.start.index)) is not None:
                branch.granted = part if branch.granted is None else branch.granted + part

    async def _send_granted(self, branch: Branch) -> None:
        part, branch.granted, branch.paused = branch.granted or TopUp(), None, None
        branch.top_ups += 1
        await send_branch_control(branch.handle, ControlRequest(action=AddBudget(extra=part)))

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())

    def _tell(self, draft: EventDraft) -> None:
        self._journal.tell(draft, workflow.time())
        self._shown.refresh()


def _resumed_from(asked: ResearchInput, work: RunBranches) -> ResumedFrom | None:
    """Return how this visit continues, if the run was resumed in it."""
    return asked.resumed_from if asked.carried is not None and asked.carried.run.step == work.step else None
