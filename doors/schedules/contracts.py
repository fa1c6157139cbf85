"""Names and models of scheduled runs: what its API and its workflows share.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from datetime import timedelta
from typing import Final

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.tenants import Tenant

WORKFLOW: Final = "ScheduledRun"
START: Final = "start_scheduled_run"
CHECK: Final = "check_scheduled_run"
GIVE_UP_AFTER: Final = timedelta(hours=6)
"""A run that could not be started for so long is not started: the next time comes."""


def name_schedule(tenant: str, name: str) -> str:
    """The id of a schedule in Temporal: its tenant's name and its own, with full stops between, which none has."""
    return f"schedule.{tenant}.{name}"


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
    notify: str = ""
    """The id of the workflow that waits for the run."""
    scheduled_by: str = ""
    """The id in Temporal of the schedule that asks; empty of one that an earlier release started."""


class OwnRun(Frozen):
    """A run that a schedule started."""

    tenant: Tenant
    run_id: str


class StartedRun(Frozen):
    """Outcome of starting a run."""

    run_id: str = ""
    refusal: str = ""
    """Why no run was started."""
