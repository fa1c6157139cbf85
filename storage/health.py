"""Finds out whether the store can be used, and explains to clients and operators why not."""

import errno
import os
from typing import Final

from sqlalchemy import delete, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import ElcanoError, StoreDamaged, StoreUnavailable
from elcano.storage.objects import Objects
from elcano.storage.sql.dialect import DAMAGED, explain_database_error
from elcano.storage.sql.tables import probes

STORE_ERRORS: Final = (DBAPIError, PoolTimeout, OSError, StoreDamaged, StoreUnavailable)
"""Errors raised if the store cannot be used; `store_trouble` distinguishes them from errors with other causes."""

STORE_OUTAGES: Final = (DBAPIError, PoolTimeout, StoreUnavailable)
"""Errors among them that pass without repair."""

OBJECTS_AWAY: Final = "its objects cannot be reached: see that what ELCANO_OBJECTS_URL names can be, and the log"

_FILE_TROUBLES: Final = {
    errno.ENOSPC: "its disk is full: make room",
    errno.EDQUOT: "its disk quota is used up: make room",
    errno.EROFS: "it is read-only: make the data folder and its files writable",
    errno.EACCES: "access to it is denied: make the data folder and its files writable",
    errno.EIO: "its disk reports an error: see the system's log",
}


def store_trouble(error: BaseException) -> str | None:
    """Why the store cannot be used at the moment and what to do; None if that is not what `error` says."""
    why: str | None = None
    if isinstance(error, DBAPIError):
        why = explain_database_error(error)
    elif isinstance(error, StoreDamaged):
        why = DAMAGED  # the error's own text names a path, which is nothing for clients
    elif isinstance(error, StoreUnavailable):
        why = OBJECTS_AWAY  # the error's own text names addresses, which are nothing for clients
    elif isinstance(error, PoolTimeout):
        why = "all its connections are busy: try again"
    elif isinstance(error, OSError) and error.errno is not None:
        why = _FILE_TROUBLES.get(error.errno)
    return None if why is None else f"the store cannot be used: {why}"


def describe_store_error(error: Exception) -> str:
    """Describe an error for an operator: the text of our own, which names addresses, or else why and what to do."""
    return str(error) if isinstance(error, ElcanoError) else store_trouble(error) or str(error)


PROBE_BYTES: Final = 8_192
"""About the size of a new run: more than a page of the database, so that a full disk shows."""


class Probe:
    """Finds out whether the store can be written: one row, replaced by another, and one object."""

    def __init__(self, engine: AsyncEngine, objects: Objects) -> None:
        self._engine = engine
        self._objects = objects

    async def write(self) -> None:
        """Keeps something that was not there before, in place of what the last probe kept.

        Raises:
            Exception: it cannot be kept; `storage.health.store_trouble` says why.
        """
        await self.write_row()
        await self.write_object()

    async def write_row(self) -> None:
        """Keep a row of the database. Inserted before the others are deleted, so that there is room for one."""
        row = {"id": os.urandom(16).hex(), "filling": os.urandom(PROBE_BYTES // 2).hex()}
        async with self._engine.begin() as connection:
            await connection.execute(insert(probes).values(row))
            await connection.execute(delete(probes).where(probes.c.id != row["id"]))

    async def write_object(self) -> None:
        """Keep an object."""
        await self._objects.put("probe", os.urandom(PROBE_BYTES))
