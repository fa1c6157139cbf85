"""The rows of all tenants as a comparison reads them, and the small changes by which it mends them.

Each change is one transaction, and changes nothing when it is made again.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, select, tuple_, update

from elcano.graphs.records import ArchivedRun
from elcano.storage.admission import ASKED_FOR, UNENDED, run_row
from elcano.storage.ledger import LedgerEntry
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.dialect import begin_exclusive, insert_new, run_and_branches
from elcano.storage.sql.tables import artifacts, audit_entries, evidence, findings, ledger, runs
from elcano.storage.store import Store
from elcano.storage.usage_totals import count_run

PAGE: Final = 500
"""Rows, or keys, of one statement."""

RunKey = tuple[str, str]
"""A tenant, and the id of one of its runs."""


@dataclass(frozen=True)
class RunRow:
    """A run as the store has it."""

    status: str
    execution: str
    finished_at: float | None

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.status in UNENDED


@dataclass(frozen=True)
class ArtifactRow:
    """An artifact that a run should have."""

    tenant: str
    run_id: str
    key: str
    media_type: str


class RowStore(PluginTables):
    """The rows of all tenants. It has no tables of its own."""

    def of(self, tenant: str) -> "RowStore":
        """The same for every tenant."""
        return self

    async def read_runs(self, keys: Collection[RunKey]) -> dict[RunKey, RunRow]:
        """Read these runs as far as they exist; a page of them at most."""
        wanted = select(runs.c.tenant, runs.c.run_id, runs.c.body).where(_is_among(runs, keys))
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        found = {}
        for row in rows:
            run = ArchivedRun.model_validate_json(row.body)
            found[row.tenant, row.run_id] = RunRow(run.status, run.execution, run.finished_at)
        return found

    async def read_deleted(self, keys: Collection[RunKey]) -> set[RunKey]:
        """Select the runs that were deleted, according to the audit log."""
        targets = {(tenant, f"/v1/runs/{run_id}"): (tenant, run_id) for tenant, run_id in keys}
        place = tuple_(audit_entries.c.tenant, audit_entries.c.target)
        wanted = select(audit_entries.c.tenant, audit_entries.c.target).where(
            place.in_(list(targets)), audit_entries.c.action == "delete_run", audit_entries.c.outcome < 300
        )
        async with self._engine.connect() as connection:
            return {targets[row.tenant, row.target] for row in await connection.execute(wanted)}

    async def add_run(self, run: ArchivedRun) -> None:
        """Keep a run that the store has lost, and count it among those that were admitted; one that is there stays."""
        async with self._engine.begin() as connection:
            row = run_row(run, run.tenant)
            kept = await connection.execute(insert_new(connection, runs).values(row).returning(runs.c.run_id))
            if kept.first() is not None:
                await connection.execute(count_run(connection, run))

    async def list_branch_ids(self, tenant: str, run_id: str) -> set[str]:
        """The branches of a run, and theirs, that ended and are kept."""
        below = and_(
            runs.c.tenant == tenant,
            run_and_branches(runs.c.run_id, run_id),
            runs.c.run_id != run_id,
            runs.c.status.not_in(UNENDED),
        )
        return set(await self._fetch_values(select(runs.c.run_id).where(below)))

    async def set_aside(self, tenant: str, lines: Sequence[LedgerEntry]) -> None:
        """Mark lines of the ledger as undone, and have no repetition of their calls replace them.

        They were paid for and stay in the sums. Their execution becomes one that there never was.
        """
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"ledger {tenant}")
            for line in lines:
                mine = and_(
                    ledger.c.tenant == tenant,
                    *(ledger.c[name] == getattr(line, name) for name in ("run_id", "execution", "activity", "attempt")),
                    ledger.c.at == line.at,
                )
                aside = {"undone": True, "execution": f"{line.execution}@{line.at:.6f}"}
                await connection.execute(update(ledger).where(mine).values(aside))

    async def read_missing_passages(self, tenant: str, passages: Sequence[str]) -> set[str]:
        """Select the passages that the store lacks."""
        there: set[str] = set()
        async with self._engine.connect() as connection:
            for start in range(0, len(passages), PAGE):
                among = and_(evidence.c.tenant == tenant, evidence.c.id.in_(passages[start : start + PAGE]))
                there.update(await connection.scalars(select(evidence.c.id).where(among)))
        return set(passages) - there

    async def read_unfound_passages(self, tenant: str, run_id: str, passages: Sequence[str]) -> list[str]:
        """Select the passages that no finding of the run or a branch of it refers to, in their order."""
        mine = and_(findings.c.tenant == tenant, run_and_branches(findings.c.run_id, run_id))
        found = set(await self._fetch_values(select(findings.c.evidence_id).where(mine)))
        return [passage for passage in passages if passage not in found]

    async def add_findings(self, tenant: str, run_id: str, passages: Sequence[str]) -> None:
        """Have a run refer to passages that are in the store, behind those that it found."""
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"evidence {tenant}")
            mine = and_(findings.c.tenant == tenant, run_and_branches(findings.c.run_id, run_id))
            last = await connection.scalar(select(func.max(findings.c.position)).where(mine)) or 0
            rows = [
                {"tenant": tenant, "run_id": run_id, "evidence_id": passage, "position": position}
                for position, passage in enumerate(passages, last + 1)
            ]
            await connection.execute(insert_new(connection, findings), rows)

    async def read_artifacts(self) -> AsyncIterator[list[ArtifactRow]]:
        """Every artifact, page by page."""
        columns = (artifacts.c.tenant, artifacts.c.run_id, artifacts.c.key)
        place = tuple_(*columns)
        after: tuple[str, str, str] | None = None
        while True:
            wanted = select(*columns, artifacts.c.media_type).order_by(*columns).limit(PAGE)
            if after is not None:
                wanted = wanted.where(place > tuple_(*after))
            async with self._engine.connect() as connection:
                rows = (await connection.execute(wanted)).all()
            if rows:
                yield [ArtifactRow(*row) for row in rows]
                after = (rows[-1].tenant, rows[-1].run_id, rows[-1].key)
            if len(rows) < PAGE:
                return

    async def add_artifact(self, row: ArtifactRow) -> None:
        """Have a run own an artifact whose object is there."""
        values = {"tenant": row.tenant, "run_id": row.run_id, "key": row.key, "media_type": row.media_type}
        await self._write(insert_new(self._engine, artifacts).values(values))

    async def list_run_keys(self) -> set[RunKey]:
        """Every run that a person asked for."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(runs.c.tenant, runs.c.run_id).where(ASKED_FOR))
            return {(row.tenant, row.run_id) for row in rows}


def _is_among(table: Any, keys: Collection[RunKey]) -> ColumnElement[bool]:
    return tuple_(table.c.tenant, table.c.run_id).in_(list(keys))


def get_rows(store: Store) -> RowStore:
    """The rows of a store."""
    return get_plugin_data(store.plugins, "reconcile", RowStore)
