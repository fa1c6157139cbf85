"""Webhooks in a worker, next to its runs: a run is followed, deliveries are begun, a message is sent once."""

import asyncio
import logging
import ssl
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import httpx
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from elcano.activities.background_work import BackgroundWork
from elcano.activities.sources.http.address_pinning import THIS_MACHINE, Network, NotPublic, build_pinned_transport
from elcano.activities.sources.http.fetching import user_agent
from elcano.doors.webhooks.contracts import (
    BEGIN_DELIVERIES,
    EVENTS_OF_RUNS,
    FOLLOW_RUN,
    GIVE_UP,
    SEND,
    BeginCall,
    Delivery,
    Message,
    RunWatch,
    SeenEvents,
)
from elcano.doors.webhooks.lost_work import LOOK_SECONDS, begin_lost_deliveries, begin_lost_watches
from elcano.doors.webhooks.settings import read_webhook_settings
from elcano.doors.webhooks.signing import sign_body, write_body
from elcano.doors.webhooks.targets import GONE, NotDelivered, TargetRefused, check_target
from elcano.doors.webhooks.webhook_store import Endpoint, TenantWebhooks, begin_delivery, get_webhook_store
from elcano.doors.webhooks.workflows import DeliveryWorkflow, WatchWorkflow
from elcano.graphs.contracts import TASK_QUEUE as RUNS
from elcano.graphs.plugin import Surroundings
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.text import shorten_text
from elcano.service.errors import RunNotFound
from elcano.service.events.journal_reader import JournalReader
from elcano.service.runs.run_status import current_run
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings.settings import Settings
from elcano.storage.store import Store

ANSWER_SECONDS: Final = 15.0
"""Timeout of a receiver's response, in seconds."""
BEAT_SECONDS: Final = 8.0
DAY: Final = 86_400.0
QUESTION_CHARACTERS: Final = 300
"""Maximum characters of a question in a message."""

_log = logging.getLogger("webhooks")


class Sender:
    """Sends messages to receivers, whose addresses are checked again when they are connected to; `close` it.

    Redirects are not followed: a receiver that has moved has to be named anew.
    """

    def __init__(self, settings: Settings, network: Network = THIS_MACHINE, tls: ssl.SSLContext | None = None) -> None:
        """Nothing is opened before the first message."""
        self._outside = _build_client(settings, build_pinned_transport(network, proxy=settings.proxy, tls=tls))
        self._inside = _build_client(settings, build_pinned_transport(network, anywhere=True, tls=tls))

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a message once, and return the status of the answer.

        Raises:
            TargetRefused: it may not go there.
            NotDelivered: it was not taken.
        """
        client = self._inside if check_target(url) else self._outside
        sent = {**headers, "Content-Type": "application/json"}
        try:
            async with asyncio.timeout(ANSWER_SECONDS):  # httpx limits each read, and a receiver may send byte by byte
                async with client.stream("POST", url, content=body, headers=sent) as answer:  # without its body
                    status = answer.status_code
        except NotPublic as error:
            raise TargetRefused(str(error)) from error
        except TimeoutError as error:
            raise NotDelivered(f"it did not answer within {ANSWER_SECONDS:g} s") from error
        except httpx.TransportError as error:
            raise NotDelivered(f"no answer: {error or type(error).__name__}") from error
        if 300 <= status < 400:
            raise NotDelivered(f"it answered {status}: redirects are not followed", status)
        if not 200 <= status < 300:
            raise NotDelivered(f"it answered {status}", status)
        return status

    async def close(self) -> None:
        """Closes all connections."""
        await self._outside.aclose()
        await self._inside.aclose()


def _build_client(settings: Settings, transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    headers = {"User-Agent": user_agent(settings)}
    return httpx.AsyncClient(transport=transport, timeout=ANSWER_SECONDS, follow_redirects=False, headers=headers)


@dataclass(frozen=True)
class WebhookActivities:
    """The activities of one worker."""

    store: Store
    temporal: Temporal
    client: Client
    sender: Sender
    address: str
    """Address at which clients reach the API."""

    @activity.defn(name=FOLLOW_RUN)
    async def follow_run(self, watch: RunWatch) -> SeenEvents:
        """Wait until something happens in a watched run, or until it has ended."""
        kept = self.store.of(watch.tenant)
        try:
            run = await current_run(watch.run_id, self.temporal, kept)
        except RunNotFound:  # deleted meanwhile, or not admitted in the end
            return SeenEvents(last=watch.since, ended=True)
        if run.status != "running":
            events = await kept.runs.events(run.run_id, watch.since)
            return self._build_seen(run, events, watch.since, ended=True)
        arrived: asyncio.Queue[Sequence[AgentEvent]] = asyncio.Queue()
        reader = JournalReader(run, self.temporal, kept, arrived.put_nowait, lambda _: None)
        reading = asyncio.create_task(reader.run(), name=f"read {run.run_id} for webhooks")
        try:
            return await self._wait_for_events(run, arrived, reading, watch.since)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _wait_for_events(
        self,
        run: ArchivedRun,
        arrived: "asyncio.Queue[Sequence[AgentEvent]]",
        reading: "asyncio.Task[None]",
        since: int,
    ) -> SeenEvents:
        last = since
        while True:
            activity.heartbeat()
            events: Sequence[AgentEvent] = ()
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_SECONDS):
                    events = await arrived.get()
            new = [event for event in events if event.seq > since]
            last = max([last, *(event.seq for event in new)])
            ended = any(event.terminal for event in events)
            seen = self._build_seen(run, new, last, ended=ended)
            if seen.messages or ended:
                return seen
            if reading.done() and arrived.empty():  # the run was deleted
                return SeenEvents(last=last, ended=True)

    def _build_seen(self, run: ArchivedRun, events: Sequence[AgentEvent], since: int, *, ended: bool) -> SeenEvents:
        messages = tuple(self._build_message(run, event) for event in events if event.type in EVENTS_OF_RUNS)
        return SeenEvents(messages=messages, last=max([since, *(event.seq for event in events)]), ended=ended)

    def _build_message(self, run: ArchivedRun, event: AgentEvent) -> Message:
        data = {
            "run_id": run.run_id,
            "question": shorten_text(run.question, QUESTION_CHARACTERS),
            "mode": run.mode,
            "status": str(event.data.get("status") or "running"),
            "event": event.type,
            "number": event.seq,
            "message": event.message,
            "metadata": dict(run.metadata),
            "url": f"{self.address}/v1/runs/{run.run_id}",
        }
        return Message.model_validate(
            {
                "id": f"msg_{run.run_id}_{event.seq}",
                "type": EVENTS_OF_RUNS[event.type],
                "at": event.at,
                "run_id": run.run_id,
                "data": data,
            }
        )

    @activity.defn(name=BEGIN_DELIVERIES)
    async def begin_deliveries(self, call: BeginCall) -> None:
        """Begin a delivery of each message to each endpoint that wants it; one that was begun before stays as it is."""
        webhooks = self._webhooks(call.tenant)
        days = read_webhook_settings().webhook_days
        for endpoint in await webhooks.list_endpoints(call.run_id):
            for message in call.messages:
                if message.type in endpoint.events and endpoint.disabled_at is None:
                    delivery = Delivery(tenant=call.tenant, endpoint=endpoint.id, message=message, days=days)
                    await begin_delivery(self.client, webhooks, delivery)

    @activity.defn(name=SEND)
    async def send(self, delivery: Delivery) -> None:
        """Send a message once.

        Raises:
            ApplicationError: it was not taken, and is tried again unless no one can want that.
        """
        webhooks, message = self._webhooks(delivery.tenant), delivery.message
        endpoint = await webhooks.find(delivery.endpoint)
        if endpoint is None or endpoint.disabled_at is not None:
            raise _build_failure("the endpoint is deleted or switched off", final=True)
        now = time.time()
        try:
            answer = await self._submit(endpoint, message, now)
        except NotDelivered as error:
            await webhooks.note_attempt(endpoint.id, message.id, "waiting", error.answer, str(error))
            await webhooks.note_failure(endpoint.id, now)
            if is_gone := error.answer == GONE:
                await self._disable(webhooks, endpoint.id, "it answered 410: it wants nothing more")
            raise _build_failure(str(error), final=is_gone) from None
        except TargetRefused as error:
            await webhooks.note_attempt(endpoint.id, message.id, "waiting", None, f"refused: {error}")
            await webhooks.note_failure(endpoint.id, now)
            raise _build_failure(str(error)) from None
        await webhooks.note_attempt(endpoint.id, message.id, "delivered", answer, "")
        await webhooks.change(endpoint.id, failing_since=None)

    async def _submit(self, endpoint: Endpoint, message: Message, now: float) -> int:
        body = write_body(message)
        return await self.sender.send(
            endpoint.url, body, sign_body(message.id, int(now), body, endpoint.list_secrets(now))
        )

    @activity.defn(name=GIVE_UP)
    async def give_up(self, delivery: Delivery) -> None:
        """Note that a message was not delivered, and switch off an endpoint that took nothing for most of that time."""
        webhooks = self._webhooks(delivery.tenant)
        await webhooks.give_up(delivery.endpoint, delivery.message.id)
        endpoint = await webhooks.find(delivery.endpoint)
        if endpoint is None or endpoint.disabled_at is not None or endpoint.failing_since is None:
            return
        days = (time.time() - endpoint.failing_since) / DAY
        if days >= delivery.days / 2:  # else it took others meanwhile, and it is this message that it does not take
            await self._disable(webhooks, endpoint.id, f"it has taken nothing for {days:.1f} days")

    async def _disable(self, webhooks: TenantWebhooks, endpoint: str, reason: str) -> None:
        await webhooks.change(endpoint, disabled_at=time.time(), disabled_reason=reason)
        _log.warning("the webhook %s of the tenant %r was switched off: %s", endpoint, webhooks.tenant, reason)

    def _webhooks(self, tenant: str) -> TenantWebhooks:
        return get_webhook_store(self.store).of(tenant)


def _build_failure(text: str, *, final: bool = False) -> ApplicationError:
    """The failure of an attempt: it is no fault of ours, so no log gets a traceback of it."""
    return ApplicationError(text, non_retryable=final, category=ApplicationErrorCategory.BENIGN)


@asynccontextmanager
async def open_background(around: Surroundings) -> AsyncIterator[Sequence[BackgroundWork]]:
    """Prepare the delivery of webhooks; there is none where webhooks are off."""
    if not read_webhook_settings().webhooks:
        yield []
        return
    client, sender = await around.connect(), Sender(around.settings)
    temporal = Temporal(Connection(around.connect), RUNS)
    address = around.settings.base_url.rstrip("/")
    try:
        yield [build_webhook_work(WebhookActivities(around.store, temporal, client, sender, address))]
    finally:
        await sender.close()


def build_webhook_work(activities: WebhookActivities) -> BackgroundWork:
    """The watches of runs, and their deliveries."""
    client, store = activities.client, activities.store
    return BackgroundWork(
        [WatchWorkflow, DeliveryWorkflow],
        [activities.follow_run, activities.begin_deliveries, activities.send, activities.give_up],
        [
            ("watches to continue", partial(begin_lost_watches, client, store), LOOK_SECONDS),
            ("deliveries to continue", partial(begin_lost_deliveries, client, store), LOOK_SECONDS),
        ],
    )
