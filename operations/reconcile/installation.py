"""The parts to compare: the store, the objects and the Temporal server that the settings name."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from temporalio.client import Client

from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.errors import ElcanoError
from elcano.operations.reconcile.row_store import RowStore, get_rows
from elcano.service.runs.endings import START_GRACE
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection, connect_client
from elcano.settings.settings import Settings
from elcano.storage.objects import Objects
from elcano.storage.payloads import close_payloads
from elcano.storage.sql.cipher import Cipher, load_cipher
from elcano.storage.store import Store, configured_objects, open_configured

OBJECT_GRACE: Final = 3_600.0
"""Seconds for which an object may be waiting for the row, or the history, that will name it."""


class CannotMend(ElcanoError):
    """A difference cannot be mended now; the text says what is missing."""


@dataclass(frozen=True)
class Installation:
    """The parts of an installation, which work while they are compared."""

    store: Store
    objects: Objects
    temporal: Temporal
    cipher: Cipher | None = None
    keep_days: float = 0.0
    """Days after its end for which a run is kept; 0: for ever."""
    grace: float = START_GRACE
    """Seconds for which a run may be between two places: starting, ending, being deleted."""
    object_grace: float = OBJECT_GRACE

    @property
    def rows(self) -> RowStore:
        """The rows of all tenants."""
        return get_rows(self.store)

    def is_settled(self, at: float, grace: float | None = None) -> bool:
        """Whether something that happened at a time, in seconds since the epoch, is no longer under way."""
        return time.time() - at >= (self.grace if grace is None else grace)


@asynccontextmanager
async def open_installation(settings: Settings) -> AsyncIterator[Installation]:
    """Open the parts that the settings name.

    Raises:
        StoreUnavailable, StoreDamaged, StoreIncompatible: the store cannot be opened.
    """
    client: Client | None = None

    async def connect() -> Client:
        nonlocal client
        client = await connect_client(settings)
        return client

    objects = configured_objects(settings)
    try:
        async with open_configured(settings) as store:
            temporal = Temporal(Connection(connect), TASK_QUEUE)
            yield Installation(
                store.written_by("reconcile"), objects, temporal, load_cipher(settings), settings.keep_days
            )
    finally:
        objects.close()
        if client is not None:
            close_payloads(client.data_converter)
