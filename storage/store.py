"""Everything that is kept: bound to one tenant by `Store.of`; what looks across tenants is on `Store` itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.contracts import ArchivedRun
from elcano.storage import across
from elcano.storage.across import Admission, OpenRun
from elcano.storage.artifacts import ArtifactStore
from elcano.storage.controls import ControlStore
from elcano.storage.evidence import EvidenceStore
from elcano.storage.ledger import Ledger
from elcano.storage.probe import Probe
from elcano.storage.runs import RunStore
from elcano.storage.sql.engine import file_engine, prepare

DATABASE_FILE: Final = "elcano.db"


@dataclass(frozen=True)
class TenantStore:
    """The kinds of things that are kept for one tenant. Nothing of another one can be reached from here."""

    tenant: str
    evidence: EvidenceStore
    artifacts: ArtifactStore
    ledger: Ledger
    runs: RunStore
    controls: ControlStore


class Store:
    """What is kept of all tenants together, and the way to what is kept of one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.probe = Probe(engine)

    def of(self, tenant: str) -> TenantStore:
        """What is kept for `tenant`; a tenant begins to be with the first thing that is kept for it."""
        return TenantStore(
            tenant=tenant,
            evidence=EvidenceStore(self._engine, tenant),
            artifacts=ArtifactStore(self._engine, tenant),
            ledger=Ledger(self._engine, tenant),
            runs=RunStore(self._engine, tenant),
            controls=ControlStore(self._engine, tenant),
        )

    async def admit(self, run: ArchivedRun, at_most: int) -> Admission:
        """Keeps a run that is about to be started, if fewer than `at_most` runs are open; it is not listed yet.

        While several tenants have open runs none of them may open more than its equal part. Processes that ask at the
        same time cannot pass the limit together.
        """
        return await across.admit(self._engine, run, at_most)

    async def open_runs(self, *, after: OpenRun | None = None, limit: int) -> list[OpenRun]:
        """Runs of all tenants that have not ended, tenant by tenant, oldest first; those behind `after`."""
        return await across.open_runs(self._engine, after, limit)

    async def expired(self, before: float, limit: int) -> list[ArchivedRun]:
        """Runs of all tenants that ended before a time, in seconds since the epoch; those that ended first come first.

        They come without what grew with them. `of(run.tenant).runs.delete(run.run_id)` deletes one.
        """
        return await across.expired(self._engine, before, limit)


@asynccontextmanager
async def open_store(data_dir: Path) -> AsyncIterator[Store]:
    """The store in `data_dir`. The folder and its tables are made if need be; several processes may open it at once.

    Raises:
        StoreIncompatible: the folder belongs to another version of this project.
        StoreDamaged: its file is damaged.
    """
    await asyncio.to_thread(data_dir.mkdir, parents=True, exist_ok=True)
    engine = file_engine(data_dir / DATABASE_FILE)
    try:
        await prepare(engine)
        yield Store(engine)
    finally:
        await engine.dispose()
