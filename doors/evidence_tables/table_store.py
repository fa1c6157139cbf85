"""The plugin's store: each table with its documents, and every decision and edit of a person.

How far a row is filled in is not among it: that is read from the batch that fills the table, which has its id. What
persons do is only ever added: the last decision on a row, or value of a cell, counts, and those before it are kept, so
of two people who decide at the same moment nothing is lost.
"""

import time
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator
from sqlalchemy import Column, Double, Executable, Integer, Table, and_, delete, func, select, update

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.columns import Id, LongText, SealedJson, SealedText
from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import idempotency_keys, metadata
from elcano.storage.store import TenantStore

NAME: Final = "evidence_tables"

tables = Table(
    "evidence_tables",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("name", SealedText, nullable=False),
    Column("output_schema", SealedJson, nullable=False),
    Column("documents", SealedJson, nullable=False),
    Column("review_run", Id, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("created_by", LongText, nullable=False),
)
"""The id is that of the batch, too."""

changes = Table(
    "evidence_table_changes",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("table_id", Id, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("row", Integer, nullable=False),
    Column("column", SealedText, nullable=False),
    Column("value", SealedJson, nullable=False),
    Column("reason", SealedText, nullable=False),
    Column("by", LongText, nullable=False),
    Column("at", Double, nullable=False),
)
"""In the order in which they were made; without a `column` it is a decision on the row. An empty object in `value` puts
back what was extracted."""

Decision: TypeAlias = Literal["include", "exclude", "unsure"]


class TableDocument(Frozen):
    """The document of a row."""

    source: str
    path: str
    title: str = ""
    data_hash: str = ""
    """SHA-256 of its bytes; empty: not known."""
    most_characters: int | None = None
    """Maximum length of its text; None: not known."""
    reason: str = ""
    """Why no run is started for it; empty: one is."""
    duplicate_of: int | None = None
    """The row that has the same file; None: none before it."""

    @property
    def needs_run(self) -> bool:
        """Whether there is something to read, and no earlier row reads it."""
        return not self.reason and self.duplicate_of is None


def _unpack_documents(given: Any) -> Any:
    return given["rows"] if isinstance(given, dict) else given


class EvidenceTable(Frozen):
    """A table as it is stored."""

    id: str
    name: str
    output_schema: JsonObject
    documents: Annotated[tuple[TableDocument, ...], BeforeValidator(_unpack_documents)] = ()
    review_run: str = ""
    created_at: float
    created_by: str = ""


class Change(Frozen):
    """One person's decision on a row, or edit of a cell."""

    number: int = 0
    row: int
    column: str = ""
    """Empty: the value is a decision on the row."""
    value: Json = None
    """Decisions: null withdraws the previous one. Cells: null means not known."""
    restored: bool = False
    """Cells only: the extracted value was restored."""
    reason: str = ""
    by: str = ""
    at: float = 0.0


class TenantTables(TenantBound):
    """The evidence tables of one tenant."""

    async def find(self, id: str) -> EvidenceTable | None:
        """One table; None: there is none of this id."""
        return await self._fetch_first(EvidenceTable, self._select(tables).where(tables.c.id == id))

    async def page(self, limit: int, before: str | None = None) -> list[EvidenceTable]:
        """Tables without their documents, the newest first, those older than `before`."""
        columns = [column for column in tables.columns if column.name not in ("tenant", "documents")]
        wanted = select(*columns).where(self._own(tables))
        if before is not None:
            wanted = wanted.where(tables.c.id < before)
        return await self._fetch_all(EvidenceTable, wanted.order_by(tables.c.id.desc()).limit(limit))

    def insert(self, table: EvidenceTable) -> Executable:
        """The statement that keeps a new table, for the transaction in which its batch is made."""
        values = table.model_dump(mode="json")
        return tables.insert().values(self._row(**values | {"documents": {"rows": values["documents"]}}))

    def set_schema(self, id: str, schema: JsonObject) -> Executable:
        """The statement that gives a table other columns, for the transaction in which its batch gets the questions."""
        return update(tables).where(self._own(tables), tables.c.id == id).values(output_schema=schema)

    async def list_changes(self, id: str) -> list[Change]:
        """Everything that persons did in a table, in their order."""
        wanted = self._select(changes).where(changes.c.table_id == id).order_by(changes.c.number)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).mappings()
            return [_parse_change(dict(row)) for row in rows]

    async def add_change(self, id: str, made: Change) -> None:
        """Add a person's change, unless the same person did just that last.

        The number and the time of `made` are given here.
        """
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"evidence table {self._tenant} {id}")
            of_row = self._select(changes).where(changes.c.table_id == id, changes.c.row == made.row)
            rows = (await connection.execute(of_row.order_by(changes.c.number))).mappings()
            before = [one for one in (_parse_change(dict(row)) for row in rows) if one.column == made.column]
            if before and before[-1].model_copy(update={"number": made.number, "at": made.at}) == made:
                return
            last = select(func.max(changes.c.number)).where(self._own(changes), changes.c.table_id == id)
            number = ((await connection.execute(last)).scalar() or 0) + 1
            value = {} if made.restored else {"value": made.value}
            values = made.model_dump(exclude={"restored"}) | {"number": number, "value": value, "at": time.time()}
            await connection.execute(changes.insert().values(self._row(table_id=id, **values)))
            await connection.commit()

    async def delete(self, id: str) -> None:
        """Forget a table with all that persons did in it, and its keys."""
        await self._write(
            delete(changes).where(self._own(changes), changes.c.table_id == id),
            delete(idempotency_keys).where(and_(self._own(idempotency_keys), idempotency_keys.c.run_id == id)),
            delete(tables).where(self._own(tables), tables.c.id == id),
        )


def _parse_change(row: dict[str, Any]) -> Change:
    kept = row.pop("value")
    del row["table_id"]
    return Change.model_validate({**row, "value": kept.get("value"), "restored": "value" not in kept})


class EvidenceTableStore(PluginTables):
    """The evidence tables of all tenants; of a run they keep nothing."""

    def of(self, tenant: str) -> TenantTables:
        """Return the tables of one tenant."""
        return TenantTables(self._engine, tenant)


def get_tables(store: TenantStore) -> TenantTables:
    """The evidence tables in a tenant's store."""
    return get_plugin_data(store.plugins, NAME, TenantTables)
