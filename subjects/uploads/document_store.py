"""Storage of the plugin: one row for each uploaded document; its bytes and its text are files.

A document is known by its name, a relative path that is safe to write on any disk and to show in any terminal, and its
files by the moment of the upload as well: what is uploaded anew under a name never mixes with what is still being read,
or deleted, of the former one.
"""

import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BeforeValidator
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Double,
    Index,
    Integer,
    Select,
    Table,
    and_,
    case,
    delete,
    func,
    select,
    tuple_,
    update,
)

from elcano.activities.passages.document import Gap
from elcano.graphs.frozen import Frozen
from elcano.graphs.tenants import Tenant
from elcano.service.uploaded_documents import DocumentState
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.columns import Id, LongText, SealedJson, SealedText
from elcano.storage.sql.dialect import begin_exclusive, connect_in_autocommit, insert_or_replace
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import metadata
from elcano.storage.store import Store, TenantStore
from elcano.subjects.documents.file_formats import READER
from elcano.subjects.uploads.content_kind import PARTED_TYPES
from elcano.subjects.uploads.document_names import hash_name
from elcano.subjects.uploads.source_spec import NAME

documents = Table(
    "uploaded_documents",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("collection", Id, primary_key=True),
    Column("key", Id, primary_key=True),
    Column("path", SealedText, nullable=False),
    Column("data_hash", Id, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("state", Id, nullable=False),
    Column("reason", SealedText, nullable=False),
    Column("title", SealedText, nullable=False),
    Column("media_type", Id, nullable=False),
    # Nothing reads it any more; the release before requires a value, and the next migration drops it.
    Column("empty_pages", Integer, nullable=False, default=0),
    Column("read_at", Double, nullable=True),
    Column("uploaded_at", Double, nullable=False),
    Column("uploaded_by", LongText, nullable=False),
    Column("gaps", SealedJson(none_as_null=True), nullable=True),
    Column("unread_parts", Integer, nullable=False, default=0, server_default="0"),
    Column("reader", Integer, nullable=False, default=0, server_default="0"),
    Index("uploaded_documents_by_reader", "reader", "tenant", "collection"),
    Index("uploaded_documents_by_state", "state", "tenant", "collection"),
    Index("uploaded_documents_sizes", "tenant", "size"),
)
"""By the hash of its path: what is known of a document; `reason` says why it is refused, `read_at` is null until its
bytes were read for the first time, `reader` is the version of the readers that did it."""


class UploadedDocument(Frozen):
    """A document as it is stored."""

    collection: str
    key: str
    """The hash of its path."""
    path: str
    data_hash: str
    """SHA-256 of its bytes, hexadecimal."""
    size: int
    """In bytes."""
    state: DocumentState = "uploaded"
    reason: str = ""
    title: str = ""
    media_type: str = ""
    gaps: Annotated[tuple[Gap, ...], BeforeValidator(lambda given: given or ())] = ()
    """Parts of it that were not read, or left out."""
    unread_parts: int = 0
    """Number of gaps in which text may be missing."""
    reader: int = 0
    """The version of the readers that read it last."""
    read_at: float | None = None
    """When its bytes were last read; None: they are yet to be."""
    uploaded_at: float
    uploaded_by: str

    @property
    def data_file(self) -> str:
        """The key of the file with its bytes."""
        return f"{self.collection}/{self.key}/{self.uploaded_at:.6f}-{self.data_hash}"

    @property
    def text_file(self) -> str:
        """The key of the file with what was read of it."""
        return f"{self.data_file}-read"


class CollectionCount(Frozen):
    """Number of documents of a collection, by state, and their total size."""

    collection: str
    uploaded: int = 0
    indexed: int = 0
    refused: int = 0
    incomplete: int = 0
    """Documents with parts that could not be read."""
    outdated: int = 0
    """Documents read by an older version of the readers."""
    size: int = 0

    @property
    def documents(self) -> int:
        """All of them."""
        return self.uploaded + self.indexed + self.refused


class Room(NamedTuple):
    """Limits on all documents of a tenant together."""

    documents: int
    size: int
    """In bytes."""


Lacking: TypeAlias = Literal["documents", "size"]


class Stored(NamedTuple):
    """Outcome of storing documents."""

    former: tuple[UploadedDocument, ...]
    """Documents that had the names of kept ones."""
    refused: Mapping[str, Lacking]
    """By the keys of those that are not kept, what there is no more room for."""


class TenantUploads(TenantBound):
    """The uploaded documents of one tenant."""

    async def put(self, made: Sequence[UploadedDocument], room: Room) -> Stored:
        """Keep documents of one collection, which are then to be read, as far as there is room for them.

        Room is counted once, in the transaction that keeps them, for which others of the tenant wait: together they
        never pass it.
        """
        taken: list[UploadedDocument] = []
        refused: dict[str, Lacking] = {}
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"uploads {self._tenant}")
            number, size = (await connection.execute(self._measure())).one()
            collection, keys = made[0].collection, [one.key for one in made]
            named = and_(self._own(documents), documents.c.collection == collection, documents.c.key.in_(keys))
            rows = (await connection.execute(self._select(documents).where(named))).mappings()
            former = {row["key"]: UploadedDocument.model_validate(dict(row)) for row in rows}
            for one in made:
                before = former.get(one.key)
                more = one.size - (before.size if before else 0)
                if before is None and number >= room.documents:
                    refused[one.key] = "documents"
                elif more > 0 and size + more > room.size:
                    refused[one.key] = "size"
                else:
                    number, size = number + (before is None), size + more
                    taken.append(one)
            if taken:
                values = [self._row(**one.model_dump()) for one in taken]
                await connection.execute(insert_or_replace(connection, documents).values(values))
        return Stored(tuple(former[one.key] for one in taken if one.key in former), refused)

    async def find(self, collection: str, path: str) -> UploadedDocument | None:
        """The document of this name; None: there is none."""
        wanted = self._select(documents).where(self._named(collection, hash_name(path)))
        return await self._fetch_first(UploadedDocument, wanted)

    async def page(
        self, collection: str, *, after: str = "", limit: int, state: DocumentState | None = None
    ) -> list[UploadedDocument]:
        """Documents in the order of their keys, those behind the key `after`, at most `limit`."""
        table = documents
        wanted = self._select(table).where(table.c.collection == collection, table.c.key > after)
        if state is not None:
            wanted = wanted.where(table.c.state == state)
        return await self._fetch_all(UploadedDocument, wanted.order_by(table.c.key).limit(limit))

    async def list_outdated(self, collection: str, reader: int, limit: int) -> list[UploadedDocument]:
        """Documents that readers older than `reader` read last, those that were uploaded last first."""
        table = documents
        wanted = self._select(table).where(table.c.collection == collection, _is_outdated(reader))
        return await self._fetch_all(UploadedDocument, wanted.order_by(table.c.uploaded_at.desc()).limit(limit))

    async def list_read(self, collection: str) -> list[UploadedDocument]:
        """All documents whose bytes were read at some time, also those that are to be read again, by key; without gaps.

        There may be tens of thousands: nothing is validated, nor decrypted needlessly.
        """
        table = documents
        wanted = self._select(table).where(table.c.collection == collection, table.c.read_at.is_not(None))
        async with self._engine.connect() as connection:
            rows = await connection.execute(wanted.order_by(table.c.key))
            return [UploadedDocument.model_construct(**row | {"gaps": ()}) for row in map(dict, rows.mappings())]

    async def count(self, collection: str | None = None) -> dict[str, CollectionCount]:
        """Count the documents of each collection, by its name in alphabetical order; with `collection` of that one."""
        table = documents
        sums = (
            func.sum(table.c.size),
            func.sum(case((table.c.unread_parts > 0, 1), else_=0)),
            func.sum(case((_is_outdated(READER), 1), else_=0)),
        )
        wanted = select(table.c.collection, table.c.state, func.count(), *sums).where(self._own(table))
        if collection is not None:
            wanted = wanted.where(table.c.collection == collection)
        wanted = wanted.group_by(table.c.collection, table.c.state).order_by(table.c.collection)
        found: dict[str, CollectionCount] = {}
        async with self._engine.connect() as connection:
            for name, state, count, size, incomplete, outdated in await connection.execute(wanted):
                known = found.get(name, CollectionCount(collection=name))
                grown = {
                    "size": known.size + int(size),
                    "incomplete": known.incomplete + int(incomplete),
                    "outdated": known.outdated + int(outdated),
                }
                found[name] = known.model_copy(update={state: count, **grown})
        return found

    async def measure(self) -> tuple[int, int]:
        """Measure the number of documents in all collections, and their bytes."""
        async with self._engine.connect() as connection:
            number, size = (await connection.execute(self._measure())).one()
        return number, int(size)

    async def note_outcome(self, document: UploadedDocument, **values: Any) -> bool:
        """Note the outcome of reading a document; False: it was deleted or replaced meanwhile."""
        mine = and_(self._named(document.collection, document.key), documents.c.uploaded_at == document.uploaded_at)
        return bool(await self._write(update(documents).where(mine).values(**values, read_at=time.time())))

    async def read_again(self, collection: str) -> int:
        """Have all documents of a collection read again; returns how many there are. They stay searchable meanwhile."""
        mine = and_(self._own(documents), documents.c.collection == collection)
        return await self._write(update(documents).where(mine).values(state="uploaded"))

    async def delete(self, collection: str, found: Sequence[UploadedDocument]) -> None:
        """Forget documents that were not replaced meanwhile; the caller deletes their files afterwards."""
        uploads = [(one.key, one.uploaded_at) for one in found]
        known = tuple_(documents.c.key, documents.c.uploaded_at).in_(uploads)
        mine = and_(self._own(documents), documents.c.collection == collection, known)
        await self._write(delete(documents).where(mine))

    async def describe_sources(self) -> Mapping[str, Mapping[str, str]]:
        """See `OwnSources`: every collection is a source."""
        return {NAME: {name: f"The uploaded documents of {name!r}." for name in await self.count()}}

    def _select(self, table: Table) -> Select[Any]:
        columns = (column for column in table.columns if column.name not in ("tenant", "empty_pages"))
        return select(*columns).where(self._own(table))

    def _measure(self) -> Any:
        return select(func.count(), func.coalesce(func.sum(documents.c.size), 0)).where(self._own(documents))

    def _named(self, collection: str, key: str) -> Any:
        return and_(self._own(documents), documents.c.collection == collection, documents.c.key == key)


_UNREAD: Final = select(documents.c.tenant, documents.c.collection).where(documents.c.state == "uploaded").distinct()
"""Looked for every few seconds by every worker, so it is built once."""


class UploadStore(PluginTables):
    """The uploaded documents of all tenants; they belong to no run, and their files go with those of the tenant."""

    def of(self, tenant: str) -> TenantUploads:
        """Return the documents of one tenant."""
        return TenantUploads(self._engine, tenant)

    async def list_unread(self, limit: int) -> list[tuple[Tenant, str]]:
        """Collections with documents that are yet to be read, with their tenants."""
        async with connect_in_autocommit(self._engine) as connection:
            return [(row.tenant, row.collection) for row in await connection.execute(_UNREAD.limit(limit))]

    async def list_by_key(self, keys: Collection[str]) -> list[tuple[Tenant, UploadedDocument]]:
        """The documents of these keys, at most a thousand, in all collections, with their tenants."""
        return [found async for found in self._stream(documents.c.key.in_(keys))]

    async def list_readable(self, can_read: Callable[[str], bool]) -> list[tuple[Tenant, UploadedDocument]]:
        """Documents of which something was not read that can be by now, by what their gaps need, with their tenants."""
        found = self._stream(and_(documents.c.gaps.is_not(None), documents.c.reader > 0))
        return [(tenant, one) async for tenant, one in found if any(can_read(gap.needs) for gap in one.gaps)]

    async def _stream(self, wanted: ColumnElement[bool]) -> AsyncIterator[tuple[Tenant, UploadedDocument]]:
        columns = [column for column in documents.columns if column.name != "empty_pages"]
        async with self._engine.connect() as connection:
            async for row in (await connection.stream(select(*columns).where(wanted))).mappings():
                values = dict(row)
                yield values.pop("tenant"), UploadedDocument.model_validate(values)

    async def list_outdated(self, reader: int, limit: int) -> list[tuple[Tenant, str]]:
        """Collections with documents that readers older than `reader` read last, with their tenants."""
        table = documents
        wanted = select(table.c.tenant, table.c.collection).where(_is_outdated(reader)).distinct().limit(limit)
        async with self._engine.connect() as connection:
            return [(row.tenant, row.collection) for row in await connection.execute(wanted)]


def _is_outdated(reader: int) -> ColumnElement[bool]:
    """Documents that were read before, by readers older than `reader`.

    Archives and reading lists are not taken apart anew: parts that were deleted since would come back.
    """
    table = documents
    whole = table.c.media_type.not_in(PARTED_TYPES)
    return and_(table.c.reader < reader, table.c.state != "uploaded", table.c.read_at.is_not(None), whole)


def build_document(collection: str, path: str, data_hash: str, size: int, by: str) -> UploadedDocument:
    """A document that was uploaded now."""
    return UploadedDocument(
        collection=collection,
        key=hash_name(path),
        path=path,
        data_hash=data_hash,
        size=size,
        uploaded_at=time.time(),
        uploaded_by=by,
    )


def get_upload_store(store: Store) -> UploadStore:
    """The uploaded documents in a store."""
    return get_plugin_data(store.plugins, NAME, UploadStore)


def get_uploads(store: TenantStore) -> TenantUploads:
    """The uploaded documents in a tenant's store."""
    return get_plugin_data(store.plugins, NAME, TenantUploads)
