"""Whether something new can be kept, found out by keeping something new."""

import os
from typing import Final

from sqlalchemy import delete, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.objects.objects import Objects
from elcano.storage.sql.tables import probes

PROBE_BYTES: Final = 8_192
"""About what a new run needs: more than a page of the database, so that a full disk shows."""


class Probe:
    """Finds out whether the store can be written: one row, replaced by another, and one object."""

    def __init__(self, engine: AsyncEngine, objects: Objects) -> None:
        self._engine = engine
        self._objects = objects

    async def write(self) -> None:
        """Keeps something that was not there before, in place of what the last probe kept.

        Raises:
            Exception: it cannot be kept; `storage.troubles.store_trouble` says why.
        """
        # Inserted before the others are deleted, so that there is room for one.
        row = {"id": os.urandom(16).hex(), "filling": os.urandom(PROBE_BYTES // 2).hex()}
        async with self._engine.begin() as connection:
            await connection.execute(insert(probes).values(row))
            await connection.execute(delete(probes).where(probes.c.id != row["id"]))
        await self._objects.put("probe", os.urandom(PROBE_BYTES))
