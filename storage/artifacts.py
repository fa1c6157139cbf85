"""Artifacts: drafts, reports and other large results of a run, kept by the hash of their bytes.

Each belongs to one run and goes with it; two runs with the same content have one each. What a branch makes belongs to
the run that it is a part of.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, TypeAlias

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import InputInvalid, StoreDamaged
from elcano.storage.objects import Objects, artifacts_of
from elcano.storage.sql.cipher import Cipher, seal_object, unseal_object
from elcano.storage.sql.dialect import insert_new, root_of
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import artifacts

LOG_TYPE: Final = "application/vnd.elcano.log+json"
"""The media type of the log of a run or of a branch."""
ArtifactRow: TypeAlias = Mapping[str, Any]
"""The row of an artifact whose content is stored."""


class ArtifactStore(TenantBound):
    """The artifacts of one tenant: their contents are objects, and a table says which run has which."""

    def __init__(self, engine: AsyncEngine, tenant: str, objects: Objects, cipher: Cipher | None = None) -> None:
        super().__init__(engine, tenant)
        self._objects = objects
        self._cipher = cipher

    async def put(self, run_id: str, content: str, media_type: str) -> str:
        """Keeps `content` for a run and returns its key: SHA-256 of its UTF-8, hexadecimal."""
        row = await self.upload(run_id, content, media_type)
        await self._write(insert_new(self._engine, artifacts).values(row))
        return str(row["key"])

    async def upload(self, run_id: str, content: str, media_type: str) -> ArtifactRow:
        """Store `content` and return its row, which has to be written for a reader to find it."""
        data = content.encode()
        key = sha256(data).hexdigest()
        await self._objects.put(f"{artifacts_of(self._tenant, run_id)}/{key}", seal_object(self._cipher, data))
        return self._row(key=key, run_id=root_of(run_id), media_type=media_type)

    async def keys(self, run_id: str, media_type: str) -> list[str]:
        """Returns the artifacts of this type that a run has, branches included, in the order of their keys."""
        mine = and_(self._own(artifacts), artifacts.c.run_id == root_of(run_id), artifacts.c.media_type == media_type)
        return await self._fetch_values(select(artifacts.c.key).where(mine).order_by(artifacts.c.key))

    async def get(self, key: str, *, of: str = "") -> str | None:
        """The content kept under `key`; None if no run of the tenant has it. It is looked for in the run `of` first.

        Raises:
            StoreDamaged: it is there and is not what was kept.
        """
        if of and (own := await self._download(of, key)) is not None:
            return own
        for run_id in await self._list_owners(key):
            found = await self._download(run_id, key)
            if found is not None:  # else the run is being deleted
                return found
        return None

    async def _download(self, run_id: str, key: str) -> str | None:
        stored = await self._objects.get(f"{artifacts_of(self._tenant, run_id)}/{key}")
        if stored is None:
            return None
        data = unseal_object(self._cipher, stored)
        if sha256(data).hexdigest() != key:
            raise StoreDamaged(f"the artifact {key} of run {run_id!r} does not have its hash: restore the object")
        return data.decode()

    async def _list_owners(self, key: str) -> list[str]:
        """The runs that have this artifact."""
        owners = select(artifacts.c.run_id).where(self._own(artifacts), artifacts.c.key == key)
        return await self._fetch_values(owners)

    async def require(self, key: str, field: str, what: str) -> str:
        """The content kept under `key`, which an earlier call of the run has kept.

        Args:
            key: of the artifact.
            field: of the input that names it, for the error.
            what: it is, for the error: `draft`.

        Raises:
            InputInvalid: no run of the tenant has it.
            StoreDamaged: it is there and is not what was kept.
        """
        kept = await self.get(key)
        if kept is None:
            raise InputInvalid(field, f"the store has no {what} {key!r}; do all workers share one data folder?")
        return kept


class ArtifactsOfCall(ArtifactStore):
    """The same within one call of a run: the ledger's next line is written together with the rows that are pending.

    What the call reads is mostly its own run's, and is looked for there first.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        tenant: str,
        objects: Objects,
        cipher: Cipher | None,
        run_id: str,
        pending: dict[str, ArtifactRow],
    ) -> None:
        super().__init__(engine, tenant, objects, cipher)
        self._run_id = run_id
        self._pending = pending

    async def put(self, run_id: str, content: str, media_type: str) -> str:
        """See `ArtifactStore.put`."""
        row = await self.upload(run_id, content, media_type)
        self._pending[row["key"]] = row
        return str(row["key"])

    async def get(self, key: str, *, of: str = "") -> str | None:
        """See `ArtifactStore.get`."""
        return await super().get(key, of=of or self._run_id)
