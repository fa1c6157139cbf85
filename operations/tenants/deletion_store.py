"""The deletions of tenants: one row for each, which stays as the record of it.

While there is a row without an end, the deletion is open: any API process continues it, no matter which one began it.

A tenant has rows in every table of `metadata` with a column `tenant`, those of plugins too, so none can be forgotten.
Rows of a table whose `info` says `RETAINED` stay.
"""

import asyncio
import time
from typing import Final

from sqlalchemy import BigInteger, Column, Double, Table, delete, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits
from elcano.graphs.tenants import Tenant
from elcano.service.errors import Refusal
from elcano.settings.settings import Settings
from elcano.storage.admission import UNENDED
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.columns import RETAINED, Id, LongText
from elcano.storage.sql.dialect import begin_exclusive, insert_or_replace
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import metadata, runs
from elcano.storage.store import Store

DELETED_AT_ONCE: Final = 1_000
"""Rows that one transaction deletes: others can write in between."""


def list_tenant_tables(*, retained: bool = True) -> list[Table]:
    """The tables with a tenant, those first that others refer to; without `retained` those that a deletion empties."""
    tables = [table for table in metadata.sorted_tables if "tenant" in table.c]
    return [table for table in tables if retained or not table.info.items() >= RETAINED.items()]


async def delete_rows(engine: AsyncEngine, tenant: str) -> int:
    """Delete the rows of a tenant batch by batch, those first that refer to others; returns how many there were.

    What is written meanwhile may stay; `delete_last_rows` leaves nothing.
    """
    deleted = 0
    for table in reversed(list_tenant_tables(retained=False)):
        key = tuple_(*table.primary_key.columns)
        some = select(*table.primary_key.columns).where(table.c.tenant == tenant).limit(DELETED_AT_ONCE)
        while True:
            async with engine.begin() as connection:
                gone = (await connection.execute(delete(table).where(key.in_(some)))).rowcount
            deleted += gone
            if gone < DELETED_AT_ONCE:
                break
    return deleted


async def delete_last_rows(connection: AsyncConnection, tenant: str) -> int:
    """Delete the rows of a tenant in the caller's transaction; returns how many there were."""
    deleted = 0
    for table in reversed(list_tenant_tables(retained=False)):
        deleted += (await connection.execute(delete(table).where(table.c.tenant == tenant))).rowcount
    return deleted


async def has_rows(engine: AsyncEngine, tenant: str) -> bool:
    """Whether a table that a deletion empties has a row of the tenant."""
    async with engine.connect() as connection:
        for table in list_tenant_tables(retained=False):
            found = await connection.execute(select(table.c.tenant).where(table.c.tenant == tenant).limit(1))
            if found.first() is not None:
                return True
    return False


class TenantNotFound(Refusal, kind="missing", title="No such tenant"):
    """Nothing is stored of a tenant of this name, or it is not for the principal to manage."""


class DeletionNotFound(Refusal, kind="missing", title="No such deletion"):
    """No deletion of the tenant was requested."""


class TenantBeingDeleted(Refusal, kind="conflict", title="The tenant is being deleted", retry_after=60):
    """No run starts for a tenant that is being deleted."""


tenant_deletions = Table(
    "tenant_deletions",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("begun_at", Double, nullable=False),
    Column("begun_by", LongText, nullable=False),
    Column("begun_in", Id, nullable=False),
    Column("finished_at", Double, nullable=True),
    Column("quiet_at", Double, nullable=False),
    Column("histories", BigInteger, nullable=False),
    Column("objects", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("waiting", LongText, nullable=False),
    info=RETAINED,
)
"""The last deletion of each tenant. `begun_by` is the user, `begun_in` the tenant of that user. Calls in flight may
write until `quiet_at`; `waiting` says why it does not get on."""

QUIET_SECONDS: Final = 60.0
"""Seconds for which calls of ended runs may still write: a worker that has lost its server learns of it by a heartbeat
that is not answered, after 30 s. A run that was just being admitted is in Temporal's lists by then too."""


class TenantDeletion(Frozen):
    """One deletion."""

    tenant: Tenant
    begun_at: float
    begun_by: str
    begun_in: str
    finished_at: float | None = None
    quiet_at: float
    histories: int = 0
    """Executions of workflows that were deleted."""
    objects: int = 0
    """Objects, and files that are objects."""
    rows: int = 0
    """Rows of tables."""
    waiting: str = ""


class TenantDeletions(TenantBound):
    """The deletion of one tenant."""

    async def find(self) -> TenantDeletion | None:
        """The last deletion, going on or finished."""
        async with self._engine.connect() as connection:
            return await find_deletion(connection, self._tenant)

    async def begin(self, by: str, by_tenant: str) -> TenantDeletion:
        """Begin a deletion, or find the one that is going on. No run is admitted from then on."""
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, "admission")
            found = await find_deletion(connection, self._tenant)
            if found is not None and found.finished_at is None:
                return found
            now = time.time()
            deletion = TenantDeletion(
                tenant=self._tenant,
                begun_at=now,
                begun_by=by,
                begun_in=by_tenant,
                quiet_at=now,
            )
            await connection.execute(insert_or_replace(connection, tenant_deletions).values(deletion.model_dump()))
            await connection.commit()
        return deletion

    async def list_open_runs(self) -> list[str]:
        """The ids of the runs and branches that are not known to have ended."""
        wanted = select(runs.c.run_id).where(self._own(runs), runs.c.status.in_(UNENDED)).order_by(runs.c.run_id)
        return await self._fetch_values(wanted)

    async def note_progress(self, *, histories: int = 0, objects: int = 0, rows: int = 0, open_runs: bool) -> None:
        """Add to the count of deleted rows; after open runs it takes a while until it is quiet."""
        table = tenant_deletions
        changed = update(table).where(self._own(table), table.c.finished_at.is_(None))
        counts = {"histories": histories, "objects": objects, "rows": rows}
        added = {name: table.c[name] + count for name, count in counts.items()}
        quiet = {"quiet_at": time.time() + QUIET_SECONDS} if open_runs else {}
        await self._write(changed.values(**added, **quiet, waiting=""))

    async def note_trouble(self, why: str) -> None:
        """Say why it does not get on."""
        mine = (self._own(tenant_deletions), tenant_deletions.c.finished_at.is_(None))
        await self._write(update(tenant_deletions).where(*mine).values(waiting=why))

    async def finish(self) -> None:
        """Delete rows written since, and end the deletion, in one transaction that no admission overlaps."""
        table = tenant_deletions
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, "admission")
            rows = await delete_last_rows(connection, self._tenant)
            ended = {"finished_at": time.time(), "rows": table.c.rows + rows, "waiting": ""}
            changed = update(table).where(self._own(table), table.c.finished_at.is_(None))
            await connection.execute(changed.values(**ended))
            await connection.commit()


class DeletionStore(PluginTables):
    """The deletions of all tenants, whose records stay."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        super().__init__(engine, settings)
        self.engine = engine
        self.begun = asyncio.Event()
        """Set when this process begins a deletion, so that it need not be looked for."""

    def of(self, tenant: str) -> TenantDeletions:
        """Return the deletion of one tenant."""
        return TenantDeletions(self.engine, tenant)

    async def list_open(self) -> list[TenantDeletion]:
        """The deletions that go on, the oldest first."""
        table = tenant_deletions
        wanted = select(table).where(table.c.finished_at.is_(None)).order_by(table.c.begun_at, table.c.tenant)
        return await self._fetch_all(TenantDeletion, wanted)


class DeletionRule:
    """Admits no run of a tenant that is being deleted."""

    async def __call__(self, connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
        """Judge a run.

        Raises:
            TenantBeingDeleted: it may not start.
        """
        table = tenant_deletions
        going_on = select(table.c.tenant).where(table.c.tenant == run.tenant, table.c.finished_at.is_(None))
        if await connection.scalar(going_on) is not None:
            text = f"the tenant {run.tenant!r} is being deleted with all that it owns: no run starts until that is done"
            raise TenantBeingDeleted(text)


def open_rule(settings: Settings) -> DeletionRule:
    """The rule of the API."""
    return DeletionRule()


async def find_deletion(connection: AsyncConnection, tenant: str) -> TenantDeletion | None:
    """The last deletion of a tenant."""
    found = await connection.execute(select(tenant_deletions).where(tenant_deletions.c.tenant == tenant))
    row = found.mappings().one_or_none()
    return None if row is None else TenantDeletion.model_validate(dict(row))


def get_deletion_store(store: Store) -> DeletionStore:
    """The deletions in a store."""
    return get_plugin_data(store.plugins, "tenants", DeletionStore)
