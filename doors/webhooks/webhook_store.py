"""Tables of the plugin: endpoints, and their deliveries, which are begun here."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Column,
    Double,
    Executable,
    Index,
    Integer,
    Table,
    and_,
    delete,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from ulid import ULID

from elcano.doors.webhooks.contracts import (
    DELIVERY_WORKFLOW,
    WATCH_WORKFLOW,
    Delivery,
    Message,
    RunWatch,
    WebhookEvent,
)
from elcano.doors.webhooks.settings import read_webhook_settings
from elcano.doors.webhooks.signing import new_secret
from elcano.graphs.contracts import BACKGROUND_QUEUE
from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits
from elcano.service.temporal.labels import describe_owner
from elcano.settings.settings import Settings
from elcano.storage.admission import ASKED_FOR, AdmissionRule
from elcano.storage.outbox import add_notice
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.columns import Id, LongText, SealedJson, SealedText
from elcano.storage.sql.dialect import insert_new, run_and_branches
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import metadata, runs
from elcano.storage.store import Store, TenantStore

MOST_LOOKED_AT: Final = 1_000
"""Waiting deliveries whose workflows are looked for at a time."""
MOST_ENDPOINTS: Final = 50
"""Maximum endpoints of one tenant for all runs, and for each single run."""

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("run_id", Id, nullable=False),
    Column("url", SealedText, nullable=False),
    Column("events", JSON, nullable=False),
    Column("description", SealedText, nullable=False),
    Column("secret", SealedText, nullable=False),
    Column("former_secret", SealedText, nullable=False),
    Column("former_until", Double, nullable=True),
    Column("created_at", Double, nullable=False),
    Column("created_by", LongText, nullable=False),
    Column("failing_since", Double, nullable=True),
    Column("disabled_at", Double, nullable=True),
    Column("disabled_reason", LongText, nullable=False),
)
"""Targets of messages; `run_id` is empty for those of all runs."""

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("endpoint_id", Id, primary_key=True),
    Column("message_id", Id, primary_key=True),
    Column("run_id", Id, nullable=False),
    Column("type", Id, nullable=False),
    Column("message", SealedJson, nullable=False),
    Column("status", Id, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("tried_at", Double, nullable=True),
    Column("answer", Integer, nullable=True),
    Column("error", LongText, nullable=False),
    Index("webhook_deliveries_by_time", "tenant", "endpoint_id", "created_at"),
)
"""Each message to each endpoint: `waiting`, `delivered` or `failed`, and how its last attempt went."""


class Endpoint(Frozen):
    """An endpoint as it is stored."""

    id: str
    run_id: str
    url: str
    events: tuple[WebhookEvent, ...]
    description: str
    secret: str
    former_secret: str = ""
    former_until: float | None = None
    created_at: float
    created_by: str
    failing_since: float | None = None
    disabled_at: float | None = None
    disabled_reason: str = ""

    def list_secrets(self, now: float) -> list[str]:
        """List the secrets that sign messages, the current one first."""
        former = self.former_until is not None and self.former_until > now
        return [self.secret, self.former_secret] if former else [self.secret]


class DeliveryRecord(Frozen):
    """A delivery as it is stored."""

    endpoint_id: str
    message_id: str
    run_id: str
    type: WebhookEvent
    message: Message
    status: str = "waiting"
    attempts: int = 0
    created_at: float
    tried_at: float | None = None
    answer: int | None = None
    error: str = ""


class TenantWebhooks(TenantBound):
    """The webhooks of one tenant."""

    async def create(
        self, url: str, events: Sequence[WebhookEvent], run_id: str, description: str, by: str
    ) -> Endpoint:
        """Make an endpoint. If it is for one run, that run is watched from its first event on."""
        endpoint = Endpoint(
            id=str(ULID()).lower(),
            run_id=run_id,
            url=url,
            events=tuple(events),
            description=description,
            secret=new_secret(),
            created_at=time.time(),
            created_by=by,
        )
        row = self._row(**endpoint.model_dump(mode="json"))
        async with self._engine.begin() as connection:
            await connection.execute(webhook_endpoints.insert().values(row))
            if run_id:
                await connection.execute(_start_watch(self._tenant, run_id))
        return endpoint

    async def list_endpoints(self, run_id: str | None = None) -> list[Endpoint]:
        """All endpoints, the oldest first; with `run_id` those that are notified of that run, with "" those of all."""
        wanted = self._select(webhook_endpoints).order_by(webhook_endpoints.c.id)
        if run_id is not None:
            wanted = wanted.where(webhook_endpoints.c.run_id.in_(("", run_id)))
        return await self._fetch_all(Endpoint, wanted)

    async def find(self, id: str) -> Endpoint | None:
        """One endpoint; None: there is none of this id."""
        return await self._fetch_first(Endpoint, self._select(webhook_endpoints).where(self._named(id)))

    async def change(self, id: str, **values: Any) -> Endpoint | None:
        """Change an endpoint; None: there is none of this id."""
        await self._write(update(webhook_endpoints).where(self._named(id)).values(**values))
        return await self.find(id)

    async def note_failure(self, id: str, now: float) -> None:
        """Remember since when an endpoint takes nothing."""
        failing = and_(self._named(id), webhook_endpoints.c.failing_since.is_(None))
        await self._write(update(webhook_endpoints).where(failing).values(failing_since=now))

    async def delete(self, id: str) -> bool:
        """Delete an endpoint with its deliveries; False: there is none of this id."""
        own = and_(self._own(webhook_deliveries), webhook_deliveries.c.endpoint_id == id)
        endpoint = delete(webhook_endpoints).where(self._named(id))
        return bool(await self._write(delete(webhook_deliveries).where(own), endpoint))

    async def add_delivery(self, endpoint_id: str, message: Message) -> None:
        """Note a message that is to be delivered; one that is known already stays as it is."""
        made = DeliveryRecord(
            endpoint_id=endpoint_id,
            message_id=message.id,
            run_id=message.run_id,
            type=message.type,
            message=message,
            created_at=time.time(),
        )
        row = self._row(**made.model_dump(mode="json"))
        await self._write(insert_new(self._engine, webhook_deliveries).values(row))

    async def note_attempt(
        self, endpoint_id: str, message_id: str, status: str, answer: int | None, error: str
    ) -> None:
        """Note how an attempt went."""
        table = webhook_deliveries
        named = and_(self._own(table), table.c.endpoint_id == endpoint_id, table.c.message_id == message_id)
        values = {"status": status, "tried_at": time.time(), "answer": answer, "error": error}
        await self._write(update(table).where(named).values(**values, attempts=table.c.attempts + 1))

    async def give_up(self, endpoint_id: str, message_id: str) -> None:
        """Note that a message is not tried any more."""
        table = webhook_deliveries
        named = and_(self._own(table), table.c.endpoint_id == endpoint_id, table.c.message_id == message_id)
        await self._write(update(table).where(named).values(status="failed"))

    async def find_delivery(self, endpoint_id: str, message_id: str) -> DeliveryRecord | None:
        """One delivery; None: there is none."""
        table = webhook_deliveries
        wanted = self._select(table).where(table.c.endpoint_id == endpoint_id, table.c.message_id == message_id)
        return await self._fetch_first(DeliveryRecord, wanted)

    async def list_deliveries(self, endpoint_id: str, limit: int, offset: int = 0) -> list[DeliveryRecord]:
        """The deliveries to an endpoint, the newest first, without the first `offset`."""
        table = webhook_deliveries
        wanted = self._select(table).where(table.c.endpoint_id == endpoint_id)
        wanted = wanted.order_by(table.c.created_at.desc(), table.c.message_id).limit(limit).offset(offset)
        return await self._fetch_all(DeliveryRecord, wanted)

    async def note_watch(self, run_id: str) -> None:
        """Note that a run is to be watched, if anyone wants to know of it."""
        async with self._engine.begin() as connection:
            await note_wanted_watch(connection, self._tenant, run_id)

    def _named(self, id: str) -> Any:
        return and_(self._own(webhook_endpoints), webhook_endpoints.c.id == id)


class WebhookStore(PluginTables):
    """The webhooks of all tenants."""

    def of(self, tenant: str) -> TenantWebhooks:
        """Return the store of one tenant."""
        return TenantWebhooks(self._engine, tenant)

    async def list_waiting(self, before: float) -> list[tuple[str, str, str]]:
        """Tenant, endpoint and message of the oldest deliveries before a time that are neither done nor given up."""
        table = webhook_deliveries
        wanted = select(table.c.tenant, table.c.endpoint_id, table.c.message_id).order_by(table.c.created_at)
        waiting = wanted.where(table.c.status == "waiting", table.c.created_at < before).limit(MOST_LOOKED_AT)
        rows = await self._fetch_rows(waiting)
        return [(row.tenant, row.endpoint_id, row.message_id) for row in rows]

    async def list_watched(self, before: float) -> list[RunWatch]:
        """The open runs begun before a time that an endpoint is notified of while they are open."""
        table = webhook_endpoints
        notified = or_(
            and_(table.c.run_id == "", table.c.created_at < runs.c.started_at), table.c.run_id == runs.c.run_id
        )
        wants = exists().where(table.c.tenant == runs.c.tenant, notified, table.c.disabled_at.is_(None))
        still_open = and_(ASKED_FOR, runs.c.status == "running", runs.c.started_at < before)
        rows = await self._fetch_rows(select(runs.c.tenant, runs.c.run_id).where(still_open, wants))
        return [RunWatch(run_id=row.run_id, tenant=row.tenant) for row in rows]

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Deletes the endpoints of that run, and its deliveries."""
        tables = (webhook_deliveries, webhook_endpoints)
        of_run = ((one, and_(one.c.tenant == tenant, run_and_branches(one.c.run_id, run_id))) for one in tables)
        await self._write(*(delete(table).where(rows) for table, rows in of_run))


def _start_watch(tenant: str, run_id: str) -> Executable:
    """The statement that has a run watched."""
    watch = RunWatch(run_id=run_id, tenant=tenant)
    return add_notice(tenant, watch.workflow_id, WATCH_WORKFLOW, watch, watch.summary)


async def note_wanted_watch(connection: AsyncConnection, tenant: str, run_id: str) -> None:
    """Have a run watched, if an endpoint of the tenant is notified of it."""
    table = webhook_endpoints
    notified = or_(table.c.run_id == "", table.c.run_id == run_id)
    wanted = select(table.c.id).where(table.c.tenant == tenant, notified, table.c.disabled_at.is_(None)).limit(1)
    if (await connection.execute(wanted)).first() is not None:
        await connection.execute(_start_watch(tenant, run_id))


async def note_admitted_run(connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
    """The rule of the API, which refuses nothing and notes a run in the transaction that admits it."""
    await note_wanted_watch(connection, run.tenant, run.run_id)


def open_rule(settings: Settings) -> AdmissionRule | None:
    """The rule of the API; None: no webhooks are sent."""
    return note_admitted_run if read_webhook_settings().webhooks else None


async def note_ended_run(store: TenantStore, run: ArchivedRun) -> str:
    """Note a run once more as it ends, for endpoints that came later and for runs that were resumed.

    Messages are not repeated. The run reports on its sections.
    """
    if run.branch_of is None and read_webhook_settings().webhooks:
        await get_webhooks(store).note_watch(run.run_id)
    return ""


def get_webhook_store(store: Store) -> WebhookStore:
    """The webhooks in a store."""
    return get_plugin_data(store.plugins, "webhooks", WebhookStore)


def get_webhooks(store: TenantStore) -> TenantWebhooks:
    """The webhooks in a tenant's store."""
    return get_plugin_data(store.plugins, "webhooks", TenantWebhooks)


async def begin_delivery(client: Client, webhooks: TenantWebhooks, delivery: Delivery, *, again: bool = False) -> None:
    """Note a delivery and start its workflow, both once however often this is called; `again`: one that failed.

    One that is over is not started anew because Temporal has forgotten its workflow.
    """
    await webhooks.add_delivery(delivery.endpoint, delivery.message)
    noted = await webhooks.find_delivery(delivery.endpoint, delivery.message.id)
    if not again and (noted is None or noted.status != "waiting"):
        return
    reuse = WorkflowIDReusePolicy.ALLOW_DUPLICATE if again else WorkflowIDReusePolicy.REJECT_DUPLICATE
    with suppress(WorkflowAlreadyStartedError):
        await client.start_workflow(
            DELIVERY_WORKFLOW,
            delivery,
            id=delivery.workflow_id,
            task_queue=BACKGROUND_QUEUE,
            id_reuse_policy=reuse,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            search_attributes=describe_owner(delivery.tenant),
            static_summary=delivery.summary,
        )
