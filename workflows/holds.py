"""Waiting without a worker: for more budget, for an answer that cannot be had now, or for approval of a tool call.

A branch notifies the run that it belongs to, which may then have to wait as well.

A tool call waits for its approval once all other refusals have been ruled out, each with a timer. The other calls of
the step continue; the run is held, and its clock stops, only once all remaining calls wait. A decision is in the log
before anything acts on it; an abandoned call no longer waits.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import BRANCH_HELD_SIGNAL
    from elcano.graphs.engine.approvals import find_waiting_call, hold_of
    from elcano.graphs.engine.entries import ApprovalExpired, ApprovalRequested, CallTool, Entry, Held, HoldCleared
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import BranchHeld, ResearchInput, format_label
    from elcano.graphs.state.failures import (
        Ending,
        Failure,
        FailureType,
        Hold,
        WaitingCall,
        in_short,
        shorten_arguments,
    )
    from elcano.workflows.interruptions import Interruptions
    from elcano.workflows.outcomes import LostCall
    from elcano.workflows.run_display import RunDisplay


class RunWaits:
    """The waits of one run."""

    def __init__(self, asked: ResearchInput, journal: Journal, interruptions: Interruptions, shown: RunDisplay) -> None:
        self._asked = asked
        self._journal = journal
        self._interruptions = interruptions
        self._shown = shown
        self._spoken_to = False
        self._telling: asyncio.Task[None] | None = None
        self._untold = False
        """Whether the last message to the parent run is outdated."""

    def hear(self) -> None:
        """A branch got something of its run; if it has to wait all the same, it says so once more."""
        self._spoken_to = True

    async def on(self, hold: Hold) -> None:
        """Wait until the run can continue, or is interrupted."""
        if hold.until is None:
            await self.for_somebody()
        else:
            await self._for_answer(hold, hold.until)

    async def while_paused(self) -> None:
        """Waits until the run is continued, stopped or rolled back."""
        await workflow.wait_condition(
            lambda: self._journal.run.pause is None or self._journal.run.going_back is not None
        )

    async def for_somebody(self, over: Callable[[], bool] = lambda: False) -> None:
        """Waits until the cause of the hold is resolved, the run is stopped, or `over` is true."""

        def go_on() -> bool:
            return self._journal.run.hold is None or self._interruptions.pending or over()

        stage = self._shown.beneath
        hold = self._journal.run.hold
        reason = hold.reason if hold is not None else "budget"
        self._shown.enter(reason if reason in ("approval", "answers") else "paused")
        self._interruptions.aim()
        while not go_on():
            self._spoken_to = False
            await self._tell_run(self._journal.run.hold)
            await workflow.wait_condition(lambda: go_on() or self._spoken_to)
        self._shown.enter(stage)

    async def _for_answer(self, hold: Hold, until: float) -> None:
        """Waits until the next try of a held call is due, or until the run is paused or interrupted."""
        limits = self._journal.run.budget.limits
        due, tried = until, self._journal.run.tried
        if limits.when_exhausted == "pause" and tried is not None:
            due = min(due, tried.since + limits.hold_seconds)
        self._shown.enter("held")
        self._interruptions.aim()
        if hold.tries == 1:
            await self._tell_run(hold)
        timer = asyncio.create_task(
            workflow.sleep(max(0.0, due - workflow.time()), summary=f"{hold.node}: until try {hold.tries + 1}")
        )

        def go_on() -> bool:
            run = self._journal.run  # unpaused in the same moment as it was paused, it has no hold any more
            return self._interruptions.pending or run.pause is not None or run.hold is None

        try:
            await workflow.wait_condition(lambda: timer.done() or go_on())
        finally:
            timer.cancel()
        if go_on():
            return
        now = workflow.time()
        if due < until:
            detail = f"{hold.node} could not be done in {limits.hold_seconds:g} s"
            self._interruptions.say(Ending(kind="provider", detail=detail))
        else:
            self._journal.record(HoldCleared(at=self._journal.elapsed(now)), now)

    async def show_release(self) -> None:
        """Ends the display of a hold that is over; to be called after each entry."""
        if self._shown.beneath in ("held", "approval", "answers") and self._journal.run.hold is None:
            self._shown.enter_work()
            self._interruptions.aim()
            await self._tell_run(None)

    def tell(self) -> None:
        """Notifies the parent run of a branch of its current hold, without waiting for the notice to arrive."""
        if self._asked.branch_of is not None:
            self._untold = True
            if self._telling is None or self._telling.done():
                self._telling = asyncio.create_task(self._tell_on())

    async def _tell_on(self) -> None:
        """Sends the current hold until it no longer changes: changes made during a notice are sent as one."""
        while self._untold:
            self._untold = False
            await self._tell_run(self._journal.run.hold)

    async def _tell_run(self, hold: Hold | None) -> None:
        """Notifies the parent run of a branch that it is on hold, or no longer is."""
        parent = workflow.info().parent
        if self._asked.branch_of is not None and parent is not None:
            notice = BranchHeld(
                run_id=self._asked.run_id, hold=hold, top_ups=self._journal.top_ups, calls=in_short(self._shown.calls)
            )
            handle = workflow.get_external_workflow_handle(parent.workflow_id)
            await asyncio.gather(handle.signal(BRANCH_HELD_SIGNAL, notice))  # alone, it would swallow a cancellation


class Approvals:
    """The pending approvals of one run."""

    def __init__(
        self, asked: ResearchInput, journal: Journal, interruptions: Interruptions, shown: RunDisplay, waiting: RunWaits
    ) -> None:
        self._asked = asked
        self._journal = journal
        self._interruptions = interruptions
        self._shown = shown
        self._waiting = waiting
        self._at_work = 0
        """Calls of the step that are in flight and do not wait for approval."""
        self._asking: set[str] = set()
        """Ids of those that wait."""

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """Within it a call of the step is under way."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1
            self._follow()

    async def await_decision(self, work: CallTool, item: int, lost: LostCall) -> str | LostCall:
        """Returns the id of the call once it is approved; else why it is not made. `lost` is how it failed."""
        call = self._call_of(work, item)
        self._record(ApprovalRequested(step=work.step, node=work.node, at=self._elapsed(), call=call))
        self._asking.add(call.id)
        self._at_work -= 1
        self._follow(changed=True)
        seconds = call.until - call.since
        timer = asyncio.create_task(
            workflow.sleep(seconds, summary=format_label(f"approval of {call.called}: {call.id}"))
        )
        try:
            await workflow.wait_condition(
                lambda: self._journal.run.pause is None and (timer.done() or bool(self._now(call.id).decision))
            )
        except asyncio.CancelledError:  # the run leaves, and this call was never made
            given_up = Failure(node=work.node, type=FailureType.ABANDONED, message="it was given up")
            return LostCall(given_up, abandoned=True)
        finally:
            timer.cancel()
            self._at_work += 1
            self._asking.remove(call.id)
        if not self._now(call.id).decision:
            self._record(ApprovalExpired(at=self._elapsed(), call=call.id))
        self._follow(changed=True)
        return _resolve_approval(self._now(call.id), lost)

    def _call_of(self, work: CallTool, item: int) -> WaitingCall:
        given, run, branch = work.inputs[item], self._journal.run, self._asked.branch_of
        arguments, whole = shorten_arguments(given.get("arguments") or {})
        now = workflow.time()
        return WaitingCall(
            id=f"{work.step:04d}-{work.node}"
            + (f"-{item + 1}" if work.for_each else "")
            + (f"r{run.undone_to}" if run.undone_to else ""),
            run_id=self._asked.run_id,
            section=branch.section if branch else "",
            step=work.step,
            node=work.node,
            server=str(given.get("server", "")),
            tool=str(given.get("tool", "")),
            arguments=arguments,
            whole=whole,
            since=now,
            until=now + run.budget.limits.hold_seconds,
        )

    def _now(self, id: str) -> WaitingCall:
        return find_waiting_call(self._journal.run, id)

    def _follow(self, *, changed: bool = False) -> None:
        """The run is held while every call that is left waits, and works while one does not.

        Args:
            changed: what waits has changed, which the run of a branch has to know.
        """
        run = self._journal.run
        if self._asking and not self._at_work and (run.hold is None or run.trying):
            self._record(Held(step=run.step, node=run.node, at=self._elapsed(), hold=hold_of(run)))
            self._shown.enter("approval")
        elif self._shown.beneath == "approval" and run.hold is None:
            self._shown.enter_work()
        elif changed:
            self._shown.refresh()
        else:
            return
        self._interruptions.aim()
        self._waiting.tell()

    def _record(self, entry: Entry) -> None:
        self._journal.record(entry, workflow.time())

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _resolve_approval(call: WaitingCall, lost: LostCall) -> str | LostCall:
    failure = lost.failure
    match call.decision:
        case "approved":
            return call.id
        case "refused":
            who = call.by or "Somebody"
            message = f"{who} refused the call of {call.called}: {call.reason}"[:2_000]
            return LostCall(failure.model_copy(update={"type": FailureType.APPROVAL_REFUSED, "message": message}))
        case _:
            message = f"the call was not approved within {call.until - call.since:g} s: {failure.message}"[:2_000]
            return LostCall(failure.model_copy(update={"message": message}))
