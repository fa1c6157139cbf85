"""The workflows of webhooks: one watches a run and begins deliveries, one delivers one message to one endpoint.

Each lasts as long as it takes, days if need be, no matter which process dies meanwhile.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal, TypeAlias, get_args

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.tenants import RunScoped, Tenant
from elcano.workflows.background_waits import Wakeable

WATCH_WORKFLOW: Final = "WebhookWatch"
DELIVERY_WORKFLOW: Final = "WebhookDelivery"
FOLLOW_RUN: Final = "follow_run_for_webhooks"
BEGIN_DELIVERIES: Final = "begin_webhook_deliveries"
SEND: Final = "send_webhook"
GIVE_UP: Final = "give_up_webhook"

WebhookEvent: TypeAlias = Literal[
    "run.started",
    "run.held",
    "run.released",
    "run.approval_needed",
    "run.completed",
    "run.failed",
    "run.cancelled",
    "webhook.test",
]
WEBHOOK_EVENTS: Final[tuple[WebhookEvent, ...]] = get_args(WebhookEvent)
CHOSEN: Final[tuple[WebhookEvent, ...]] = tuple(one for one in WEBHOOK_EVENTS if one != "webhook.test")
"""Events that an endpoint may choose; a test is sent to the endpoint under test."""
BY_DEFAULT: Final[tuple[WebhookEvent, ...]] = (
    "run.completed", "run.failed", "run.cancelled", "run.held", "run.approval_needed",
)  # fmt: skip
EVENTS_OF_RUNS: Final[Mapping[EventType, WebhookEvent]] = {
    "started": "run.started",
    "held": "run.held",
    "paused": "run.held",
    "hold_cleared": "run.released",
    "unpaused": "run.released",
    "questions_asked": "run.approval_needed",
    "plan_proposed": "run.approval_needed",
    "approval_requested": "run.approval_needed",
    "complete": "run.completed",
    "failed": "run.failed",
    "cancelled": "run.cancelled",
}
"""The events of a run that are sent, and their names."""


class RunWatch(RunScoped):
    """A run that is watched for the endpoints of its tenant."""

    since: int = 0
    """The number of the last event that was seen."""


class Message(Frozen):
    """The content of a delivery."""

    id: str
    """The `webhook-id`: the same for all endpoints and all attempts."""
    type: WebhookEvent
    at: float
    """When it happened, in seconds since the epoch."""
    run_id: str = ""
    data: JsonObject = {}


class SeenEvents(Frozen):
    """The events of a run since a number."""

    messages: tuple[Message, ...] = ()
    last: int = 0
    """The number of the last event."""
    ended: bool = False
    """Whether nothing will follow."""


class BeginCall(RunScoped):
    """Messages about a run for its tenant's endpoints."""

    messages: tuple[Message, ...]


class Delivery(Frozen):
    """One message to one endpoint."""

    tenant: Tenant
    endpoint: str
    message: Message
    days: float
    """For how long it is tried."""

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: a second one of the same message to the same endpoint is never begun."""
        return f"webhook-{self.endpoint}-{self.message.id}"


def watch_workflow_id(run_id: str) -> str:
    """The id of the workflow that watches a run."""
    return f"webhooks-{run_id}"


FOLLOW_TIMEOUT: Final = timedelta(hours=12)
"""Timeout of one attempt to follow a run; the next one continues."""
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
CALL_TIMEOUT: Final = timedelta(seconds=30)
OFTEN: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
"""For work of our own: tried until it works."""
OVER_DAYS: Final = RetryPolicy(
    initial_interval=timedelta(seconds=5), backoff_coefficient=3.0, maximum_interval=timedelta(hours=6)
)
"""For a receiver: after 5 s, 15 s, 45 s, about 2, 7 and 20 minutes, an hour, 3 hours, then every 6 hours."""
ROUNDS: Final = 200
"""Batches of events after which a watch is continued as new."""


@workflow.defn(name=WATCH_WORKFLOW)
class WatchWorkflow(Wakeable):
    """Watches one run to its end. Woken, it looks at all events again: there may be an endpoint that is new."""

    @workflow.run
    async def run(self, watch: RunWatch) -> None:
        """Follows the run; each batch of events is handed on before the next one is waited for."""
        since, seen_wakes = watch.since, self.wakes
        for _ in range(ROUNDS):
            seen = await workflow.execute_activity(
                FOLLOW_RUN,
                watch.model_copy(update={"since": since}),
                result_type=SeenEvents,
                start_to_close_timeout=FOLLOW_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=OFTEN,
            )
            if seen.messages:
                await workflow.execute_activity(
                    BEGIN_DELIVERIES,
                    BeginCall(run_id=watch.run_id, tenant=watch.tenant, messages=seen.messages),
                    start_to_close_timeout=CALL_TIMEOUT,
                    retry_policy=OFTEN,
                )
            since = max(since, seen.last)
            if self.wakes != seen_wakes:
                seen_wakes, since = self.wakes, 0
            elif seen.ended:
                return
        workflow.continue_as_new(watch.model_copy(update={"since": since}))


@workflow.defn(name=DELIVERY_WORKFLOW)
class DeliveryWorkflow:
    """Delivers one message to one endpoint, or notes that it could not be delivered."""

    @workflow.run
    async def run(self, delivery: Delivery) -> None:
        """Sends it until it is taken."""
        try:
            await workflow.execute_activity(
                SEND,
                delivery,
                start_to_close_timeout=CALL_TIMEOUT,
                schedule_to_close_timeout=timedelta(days=delivery.days),
                retry_policy=OVER_DAYS,
            )
        except ActivityError:
            await workflow.execute_activity(GIVE_UP, delivery, start_to_close_timeout=CALL_TIMEOUT, retry_policy=OFTEN)
