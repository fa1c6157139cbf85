"""Waiting without a worker: for more budget, or for somebody who cannot answer now. It lasts as long as it must.

A branch tells the run that it belongs to, which may then have to wait as well.
"""

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import (
        BRANCH_HELD_SIGNAL,
        BRANCH_PAUSED_SIGNAL,
        BranchHeld,
        BranchPaused,
        ResearchInput,
    )
    from elcano.graphs.engine.commands import Resumed
    from elcano.graphs.frozen import Frozen
    from elcano.graphs.journal.journal import Journal
    from elcano.graphs.values.state import Ending, Hold
    from elcano.workflows.interruptions import Interruptions
    from elcano.workflows.showing import Shown


class Waiting:
    """Of one run."""

    def __init__(self, asked: ResearchInput, journal: Journal, interruptions: Interruptions, shown: Shown) -> None:
        self._asked = asked
        self._journal = journal
        self._interruptions = interruptions
        self._shown = shown
        self._topped_up = False

    def topped_up(self) -> None:
        """A branch got its part of a top-up; if that is not enough, it says so once more."""
        self._topped_up = True

    async def for_budget(self, over: Callable[[], bool] = lambda: False) -> None:
        """Waits for a top-up, for somebody to stop the run, or until it is `over`; time does not count meanwhile."""

        def go_on() -> bool:
            return self._journal.run.paused is None or self._interruptions.pending or over()

        stage = self._shown.stage
        self._shown.enter("paused")
        self._interruptions.aim()
        while not go_on():
            self._topped_up = False
            ending = self._journal.run.paused
            assert ending is not None
            notice = BranchPaused(run_id=self._asked.run_id, ending=ending, top_ups=self._journal.top_ups)
            await self._tell_run(BRANCH_PAUSED_SIGNAL, notice)
            await workflow.wait_condition(lambda: go_on() or self._topped_up)
        self._shown.enter(stage)

    async def for_answer(self, hold: Hold) -> None:
        """Waits until the next try of a held call is due, or until the run is interrupted."""
        limits = self._journal.run.budget.limits
        due = hold.until
        if limits.when_exhausted == "pause":
            due = min(due, hold.since + limits.hold_seconds)
        self._shown.enter("held")
        self._interruptions.aim()
        if hold.tries == 1:
            await self._tell_run(BRANCH_HELD_SIGNAL, BranchHeld(run_id=self._asked.run_id, hold=hold))
        timer = asyncio.create_task(
            workflow.sleep(max(0.0, due - workflow.time()), summary=f"{hold.node}: until try {hold.tries + 1}")
        )
        try:
            await workflow.wait_condition(lambda: timer.done() or self._interruptions.pending)
        finally:
            timer.cancel()
        if self._interruptions.pending:
            return
        now = workflow.time()
        if due < hold.until:
            detail = f"{hold.node} could not be done in {limits.hold_seconds:g} s"
            self._interruptions.say(Ending(kind="provider", detail=detail))
        else:
            self._journal.record(Resumed(at=self._journal.elapsed(now)), now)

    async def released(self) -> None:
        """To be called after each entry: what was held and is not any more is not shown so any more."""
        if self._shown.stage == "held" and self._journal.run.hold is None:
            self._shown.enter_work()
            self._interruptions.aim()
            await self._tell_run(BRANCH_HELD_SIGNAL, BranchHeld(run_id=self._asked.run_id, hold=None))

    async def _tell_run(self, signal: str, notice: Frozen) -> None:
        """Lets the run that this branch belongs to know."""
        parent = workflow.info().parent
        if self._asked.branch_of is not None and parent is not None:
            handle = workflow.get_external_workflow_handle(parent.workflow_id)
            await asyncio.gather(handle.signal(signal, notice))  # alone, it would swallow a cancellation
