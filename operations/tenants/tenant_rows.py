"""The rows of a tenant in every table of the database: no table with a tenant can be forgotten.

A plugin's table is among them if it is in the kernel's `metadata`, as `PluginStore` asks. Rows of a table
whose `info` says `RETAINED` stay.
"""

from typing import Final

from sqlalchemy import Table, delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.storage.sql.columns import RETAINED
from elcano.storage.sql.tables import metadata

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
