"""The data that a scheduled run is begun from. Pure: workflows load it. New fields get defaults; nothing is renamed."""

from typing import Final

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.tenant_identity import Tenant

TASK_QUEUE: Final = "elcano-schedules"
WORKFLOW: Final = "ScheduledRun"
START: Final = "start_scheduled_run"
WAIT: Final = "wait_for_scheduled_run"
METADATA: Final = "elcano_schedule"
"""The metadata of a run that says which schedule started it."""


class RunBudget(Frozen):
    """What the runs of a schedule may use together."""

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
    """What came of it."""

    run_id: str = ""
    refusal: str = ""
    """Why no run was started."""
