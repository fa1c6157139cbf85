"""Everything that is kept, opened and closed together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from storage.artifacts import ArtifactStore, SqlArtifactStore
from storage.controls import ControlStore, SqlControlStore
from storage.database import file_engine, prepare
from storage.evidence import EvidenceStore, SqlEvidenceStore
from storage.ledger import Ledger, SqlLedger
from storage.runs import RunStore, SqlRunStore

DATABASE_FILE: Final = "elcano.db"


@dataclass(frozen=True)
class Store:
    """The kinds of things that are kept, each behind its interface."""

    evidence: EvidenceStore
    artifacts: ArtifactStore
    ledger: Ledger
    runs: RunStore
    controls: ControlStore


@asynccontextmanager
async def open_store(data_dir: Path) -> AsyncIterator[Store]:
    """The store in `data_dir`. The folder and its tables are made if need be; several processes may open it at once.

    Raises:
        StoreIncompatible: the folder belongs to another version of this project.
    """
    await asyncio.to_thread(data_dir.mkdir, parents=True, exist_ok=True)
    engine = file_engine(data_dir / DATABASE_FILE)
    try:
        await prepare(engine)
        yield Store(
            evidence=SqlEvidenceStore(engine),
            artifacts=SqlArtifactStore(engine),
            ledger=SqlLedger(engine),
            runs=SqlRunStore(engine),
            controls=SqlControlStore(engine),
        )
    finally:
        await engine.dispose()
