"""Webhooks over HTTP: make endpoints, try them, rotate their secrets, see what was delivered."""

import time
from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field
from ulid import ULID

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.doors.webhooks.contracts import BY_DEFAULT, CHOSEN, Delivery, Message, WebhookEvent
from elcano.doors.webhooks.settings import read_webhook_settings
from elcano.doors.webhooks.signing import new_secret
from elcano.doors.webhooks.targets import TargetRefused, check_target
from elcano.doors.webhooks.webhook_store import (
    MOST_ENDPOINTS,
    DeliveryRecord,
    Endpoint,
    TenantWebhooks,
    begin_delivery,
    get_webhooks,
)
from elcano.graphs.frozen import JsonObject
from elcano.service.errors import FieldFault, Refusal, RequestInvalid, RunNotFound, TemporalUnavailable
from elcano.service.fields import CURSOR, NUMBER_CURSOR, Described, Moment, Request, RunId, Text
from elcano.service.runs.run_status import kept_run
from elcano.service.temporal.connection import map_rpc_errors

HOUR: Final = 3_600.0


class WebhookNotFound(Refusal, kind="missing", title="No such webhook"):
    """The tenant has no webhook, or no delivery, of this id."""


class WebhooksOff(Refusal, kind="conflict", title="Webhooks are not sent here"):
    """The operator has not switched webhooks on."""


class TooManyWebhooks(Refusal, kind="conflict", title="No more webhooks can be kept"):
    """As many are kept, for all runs or for this one, as may be."""


class WebhookRequest(Request):
    """The webhook to make."""

    url: str = Field(min_length=1, max_length=2_000, examples=["https://example.org/hooks/elcano"])
    """Target of messages: https, at a public address or a host that the operator named."""
    events: list[WebhookEvent] = Field(
        default=list(BY_DEFAULT), min_length=1, max_length=len(CHOSEN), examples=[["run.completed", "run.failed"]]
    )
    """The events to send."""
    run_id: RunId | None = None
    """The one run that they are about; left out: all runs that are asked for from now on."""
    description: Text = Field(default="", max_length=200, examples=["The team's chat"])
    """Purpose of the endpoint."""


class WebhookView(Described):
    """A webhook, without its secret."""

    id: str = Field(examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Its id."""
    url: str = Field(examples=["https://example.org/hooks/elcano"])
    """Target of messages."""
    events: tuple[WebhookEvent, ...]
    """The events that are sent."""
    run_id: str | None
    """The one run that they are about; null: all."""
    description: str
    """Purpose of the endpoint."""
    state: str = Field(examples=["active"])
    """`active`, `failing` or `disabled`."""
    reason: str = Field(examples=[""])
    """Why it was disabled; empty: it was not."""
    failing_since: Moment | None
    """Since when it takes nothing; null: the last message was taken."""
    former_secret_until: Moment | None
    """Until when messages are signed by the former secret too; null: there is none."""
    created_at: Moment
    """When it was made."""
    created_by: str
    """User; empty: no one was named."""

    @classmethod
    def of(cls, one: Endpoint) -> "WebhookView":
        """The view of a stored endpoint."""
        disabled, failing = one.disabled_at is not None, one.failing_since is not None
        former = one.former_until if one.former_until and one.former_until > time.time() else None
        return cls.from_record(
            one,
            run_id=one.run_id or None,
            state="disabled" if disabled else "failing" if failing else "active",
            reason=one.disabled_reason,
            former_secret_until=former,
        )


class WebhookWithSecret(WebhookView):
    """A webhook whose secret was just made."""

    secret: str = Field(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])
    """Secret with which receivers check signatures. Shown only once."""

    @classmethod
    def shown(cls, one: Endpoint) -> "WebhookWithSecret":
        """The view with the secret."""
        return cls(**WebhookView.of(one).model_dump(), secret=one.secret)


class SecretRotation(Request):
    """Options for replacing a secret."""

    keep_hours: float = Field(default=24.0, ge=0, le=720, allow_inf_nan=False, examples=[24.0])
    """For how many hours messages are signed by the former secret too."""


class DeliveryView(Described):
    """One message to one endpoint."""

    id: str = Field(examples=["msg_default-01kb1q3yw5v7c8m2n4p6r8t0vx_23"])
    """The message's id, its header `webhook-id`."""
    type: WebhookEvent
    """The event."""
    run_id: str
    """The run; empty: a test."""
    status: str = Field(examples=["delivered"])
    """`waiting`, `delivered` or `failed`."""
    attempts: int
    """Number of attempts."""
    created_at: Moment
    """When it was first to be sent."""
    tried_at: Moment | None
    """When it was last sent."""
    answer: int | None
    """The HTTP status of the last answer; null: no one answered."""
    error: str
    """Why the last attempt failed; empty: it did not."""
    data: JsonObject
    """Content of the message."""

    @classmethod
    def of(cls, one: DeliveryRecord) -> "DeliveryView":
        """The view of a stored delivery."""
        return cls.from_record(one, id=one.message_id, data=one.message.data)


class DeliveryPage(Described):
    """One page of the deliveries to a webhook, the newest first."""

    deliveries: tuple[DeliveryView, ...]
    """The deliveries."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


class DeliveryBegun(Described):
    """A message is on its way."""

    id: str = Field(examples=["msg_test_01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Its id; the webhook's deliveries show what becomes of it."""


WebhookId: TypeAlias = Annotated[str, Path(max_length=40, description="The webhook's id.")]

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"], dependencies=[requires("share_run")])


@router.post("", status_code=201, responses=problem_docs(RunNotFound, WebhooksOff, TooManyWebhooks))
async def create_webhook(request: WebhookRequest, services: Provided, response: Response) -> WebhookWithSecret:
    """Make a webhook: your server is sent a signed message for each event that you choose.

    Of one run it receives messages from the run's first event on, even if that was before; of all runs, from the next
    run on.
    """
    _require_on()
    if request.run_id is not None:
        await kept_run(request.run_id, services.store)
    url = request.url.strip()
    try:
        check_target(url)
    except TargetRefused as error:
        raise RequestInvalid([FieldFault(field="url", message=str(error))]) from error
    if "webhook.test" in request.events:
        message = "`webhook.test` cannot be chosen: it is what a test sends"
        raise RequestInvalid([FieldFault(field="events", message=message)])
    webhooks = get_webhooks(services.store)
    run_id = request.run_id or ""
    if sum(one.run_id == run_id for one in await webhooks.list_endpoints(run_id)) >= MOST_ENDPOINTS:
        raise TooManyWebhooks(f"there are {MOST_ENDPOINTS} webhooks already: delete one that is not needed")
    events = tuple(dict.fromkeys(request.events))
    made = await webhooks.create(url, events, run_id, request.description, services.principal.user)
    response.headers["Location"] = f"/v1/webhooks/{made.id}"
    response.headers["Cache-Control"] = "no-store"
    return WebhookWithSecret.shown(made)


@router.get("")
async def list_webhooks(services: Provided) -> list[WebhookView]:
    """List your webhooks, the oldest first."""
    return [WebhookView.of(one) for one in await get_webhooks(services.store).list_endpoints()]


@router.get("/{webhook_id}", responses=problem_docs(WebhookNotFound))
async def get_webhook(webhook_id: WebhookId, services: Provided) -> WebhookView:
    """Read one webhook."""
    return WebhookView.of(_require_webhook(await get_webhooks(services.store).find(webhook_id), webhook_id))


@router.delete("/{webhook_id}", status_code=204, responses=problem_docs(WebhookNotFound))
async def delete_webhook(webhook_id: WebhookId, services: Provided) -> None:
    """Delete a webhook: what is not delivered yet is sent no more."""
    if not await get_webhooks(services.store).delete(webhook_id):
        _require_webhook(None, webhook_id)


@router.post("/{webhook_id}/rotate", responses=problem_docs(WebhookNotFound))
async def rotate_webhook_secret(
    webhook_id: WebhookId, services: Provided, response: Response, request: SecretRotation | None = None
) -> WebhookWithSecret:
    """Give a webhook a new secret; for a while messages are signed by both, so that no receiver misses any."""
    webhooks = get_webhooks(services.store)
    known = _require_webhook(await webhooks.find(webhook_id), webhook_id)
    until = time.time() + (request or SecretRotation()).keep_hours * HOUR
    changed = await webhooks.change(webhook_id, secret=new_secret(), former_secret=known.secret, former_until=until)
    response.headers["Cache-Control"] = "no-store"
    return WebhookWithSecret.shown(_require_webhook(changed, webhook_id))


@router.post("/{webhook_id}/enable", responses=problem_docs(WebhookNotFound))
async def enable_webhook(webhook_id: WebhookId, services: Provided) -> WebhookView:
    """Switch a webhook on again that was disabled because it took nothing."""
    changed = await get_webhooks(services.store).change(
        webhook_id, disabled_at=None, disabled_reason="", failing_since=None
    )
    return WebhookView.of(_require_webhook(changed, webhook_id))


@router.post(
    "/{webhook_id}/test", status_code=202, responses=problem_docs(WebhookNotFound, WebhooksOff, TemporalUnavailable)
)
async def send_test_webhook(webhook_id: WebhookId, services: Provided) -> DeliveryBegun:
    """Send a test to a webhook, on the way that all messages take."""
    _require_on()
    _require_webhook(await get_webhooks(services.store).find(webhook_id), webhook_id)
    data: JsonObject = {"message": "This is a test."}
    name = f"msg_test_{str(ULID()).lower()}"
    await _begin_delivery(Message(id=name, type="webhook.test", at=time.time(), data=data), webhook_id, services)
    return DeliveryBegun(id=name)


@router.get("/{webhook_id}/deliveries", responses=problem_docs(WebhookNotFound))
async def list_webhook_deliveries(
    webhook_id: WebhookId,
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=200, description="Deliveries a page.")] = 50,
    cursor: Annotated[str, Query(pattern=NUMBER_CURSOR, description=CURSOR)] = "",
) -> DeliveryPage:
    """List the deliveries to a webhook and their outcomes, the newest first."""
    webhooks = get_webhooks(services.store)
    _require_webhook(await webhooks.find(webhook_id), webhook_id)
    begin = int(cursor or 0)
    found = await webhooks.list_deliveries(webhook_id, limit + 1, begin)
    views = tuple(DeliveryView.of(one) for one in found[:limit])
    return DeliveryPage(deliveries=views, next=str(begin + limit) if len(found) > limit else None)


@router.post(
    "/{webhook_id}/deliveries/{message_id}/retry",
    status_code=202,
    responses=problem_docs(WebhookNotFound, WebhooksOff, TemporalUnavailable),
)
async def retry_webhook_delivery(
    webhook_id: WebhookId, message_id: Annotated[str, Path(max_length=200)], services: Provided
) -> DeliveryBegun:
    """Send a message again that was given up, with the same id; one that is still tried is left to that."""
    _require_on()
    webhooks: TenantWebhooks = get_webhooks(services.store)
    _require_webhook(await webhooks.find(webhook_id), webhook_id)
    if (known := await webhooks.find_delivery(webhook_id, message_id)) is None:
        raise WebhookNotFound(f"the webhook {webhook_id!r} has no delivery {message_id[:100]!r}")
    await _begin_delivery(known.message, webhook_id, services, again=True)
    return DeliveryBegun(id=message_id)


async def _begin_delivery(message: Message, webhook_id: str, services: Services, *, again: bool = False) -> None:
    client = await services.temporal.client()
    days = read_webhook_settings().webhook_days
    delivery = Delivery(tenant=services.tenant, endpoint=webhook_id, message=message, days=days)
    with map_rpc_errors():
        await begin_delivery(client, get_webhooks(services.store), delivery, again=again)


def _require_webhook(found: Endpoint | None, webhook_id: str) -> Endpoint:
    if found is None:
        raise WebhookNotFound(f"there is no webhook {webhook_id!r}; `GET /v1/webhooks` lists them")
    return found


def _require_on() -> None:
    if not read_webhook_settings().webhooks:
        raise WebhooksOff("the operator has to set ELCANO_WEBHOOKS=true for the API and all workers")
