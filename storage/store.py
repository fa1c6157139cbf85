"""Everything that is kept, opened and closed together."""

import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from elcano.graphs.errors import StoreDamaged
from elcano.storage.artifacts import ArtifactStore, SqlArtifactStore
from elcano.storage.controls import ControlStore, SqlControlStore
from elcano.storage.database import file_engine, prepare
from elcano.storage.dialect import DAMAGED, trouble
from elcano.storage.evidence import EvidenceStore, SqlEvidenceStore
from elcano.storage.ledger import Ledger, SqlLedger
from elcano.storage.probe import Probe, SqlProbe
from elcano.storage.runs import RunStore, SqlRunStore

DATABASE_FILE: Final = "elcano.db"


STORE_ERRORS: Final = (DBAPIError, PoolTimeout, OSError, StoreDamaged)
"""What is raised if the store cannot be used; `store_trouble` tells it from what is raised for other reasons."""

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
        why = trouble(error)
    elif isinstance(error, StoreDamaged):
        why = DAMAGED  # the error's own text names a path, which is nothing for clients
    elif isinstance(error, PoolTimeout):
        why = "all its connections are busy: try again"
    elif isinstance(error, OSError) and error.errno is not None:
        why = _FILE_TROUBLES.get(error.errno)
    return None if why is None else f"the store cannot be used: {why}"


@dataclass(frozen=True)
class Store:
    """The kinds of things that are kept, each behind its interface."""

    evidence: EvidenceStore
    artifacts: ArtifactStore
    ledger: Ledger
    runs: RunStore
    probe: Probe
    controls: ControlStore


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
        yield Store(
            evidence=SqlEvidenceStore(engine),
            artifacts=SqlArtifactStore(engine),
            ledger=SqlLedger(engine),
            runs=SqlRunStore(engine),
            probe=SqlProbe(engine),
            controls=SqlControlStore(engine),
        )
    finally:
        await engine.dispose()
