"""Waiting without a worker: for more budget, or for an answer that cannot be had now, for as long as it takes.

A branch tells the run that it belongs to, which may then have to wait as well.
"""

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import BRANCH_HELD_SIGNAL
    from elcano.graphs.engine.entries import HoldCleared
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import BranchHeld, ResearchInput
    from elcano.graphs.state.failures import Ending
    from elcano.graphs.state.holds import Hold, in_short
    from elcano.workflows.interruptions import Interruptions
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
        self._shown.enter("approval" if hold is not None and hold.reason == "approval" else "paused")
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
        try:
            await workflow.wait_condition(
                lambda: timer.done() or self._interruptions.pending or self._journal.run.pause is not None
            )
        finally:
            timer.cancel()
        if self._interruptions.pending or self._journal.run.pause is not None:
            return
        now = workflow.time()
        if due < until:
            detail = f"{hold.node} could not be done in {limits.hold_seconds:g} s"
            self._interruptions.say(Ending(kind="provider", detail=detail))
        else:
            self._journal.record(HoldCleared(at=self._journal.elapsed(now)), now)

    async def show_release(self) -> None:
        """Ends the display of a hold that is over; to be called after each entry."""
        if self._shown.beneath in ("held", "approval") and self._journal.run.hold is None:
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
