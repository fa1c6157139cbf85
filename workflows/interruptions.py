"""Interruptions of a run's research: by a person, its clock, or a reset.

At most one ending is pending; the code that takes it handles it. The clock ends the research in time for the report,
and then the report itself if that takes too long. Time that does not count moves the clock.

A cancellation is no interruption: `research.py` gets it as a `CancelledError`, and ends the run without a report.

A deadline takes the same steps on every version of Python, which asyncio's `wait_for` does not: a run started by one
Python could not be continued by another. The timer is Temporal's own, in a task of its own.
"""

import asyncio
from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import REOPEN_RUN, ReopenCall, Reopened
    from elcano.graphs.engine.entries import Diverted, Entry, RolledBack, StepAbandoned
    from elcano.graphs.engine.run import Run
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import ResearchInput, ResumedFrom
    from elcano.graphs.state.failures import Ending
    from elcano.workflows import retry_policies

BEGUN_ANEW: Final = "reset-at-first-task"
"""Marks the history of a run that was reset to its very first task and knows it."""

A_MOMENT: Final = timedelta(milliseconds=1)
"""Waiting this long leads to the next task: by then everything that the task of a reset brought with it is in the log.
"""


class Deadline:
    """A moment that can be moved; a waiting task waits for the new one."""

    def __init__(self, at: float | None) -> None:
        self.at = at
        """In seconds since the epoch, by the workflow's clock; None: never."""

    async def wait(self) -> None:
        """Returns once the moment has come."""
        while self.at is None or self.at > workflow.time():
            if self.at is None:
                await self.wait_for_move()
            else:
                await self._moved_or_come(self.at)

    async def wait_for_move(self) -> None:
        """Returns once the moment was moved."""
        waited_for = self.at
        await workflow.wait_condition(lambda: self.at != waited_for)

    async def _moved_or_come(self, moment: float) -> None:
        """Returns once `moment`, at which the deadline is now, has come or is no longer the deadline."""
        timer = asyncio.create_task(workflow.sleep(moment - workflow.time(), summary="time budget"))
        try:
            await workflow.wait_condition(lambda: timer.done() or self.at != moment)
        finally:
            timer.cancel()


class Interruptions:
    """The interruptions of one run. `watch` and `watch_resets` run in parallel to it from its start to its end."""

    def __init__(self, asked: ResearchInput, journal: Journal) -> None:
        self._asked = asked
        self._journal = journal
        self._deadline = Deadline(None)
        self._ending: Ending | None = None
        """A pending ending by the clock, or by a call without an answer."""
        self._taken: Ending | None = None
        """The requested ending, once it was taken."""
        self._resumed_from = asked.resumed_from
        self._reset = asked.resumed_from is not None
        """Whether undone steps are not in its log yet."""
        self._broken: ActivityError | None = None
        workflow.register_random_seed_callback(self._was_reset)
        if not self._reset and _begins_anew():
            self._was_reset(0)

    @property
    def pending(self) -> bool:
        """Whether an ending is pending, or the run is to go back."""
        return self._ending is not None or self._stopping is not None or self._journal.run.going_back is not None

    def say(self, ending: Ending) -> None:
        """Make this ending pending; also one that was taken and could not be followed."""
        if ending is self._journal.run.stopping:
            self._taken = None
        elif not (self._reset and ending.kind == "time"):  # the time since before the reset does not count
            self._ending = ending

    def take(self) -> Ending | None:
        """Take the pending ending; a request by a person takes precedence over the clock."""
        ending = self._stopping or self._ending
        self._taken, self._ending = self._journal.run.stopping, None
        return ending

    @property
    def _stopping(self) -> Ending | None:
        """Return the requested stop that has not been taken yet."""
        stopping = self._journal.run.stopping
        return None if stopping is self._taken else stopping

    def aim(self) -> None:
        """Sets the clock to the end of the research; it stops while time does not count."""
        journal = self._journal
        still = journal.stands_still or not journal.begun
        self._deadline.at = None if still else journal.due(journal.run.budget.research_seconds())

    def keep_time(self) -> None:
        """Restart a stopped clock once time counts again."""
        if self._deadline.at is None:
            self.aim()

    async def watch(self) -> None:
        """Ends the research in time for the report, and then the exit node if it takes too long.

        The second timer is only started once the first has fired, which most runs never see.
        """
        while True:
            await self._deadline.wait()
            budget = self._journal.run.budget
            limit, research = budget.limits.seconds, budget.research_seconds()
            over = self._elapsed() >= limit
            if over or not self._journal.leaving:
                of_research = f"{research:g} of {limit:g} s are for research"
                detail = f"the time of {limit:g} s is used up" if over else of_research
                self.say(Ending(kind="time", detail=detail))
            if over:
                await self._deadline.wait_for_move()
            else:
                self._deadline.at = self._journal.due(limit)

    async def settle_reset(self) -> None:
        """Return at once, unless the run was reset or resumed: then return once that is in its log.

        Raises:
            ActivityError: its record cannot be corrected. This fails the run, once.
        """
        if self._reset:
            await workflow.wait_condition(lambda: not self._reset or self._broken is not None)
        if self._broken is not None:
            broken, self._broken, self._reset = self._broken, None, False
            self._journal.thaw(workflow.time())
            raise broken

    async def watch_resets(self) -> None:
        """Records in the log that the run was reset or resumed, and continues with the next unseen number."""
        while True:
            await workflow.wait_condition(lambda: self._reset)
            resumed_from, self._resumed_from = self._resumed_from, None
            if resumed_from is None:
                await workflow.sleep(A_MOMENT, summary="receives what came with the reset")
            try:
                reopened: Reopened = await workflow.execute_activity(
                    REOPEN_RUN,
                    self._reopening(resumed_from),
                    result_type=Reopened,
                    summary="record that the run continues",
                    **retry_policies.BOOKS,
                )
            except ActivityError as error:
                self._broken = error
                return
            now = workflow.time()
            self._journal.thaw(now)
            at, last_event = self._journal.elapsed(now), max(reopened.last_event, self._journal.last)
            entry = RolledBack(at=at, last_event=last_event)
            going_on = (
                resumed_from.entry.model_copy(update={"at": at, "last_event": last_event}) if resumed_from else entry
            )
            self._journal.record(going_on, now)
            if self._ending is not None and self._ending.kind == "time":
                self._ending = None
            self.aim()
            self._reset = False

    def _reopening(self, resumed_from: ResumedFrom | None) -> ReopenCall:
        call = ReopenCall(run_id=self._asked.run_id, tenant=self._asked.tenant, step=self._journal.run.step)
        if resumed_from is None:
            return call
        entry = resumed_from.entry
        return call.model_copy(
            update={
                "resumed": True,
                "undone": resumed_from.undone,
                "kept": (*entry.kept, *entry.open),
                "from_run": entry.from_run,
                "evidence": resumed_from.evidence,
                "artifacts": resumed_from.artifacts,
            }
        )

    def _was_reset(self, seed: int) -> None:
        """Called by the SDK in the first task after a reset, no matter who requested it, before anything else runs."""
        self._reset = True
        self._journal.freeze()

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _begins_anew() -> bool:
    """Whether the run was reset to its very first task, which the SDK reports before any handler exists.

    Such an execution has another id than the one that it was made from, and so has every other one that was reset: in
    those the task is replayed, and its history has no such mark. In a replay ids say nothing (a history that is read
    from a file gets the first one), but the mark does.
    """
    info = workflow.info()
    other = info.run_id != info.original_execution_run_id
    return (other or workflow.unsafe.is_replaying()) and workflow.patched(BEGUN_ANEW)


def is_cancelled() -> bool:
    """Return whether the run was cancelled. Otherwise the worker cancels it, to evict it from its cache."""
    return workflow.cancellation_reason() is not None


def entry_from_interruption(journal: Journal, interruption: Ending, now: float) -> Entry:
    """Build the entry of an ending that comes while no call is in progress; a held exit is given up."""
    run, at, ending = journal.run, journal.elapsed(now), add_hold_reason(journal.run, interruption)
    if run.tried is not None and journal.leaving:
        return StepAbandoned(step=run.step, node=run.node, at=at, ending=ending)
    return Diverted(at=at, ending=ending)


def add_hold_reason(run: Run, interruption: Ending) -> Ending:
    """An ending with what the run had been trying without success, if it had."""
    hold = run.hold
    if hold is None or not hold.tries:
        return interruption
    tries = run.tried.all_tries if run.tried is not None else hold.tries
    why = f"{hold.node} was tried {tries} times unsuccessfully: {hold.detail}"
    return interruption.model_copy(update={"detail": "; ".join(filter(None, (interruption.detail, why)))})
