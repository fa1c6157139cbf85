"""One time of a schedule: a run is started once, and waited for, so that Temporal knows what overlaps.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.tenants import Tenant

TASK_QUEUE: Final = "elcano-schedules"
WORKFLOW: Final = "ScheduledRun"
START: Final = "start_scheduled_run"
WAIT: Final = "wait_for_scheduled_run"


class RunBudget(Frozen):
    """Limits shared by the runs of a schedule."""

    tokens: int
    days: float
    """In any so many days."""


class ScheduledQuestion(Frozen):
    """A question that is asked again and again, and for whom."""

    tenant: Tenant
    schedule: str
    """The name of the schedule."""
    request: JsonObject
    """The body of `POST /v1/runs`."""
    user: str = ""
    api_key: str = ""
    """The id of the key that made the schedule: whose quotas its runs count against."""
    budget: RunBudget | None = None
    living: bool = False
    """Whether the report of the last run is brought up to date, once there is one."""
    cron: tuple[str, ...] = ()
    """When, as it was asked for: Temporal turns it into calendars."""


class ScheduledStart(Frozen):
    """One time at which a question is asked."""

    question: ScheduledQuestion
    key: str
    """The idempotency key of its run."""


class StartedRun(Frozen):
    """Outcome of starting a run."""

    run_id: str = ""
    refusal: str = ""
    """Why no run was started."""


START_TIMEOUT: Final = timedelta(minutes=1)
GIVE_UP_AFTER: Final = timedelta(hours=6)
"""A run that could not be started for so long is not started: the next time comes."""
WAIT_TIMEOUT: Final = timedelta(hours=12)
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
RETRIES: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5))


# A schedule that was changed with Temporal's tools may start it without a question: it fails, and its task does not for
# ever, so that the next time can come.
@workflow.defn(name=WORKFLOW, failure_exception_types=[Exception])
class ScheduledRunWorkflow:
    """Starts one run and waits for its end."""

    @workflow.run
    async def run(self, question: ScheduledQuestion) -> StartedRun:
        """Returns the outcome once the run has ended; at once if none was started."""
        info = workflow.info()
        started: StartedRun = await workflow.execute_activity(
            START,
            # Temporal names workflows of a schedule by the second: two that are triggered within one have the same id.
            ScheduledStart(question=question, key=f"{info.workflow_id}.{info.first_execution_run_id}"),
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
