"""Names and models of webhooks: what its API and its workflows share.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.tenants import RunScoped, Tenant

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

    @property
    def workflow_id(self) -> str:
        """The id of the workflow that watches the run."""
        return f"webhooks-{self.run_id}"

    @property
    def summary(self) -> str:
        """What the workflow does, in words."""
        return f"Webhooks of {self.run_id}"


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
        return delivery_workflow_id(self.endpoint, self.message.id)

    @property
    def summary(self) -> str:
        """What the workflow does, in words."""
        return f"{self.message.type} of {self.message.run_id or 'a test'}"


def delivery_workflow_id(endpoint: str, message: str) -> str:
    """The id of the workflow that delivers a message to an endpoint."""
    return f"webhook-{endpoint}-{message}"
