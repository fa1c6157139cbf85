"""Everything that is kept: bound to one tenant by `Store.of`; what looks across tenants is on `Store` itself."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import InputInvalid, TooManyAgents, TooManyGraphs
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import load_stores
from elcano.graphs.records import ArchivedRun
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.settings import Settings, get_settings
from elcano.storage.admission import ASKED_FOR, STARTING, UNENDED, AdmissionStore
from elcano.storage.artifacts import ArtifactRow, ArtifactsOfCall, ArtifactStore
from elcano.storage.call_evidence import EvidenceOfCall
from elcano.storage.evidence import EvidenceStore
from elcano.storage.health import Probe
from elcano.storage.ledger import Ledger
from elcano.storage.lineage import Lineage
from elcano.storage.objects import Objects, files_of_tenant, open_objects
from elcano.storage.outbox import Outbox
from elcano.storage.plugin_store import PluginStore
from elcano.storage.providers import ProviderStore
from elcano.storage.runs import ControlStore, RunStore
from elcano.storage.sql.cipher import Cipher, load_cipher, seal_object, unseal_object
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables
from elcano.storage.sql.tables import agents, graphs, runs
from elcano.storage.usage_totals import UsageStore
from elcano.storage.versions import VersionStore


class FileStore:
    """The files of one tenant. A key is a path of plain segments."""

    def __init__(self, tenant: str, objects: Objects, cipher: Cipher | None) -> None:
        self._prefix = files_of_tenant(tenant)
        self._objects = objects
        self._cipher = cipher

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`; repeating it changes nothing."""
        sealed = data if self._cipher is None else await asyncio.to_thread(seal_object, self._cipher, data)
        await self._objects.put(f"{self._prefix}/{key}", sealed)

    async def get(self, key: str) -> bytes | None:
        """The bytes stored under `key`; None if there are none.

        Raises:
            SealedDataUnreadable: it cannot be decrypted here.
        """
        kept = await self._objects.get(f"{self._prefix}/{key}")
        return None if kept is None else await asyncio.to_thread(unseal_object, self._cipher, kept)

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete files, at most a thousand; those that are not there are no error."""
        await self._objects.delete([f"{self._prefix}/{key}" for key in keys])


DATABASE_FILE: Final = "elcano.db"
OBJECTS_FOLDER: Final = "objects"


class OpenRun(Frozen):
    """A run that has not ended, as far as is known."""

    run: ArchivedRun
    begun: bool
    """False: it is not known whether its workflow was started."""

    @property
    def resuming(self) -> bool:
        """Whether it ended, and it is not known whether its next execution was started."""
        return self.run.status != "running"


@dataclass(frozen=True)
class TenantStore:
    """The kinds of things that are kept for one tenant. Nothing of another one can be reached from here."""

    tenant: str
    evidence: EvidenceStore
    artifacts: ArtifactStore
    files: FileStore
    ledger: Ledger
    usage: UsageStore
    admission: AdmissionStore
    runs: RunStore
    controls: ControlStore
    lineage: Lineage
    graphs: VersionStore[ResearchGraph]
    agents: VersionStore[OwnAgent]
    plugins: Mapping[str, Any]
    """The data of plugins, by the names of their stores."""


class Store:
    """The storage that all tenants share, and the way to the store of each."""

    def __init__(
        self,
        engine: AsyncEngine,
        objects: Objects,
        build: str = "",
        plugins: Mapping[str, PluginStore] | None = None,
        cipher: Cipher | None = None,
    ) -> None:
        self._engine = engine
        self.objects = objects
        self._build = build
        self._cipher = cipher
        self.plugins = plugins or {}
        self._admitting = asyncio.Lock()
        self.probe = Probe(engine, objects)
        self.providers = ProviderStore(engine)
        self.outbox = Outbox(engine)
        self.usage = UsageStore(engine, None)
        """Usage of all tenants."""

    def of(self, tenant: str) -> TenantStore:
        """Returns the store of `tenant`; a tenant comes into being with its first record."""
        return TenantStore(
            tenant=tenant,
            evidence=EvidenceStore(self._engine, tenant),
            artifacts=ArtifactStore(self._engine, tenant, self.objects, self._cipher),
            files=FileStore(tenant, self.objects, self._cipher),
            ledger=Ledger(self._engine, tenant, self._build),
            usage=UsageStore(self._engine, tenant),
            admission=AdmissionStore(self._engine, tenant, self._admitting),
            runs=RunStore(self._engine, tenant, self.objects, tuple(self.plugins.values())),
            controls=ControlStore(self._engine, tenant),
            lineage=Lineage(self._engine, tenant, self.objects),
            graphs=VersionStore(self._engine, tenant, graphs, ResearchGraph, TooManyGraphs),
            agents=VersionStore(self._engine, tenant, agents, OwnAgent, TooManyAgents),
            plugins={name: store.of(tenant) for name, store in self.plugins.items()},
        )

    def of_call(self, tenant: str, run_id: str) -> TenantStore:
        """Return the store of `tenant` for one call of a run.

        It reads the same evidence once, and lists the call's artifacts together with its line in the ledger.
        """
        pending: dict[str, ArtifactRow] = {}
        return replace(
            self.of(tenant),
            evidence=EvidenceOfCall(self._engine, tenant, run_id),
            artifacts=ArtifactsOfCall(self._engine, tenant, self.objects, self._cipher, run_id, pending),
            ledger=Ledger(self._engine, tenant, self._build, pending),
        )

    def written_by(self, build: str) -> "Store":
        """The same store; lines that are written through this one into the ledger say which build wrote them."""
        return Store(self._engine, self.objects, build, self.plugins, self._cipher)

    async def open_runs(self, *, after: OpenRun | None = None, limit: int) -> list[OpenRun]:
        """Runs of all tenants that have not ended, tenant by tenant, oldest first; those behind `after`."""
        place = tuple_(runs.c.tenant, runs.c.run_id)
        wanted = select(runs.c.status, runs.c.body).where(ASKED_FOR, runs.c.status.in_(UNENDED))
        if after is not None:
            wanted = wanted.where(place > tuple_(after.run.tenant, after.run.run_id))
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted.order_by(runs.c.tenant, runs.c.run_id).limit(limit))).all()
        return [OpenRun(run=ArchivedRun.model_validate_json(row.body), begun=row.status != STARTING) for row in rows]

    async def count_open_runs(self) -> dict[tuple[bool, str], int]:
        """Count the runs of all tenants that have not ended, by whether they are known to have begun, and by mode."""
        wanted = select(runs.c.status, runs.c.mode, func.count()).where(ASKED_FOR, runs.c.status.in_(UNENDED))
        counted: dict[tuple[bool, str], int] = {}
        async with self._engine.connect() as connection:
            for status, mode, count in await connection.execute(wanted.group_by(runs.c.status, runs.c.mode)):
                key = (status != STARTING, mode)
                counted[key] = counted.get(key, 0) + count
        return counted

    async def expired(self, before: float, limit: int) -> list[ArchivedRun]:
        """Returns runs of all tenants that ended before a time, in seconds since the epoch, oldest ending first.

        They come without what grew with them. `of(run.tenant).runs.delete(run.run_id)` deletes one.
        """
        ended = (ASKED_FOR, runs.c.status.not_in(UNENDED), runs.c.finished_at < before)
        wanted = select(runs.c.body).where(*ended).order_by(runs.c.finished_at).limit(limit)
        async with self._engine.connect() as connection:
            return [ArchivedRun.model_validate_json(body) for body in await connection.scalars(wanted)]


@asynccontextmanager
async def open_store(
    data_dir: Path, *, database: str = "", objects: str = "", settings: Settings | None = None
) -> AsyncIterator[Store]:
    """The store at two URLs, each in `data_dir` if it is empty; several processes may open it at once.

    A folder is made if need be; so are the tables, or they are migrated. The stores of plugins are opened by
    `settings`; None: by those of this process.

    Raises:
        StoreIncompatible: the tables are of a release that is not known here.
        StoreDamaged: a file is damaged.
        StoreUnavailable: a server cannot be used.
    """
    chosen = settings or get_settings()
    cipher = load_cipher(chosen)
    engine = open_engine(await locate_database(data_dir, database), cipher)
    kept = open_objects(objects, data_dir / OBJECTS_FOLDER)
    plugins: dict[str, PluginStore] = {name: opened(engine, chosen) for name, opened in load_stores().items()}
    if lacking := [name for name, one in plugins.items() if not isinstance(one, PluginStore)]:
        raise InputInvalid("plugins", f"the store {lacking[0]!r} of a plugin lacks methods of `PluginStore`: add them")
    try:
        await prepare_tables(engine)
        yield Store(engine, kept, plugins=plugins, cipher=cipher)
    finally:
        kept.close()
        for store in plugins.values():
            await store.close()
        await engine.dispose()


async def locate_database(data_dir: Path, configured: str) -> URL:
    """Return the URL of the database; the folder of a file is made if need be."""
    url = database_url(configured, data_dir / DATABASE_FILE)
    if url.get_backend_name() == "sqlite" and url.database:
        await asyncio.to_thread(Path(url.database).parent.mkdir, parents=True, exist_ok=True)
    return url


@asynccontextmanager
async def open_configured(settings: Settings) -> AsyncIterator[Store]:
    """The store that the settings name; see `open_store`."""
    where = {"database": settings.store_url, "objects": settings.objects_url}
    async with open_store(settings.data_dir, **where, settings=settings) as store:
        yield store


def configured_objects(settings: Settings) -> Objects:
    """The objects that the settings name."""
    return open_objects(settings.objects_url, settings.data_dir / OBJECTS_FOLDER)
