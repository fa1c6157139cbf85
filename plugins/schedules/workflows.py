"""One time of a schedule: a run is started once, and waited for, so that Temporal knows what overlaps."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

from elcano.plugins.schedules.contracts import START, WAIT, WORKFLOW, ScheduledQuestion, ScheduledStart, StartedRun

START_TIMEOUT: Final = timedelta(minutes=1)
GIVE_UP_AFTER: Final = timedelta(hours=6)
"""A run that could not be started for so long is not started: the next time comes."""
WAIT_TIMEOUT: Final = timedelta(hours=12)
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
RETRIES: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5))


@workflow.defn(name=WORKFLOW)
class ScheduledRunWorkflow:
    """Starts one run and waits for its end."""

    @workflow.run
    async def run(self, question: ScheduledQuestion) -> StartedRun:
        """Returns the outcome once the run has ended; at once if none was started."""
        started: StartedRun = await workflow.execute_activity(
            START,
            ScheduledStart(question=question, key=workflow.info().workflow_id),
            result_type=StartedRun,
            start_to_close_timeout=START_TIMEOUT,
            schedule_to_close_timeout=GIVE_UP_AFTER,
            retry_policy=RETRIES,
        )
        if started.run_id:
            await workflow.execute_activity(
                WAIT,
                started.run_id,
                start_to_close_timeout=WAIT_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=RETRIES,
            )
        return started
