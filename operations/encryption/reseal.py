"""Rewrites all values in the database and the objects that are in clear, or under another key, with the current key.

Every value is looked at by its beginning, which says its key, and rewritten only where it is still as it was read: runs
may go on meanwhile, and a reseal that was cut off is begun again and finds less to do. Payloads of Temporal cannot be
rewritten: their names are hashes of their bytes, which histories have. They are counted.
"""

import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.message import Message
from sqlalchemy import (
    Column,
    ColumnElement,
    Dialect,
    String,
    Table,
    Text,
    and_,
    cast,
    delete,
    func,
    select,
    tuple_,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from temporalio.api.common.v1 import Payload
from temporalio.client import Client

from elcano.graphs.errors import SealedDataUnreadable
from elcano.graphs.plugin import load_stores
from elcano.operations.encryption.envelope import KeyRing, find_key_id
from elcano.operations.encryption.keys import VARIABLE, open_cipher
from elcano.service.temporal.connection import connect_client
from elcano.service.temporal.history import list_workflows
from elcano.settings.plugins import SettingsInvalid
from elcano.settings.settings import Settings
from elcano.storage.objects import ARTIFACTS, FILES, PAYLOADS, Objects, encode_key_segment
from elcano.storage.sealed_payloads import SEALED
from elcano.storage.sql.cipher import MARK, seal_object, unseal_object
from elcano.storage.sql.columns import SealedJson, SealedText, Word, find_sealed_part, unescape_nul
from elcano.storage.sql.dialect import insert_new
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables
from elcano.storage.sql.tables import artifacts, metadata
from elcano.storage.store import DATABASE_FILE, configured_objects

CLEAR: Final = ""
"""Stands for the key of what is in clear."""
HISTORIES: Final = "histories"
_LOOKED_AT: Final = 500
"""Rows whose beginnings are read at a time."""
_REWRITTEN: Final = 50
"""Rows that one transaction rewrites: texts of documents may be among them."""
_HEAD_BYTES: Final = 72
"""Bytes needed for the longest name of a key, with what is before and behind it."""
_HEAD_TEXT: Final = 100
"""The same in base64, with the marks of a column."""
_CODE: Final = re.compile(r"[0-9a-f]{32}")
"""The form of a word's code."""


@dataclass
class KeyUse:
    """Counts of values by key, and the results of a reseal."""

    kept: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Values by place (a table, `artifacts`, `files`, `payloads`, `histories`) and key; `CLEAR`: without one."""
    rewritten: int = 0
    faults: list[str] = field(default_factory=list)
    """Values that cannot be read, in words."""

    def list_keys(self) -> set[str]:
        """The keys that something needs."""
        return {key for _, key in self.kept if key != CLEAR}


class Resealer:
    """Looks at everything that is kept, and rewrites it on request."""

    def __init__(self, engine: AsyncEngine, objects: Objects, ring: KeyRing, *, rewrite: bool) -> None:
        self._engine = engine
        self._objects = objects
        self._ring = ring
        self._rewrite = rewrite
        self.use = KeyUse()

    async def run(self) -> KeyUse:
        """Look at all tables and objects."""
        for table in list_tables():
            if list_sealed_columns(table):
                await self._look_at_table(table)
            elif any(isinstance(column.type, Word) for column in table.columns):
                await self._look_at_words(table)
        for place in (ARTIFACTS, FILES):
            async for keys in self._objects.list_below(place):
                for key in keys:
                    await self._look_at_object(place, key)
        async for keys in self._objects.list_below(PAYLOADS):
            for key in keys:
                await self._look_at_payload(key)
        return self.use

    async def _look_at_table(self, table: Table) -> None:
        columns = list_sealed_columns(table)
        heads = [func.substr(_as_kept(column), 1, _HEAD_TEXT).label(f"head_{column.name}") for column in columns]
        async for rows in _read_pages(self._engine, table, heads):
            due = []
            for row in rows:
                found = [_find_key_of_text(row[f"head_{column.name}"]) for column in columns]
                outdated = any(key not in (None, self._ring.active) for key in found)
                due += [row] if outdated and self._rewrite else []
                if not (outdated and self._rewrite):
                    self.use.kept.update((table.name, key) for key in found if key is not None)
            for start in range(0, len(due), _REWRITTEN):
                await self._rewrite_rows(table, columns, due[start : start + _REWRITTEN])

    async def _rewrite_rows(self, table: Table, columns: Sequence[Column[Any]], due: Sequence[Any]) -> None:
        key = list(table.primary_key.columns)
        named = tuple_(*key).in_([tuple(row[column.name] for column in key) for row in due])
        wanted = select(*key, *(_as_kept(column).label(f"kept_{column.name}") for column in columns)).where(named)
        async with self._engine.begin() as connection:
            for row in (await connection.execute(wanted)).mappings().all():
                mine = and_(*(column == row[column.name] for column in key))
                for column in columns:
                    await self._rewrite_value(connection, table, column, mine, row[f"kept_{column.name}"])

    async def _rewrite_value(
        self,
        connection: AsyncConnection,
        table: Table,
        column: Column[Any],
        mine: ColumnElement[bool],
        kept: str | None,
    ) -> None:
        found = _find_key_of_text(kept)
        if found is None or kept is None:
            return
        if found != self._ring.active:
            try:
                value = _read_value(column, kept, self._engine.dialect)
            except SealedDataUnreadable as error:
                self.use.faults.append(f"{table.name}.{column.name}: {error}")
            else:
                as_read = and_(mine, _as_kept(column) == kept)  # else someone has just written it
                await connection.execute(update(table).where(as_read).values({column: value}))
                found = self._ring.active
                self.use.rewritten += 1
        self.use.kept[table.name, found] += 1

    async def _look_at_words(self, table: Table) -> None:
        """Replace words by their codes. A word that has the form of a code is taken for one."""
        async for rows in _read_pages(self._engine, table, []):
            due = []
            for row in rows:
                words = [row[column.name] for column in table.columns if isinstance(column.type, Word)]
                clear = not all(map(_CODE.fullmatch, words))
                due += [row] if clear and self._rewrite else []
                if clear and not self._rewrite:
                    self.use.kept[table.name, CLEAR] += 1
            if due:
                await self._rewrite_words(table, due)

    async def _rewrite_words(self, table: Table, due: Sequence[Any]) -> None:
        async with self._engine.begin() as connection:
            for row in due:
                mine = and_(*(_as_kept(column) == row[column.name] for column in table.primary_key.columns))
                value = {
                    column.name: unescape_nul(row[column.name]) if isinstance(column.type, Word) else row[column.name]
                    for column in table.columns
                }
                if (await connection.execute(delete(table).where(mine))).rowcount:
                    await connection.execute(insert_new(connection, table).values(value))
                    self.use.rewritten += 1

    async def _look_at_object(self, place: str, key: str) -> None:
        head = await self._objects.get_head(key, len(MARK) + _HEAD_BYTES)
        if head is None:
            return  # it was deleted
        found = find_key_id(head[len(MARK) :]) if head.startswith(MARK) else CLEAR
        if found != self._ring.active and self._rewrite:
            found = await self._rewrite_object(key, found)
        self.use.kept[place, found] += 1

    async def _rewrite_object(self, key: str, found: str) -> str:
        """Rewrite an object that a run names; returns its key then. One that none names may be being deleted."""
        kept = await self._objects.get(key) if await self._is_named(key) else None
        if kept is None:
            return found
        try:
            data = unseal_object(self._ring, kept)
        except SealedDataUnreadable as error:
            self.use.faults.append(f"{key}: {error}")
            return found
        await self._objects.put(key, seal_object(self._ring, data))
        if not await self._is_named(key):  # its run was deleted between the two: no one else would delete this
            await self._objects.delete([key])
        self.use.rewritten += 1
        return self._ring.active

    async def _is_named(self, key: str) -> bool:
        place, tenant, *_, run, name = key.split("/")
        if place == FILES:
            return await self._objects.get_head(key, 1) is not None
        wanted = select(artifacts.c.run_id).where(artifacts.c.tenant == tenant, artifacts.c.key == name)
        async with self._engine.connect() as connection:
            return run in {encode_key_segment(run_id) for run_id in await connection.scalars(wanted)}

    async def _look_at_payload(self, key: str) -> None:
        head = await self._objects.get_head(key, 4 * _HEAD_BYTES)
        if head is not None:
            self.use.kept[PAYLOADS, _find_key_of_payload(head)] += 1


def list_tables() -> list[Table]:
    """All tables, those of plugins too, whose modules a program that opens no store has not loaded."""
    load_stores()
    return metadata.sorted_tables


def list_sealed_columns(table: Table) -> list[Column[Any]]:
    """The columns of a table whose values are encrypted."""
    return [column for column in table.columns if isinstance(column.type, SealedText | SealedJson)]


def _as_kept(column: Column[Any]) -> ColumnElement[Any]:
    """A column as the database has it: JSON as its text, a word as its code, everything else as it is."""
    if isinstance(column.type, SealedText | SealedJson):
        return cast(column, Text)
    return type_coerce(column, String()) if isinstance(column.type, Word) else column


async def _read_pages(
    engine: AsyncEngine, table: Table, others: Iterable[ColumnElement[Any]]
) -> AsyncIterator[Sequence[Any]]:
    """All rows in the order of their keys, as they are kept: the keys, and the other wanted columns."""
    key = {column.name: _as_kept(column) for column in table.primary_key.columns}
    named = [column.label(name) for name, column in key.items()]
    wanted = select(*named, *others).order_by(*key.values()).limit(_LOOKED_AT)
    page = wanted
    while True:
        async with engine.connect() as connection:
            rows = (await connection.execute(page)).mappings().all()
        yield rows
        if len(rows) < _LOOKED_AT:
            return
        page = wanted.where(tuple_(*key.values()) > tuple(rows[-1][name] for name in key))


def _find_key_of_text(kept: str | None) -> str | None:
    """The key that a column's text, or its beginning, needs; `CLEAR` if none, None if there is nothing to encrypt."""
    if not kept or kept == "null":
        return None
    sealed = find_sealed_part(kept)
    if sealed is None:
        return CLEAR
    whole = sealed[: len(sealed) // 4 * 4]
    return find_key_id(b64decode(whole))


def _find_key_of_payload(head: bytes) -> str:
    """The key of a serialized payload: its metadata come first, then its data with their length."""
    place = head.find(SEALED.encode())
    if place < 0:
        return CLEAR
    place += len(SEALED) + 1  # the tag of the data
    while head[place] & 0x80:
        place += 1
    return find_key_id(head[place + 1 :])


def _read_value(column: Column[Any], kept: str, dialect: Dialect) -> Any:
    """The value of what a column keeps.

    Raises:
        SealedDataUnreadable: its key is missing.
    """
    kind = column.type
    assert isinstance(kind, SealedText | SealedJson)
    return kind.process_result_value(json.loads(kept) if isinstance(kind, SealedJson) else kept, dialect)


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
    async for workflow in list_workflows(client, ""):
        place = workflow.execution
        async for event in client.get_workflow_handle(place.workflow_id, run_id=place.run_id).fetch_history_events():
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
