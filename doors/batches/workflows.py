"""The workflow of a batch: it runs turns until every question is done.

A turn is an activity of `background.py`: it starts runs and records which have ended. What a turn did is in the store,
so the history holds a few events for each minute, however many questions there are, and a turn that is cut off anywhere
is made again.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from datetime import timedelta
from typing import Final, Literal, TypeAlias

from temporalio import workflow
from temporalio.common import RetryPolicy

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenants import Tenant
from elcano.workflows.background_waits import Wakeable

WORKFLOW: Final = "BatchOfQuestions"
ADVANCE: Final = "advance_batch"
METADATA: Final = "elcano_batch"
"""The metadata of a run that says which batch started it."""

BatchState: TypeAlias = Literal["running", "waiting", "out_of_budget", "cancelling", "ended", "cancelled"]
"""`waiting`: for room or a quota, after which it continues by itself; `out_of_budget`: for a top-up."""


class BatchWork(Frozen):
    """A batch by its name; its questions are in the store."""

    tenant: Tenant
    batch: str

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: no tenant's name has a full stop, so no two batches share one."""
        return f"batch.{self.tenant}.{self.batch}"


class BatchProgress(Frozen):
    """Progress of a batch."""

    state: BatchState
    waiting: int = 0
    """Questions whose runs are yet to be started."""
    open: int = 0
    """Questions whose runs are open."""
    reason: str = ""
    """Why it waits."""
    look_after: float = 0.0
    """Seconds to the next turn, if nothing wakes it before."""


TURN_TIMEOUT: Final = timedelta(minutes=10)
"""Starting runs may take some of it."""
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
OFTEN: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
TURNS: Final = 500
"""Turns after which the workflow is continued as new: some thousand events."""


@workflow.defn(name=WORKFLOW)
class BatchWorkflow(Wakeable):
    """Works on one batch: a turn whenever a run has ended, or the batch was topped up or cancelled."""

    @workflow.run
    async def run(self, work: BatchWork) -> BatchProgress:
        """Return the progress of the batch once it has ended."""
        for _ in range(TURNS):
            seen = self.wakes
            progress: BatchProgress = await workflow.execute_activity(
                ADVANCE,
                work,
                result_type=BatchProgress,
                start_to_close_timeout=TURN_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=OFTEN,
            )
            workflow.set_current_details(
                f"**{progress.state}**: {progress.waiting} questions wait, {progress.open} runs are open"
            )
            if progress.state in ("ended", "cancelled") and self.wakes == seen:  # else questions may have been added
                return progress
            await self.wait_for_wake(seen, progress.look_after)
        workflow.continue_as_new(work)
