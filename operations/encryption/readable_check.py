"""A deep check of `elcano doctor`: whether the keys open what the store has."""

import asyncio
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import ElcanoError, SealedDataUnreadable
from elcano.operations.encryption.envelope import KeyRing
from elcano.operations.encryption.keys import VARIABLE, open_cipher
from elcano.operations.encryption.reseal import list_sealed_columns, list_tables
from elcano.settings.plugins import Finding, SettingsInvalid
from elcano.settings.settings import Settings
from elcano.storage.sql.engine import database_url, open_engine, read_tables
from elcano.storage.store import DATABASE_FILE


def check_readable(settings: Settings) -> Iterable[Finding]:
    """Report whether the keys open what the store has. Other checks report keys and stores that cannot be used."""
    try:
        ring = open_cipher(settings)
        if not settings.store_url and not (settings.data_dir / DATABASE_FILE).exists():
            return
        tried, why = asyncio.run(_try_to_read(settings, ring))
    except (SettingsInvalid, ElcanoError, DBAPIError, OSError):
        return
    if why:
        yield Finding("fault", f"the keys of {VARIABLE} do not open what the store has: {why}")
    elif ring is not None:
        yield Finding("good", f"the keys open the first and the last row of each of {tried} tables")


async def _try_to_read(settings: Settings, ring: KeyRing | None) -> tuple[int, str]:
    engine = open_engine(database_url(settings.store_url, settings.data_dir / DATABASE_FILE), ring)
    try:
        found, needed = await read_tables(engine)
        return await find_unreadable(engine) if found == needed else (0, "")
    finally:
        await engine.dispose()


async def find_unreadable(engine: AsyncEngine) -> tuple[int, str]:
    """Read the first and the last row of each sealed table: of how many tables, and why the keys do not open one."""
    tried = 0
    for table in list_tables():
        columns, key = list_sealed_columns(table), list(table.primary_key.columns)
        if not columns:
            continue
        for order in (key, [column.desc() for column in key]):
            async with engine.connect() as connection:
                try:
                    rows = (await connection.execute(select(*columns).order_by(*order).limit(1))).all()
                except SealedDataUnreadable as error:
                    return tried, f"{table.name}: {error}"
        tried += len(rows)
    return tried, ""
