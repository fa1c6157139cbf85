"""The workflow of a batch: it runs turns until every question is done.

What a turn did is in the store, so a turn that is cut off anywhere is made again.
"""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

from elcano.doors.batches.contracts import ADVANCE, WORKFLOW, BatchProgress, BatchWork
from elcano.workflows.background_waits import Wakeable

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
