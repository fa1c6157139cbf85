"""One time of a schedule: a run is started once, and its end is awaited, so that Temporal knows what overlaps."""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy, SearchAttributeKey

from elcano.doors.schedules.contracts import (
    CHECK,
    GIVE_UP_AFTER,
    START,
    WORKFLOW,
    OwnRun,
    ScheduledQuestion,
    ScheduledStart,
    StartedRun,
)
from elcano.workflows.background_waits import Wakeable

START_TIMEOUT: Final = timedelta(minutes=1)
RECHECK_SECONDS: Final = 3_600.0
"""Interval at which a run is looked at that has not said that it ended: that may be lost with a restored database."""
SCHEDULED_BY: Final = SearchAttributeKey.for_keyword("TemporalScheduledById")
"""The server's own attribute: the id of the schedule that started a workflow."""
RETRIES: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5))


# A schedule that was changed with Temporal's tools may start it without a question: it fails, and its task does not for
# ever, so that the next time can come.
@workflow.defn(name=WORKFLOW, failure_exception_types=[Exception])
class ScheduledRunWorkflow(Wakeable):
    """Starts one run and waits for its end."""

    @workflow.run
    async def run(self, question: ScheduledQuestion) -> StartedRun:
        """Returns the outcome once the run has ended; at once if none was started."""
        info = workflow.info()
        started: StartedRun = await workflow.execute_activity(
            START,
            # Temporal names workflows of a schedule by the second: two that are triggered within one have the same id.
            ScheduledStart(
                question=question,
                key=f"{info.workflow_id}.{info.first_execution_run_id}",
                notify=info.workflow_id,
                scheduled_by=info.typed_search_attributes.get(SCHEDULED_BY, ""),
            ),
            result_type=StartedRun,
            start_to_close_timeout=START_TIMEOUT,
            schedule_to_close_timeout=GIVE_UP_AFTER,
            retry_policy=RETRIES,
        )
        while started.run_id:
            seen = self.wakes
            if await workflow.execute_activity(
                CHECK,
                OwnRun(tenant=question.tenant, run_id=started.run_id),
                result_type=bool,
                start_to_close_timeout=START_TIMEOUT,
                retry_policy=RETRIES,
            ):
                break
            await self.wait_for_wake(seen, RECHECK_SECONDS)
        return started
