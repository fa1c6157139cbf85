"""What `elcano encryption reseal` and `keys-in-use` do, in the process of the command: the store is opened here."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from google.protobuf.message import Message
from sqlalchemy.exc import DBAPIError
from temporalio.api.common.v1 import Payload
from temporalio.client import Client

from elcano.api.temporal.connection import connect_client
from elcano.graphs.errors import ElcanoError
from elcano.plugins.encryption.envelope import KeyRing, find_key_id
from elcano.plugins.encryption.keys import VARIABLE, open_cipher
from elcano.plugins.encryption.reseal import KeyUse, Resealer, find_unreadable
from elcano.settings.plugins import Finding, SettingsInvalid
from elcano.settings.settings import Settings
from elcano.storage.payloads import SEALED
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables, read_tables
from elcano.storage.store import DATABASE_FILE, configured_objects

HISTORIES: Final = "histories"


def check_readable(settings: Settings) -> Iterable[Finding]:
    """Report whether the keys open what the store has. Other checks tell of keys and stores that cannot be used."""
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


async def reseal_store(settings: Settings, *, rewrite: bool, histories: bool) -> tuple[KeyRing, KeyUse]:
    """Look at everything that is kept, and with `rewrite` encrypt it with the first key; with `histories` look there.

    Raises:
        SettingsInvalid: there are no keys, or they cannot be used.
        RuntimeError: Temporal cannot be reached.
    """
    ring = open_cipher(settings)
    if ring is None:
        raise SettingsInvalid(f"{VARIABLE} is not set: this program has no keys")
    engine = open_engine(database_url(settings.store_url, settings.data_dir / DATABASE_FILE), ring)
    objects = configured_objects(settings)
    try:
        await prepare_tables(engine)
        use = await Resealer(engine, objects, ring, rewrite=rewrite).run()
    finally:
        objects.close()
        await engine.dispose()
    if histories:
        use.kept.update(await count_history_keys(await connect_client(settings)))
    return ring, use


async def count_history_keys(client: Client) -> Counter[tuple[str, str]]:
    """Count the encrypted payloads of all histories by their keys: a request or more for every workflow."""
    found: Counter[tuple[str, str]] = Counter()
    async for workflow in client.list_workflows():
        async for event in client.get_workflow_handle(workflow.id, run_id=workflow.run_id).fetch_history_events():
            sealed = [one for one in iterate_payloads(event) if one.metadata.get("encoding") == SEALED.encode()]
            found.update((HISTORIES, find_key_id(payload.data)) for payload in sealed)
    return found


def iterate_payloads(message: Message) -> Iterator[Payload]:
    """Every payload within a message of Temporal's."""
    if isinstance(message, Payload):
        yield message
        return
    for _, value in message.ListFields():
        values: Any = value
        if hasattr(value, "values"):
            values = value.values()
        elif isinstance(value, Message | str | bytes | int | float):
            values = (value,)
        for one in values:
            if isinstance(one, Message):
                yield from iterate_payloads(one)
