"""Artifacts: drafts, reports and other large results of a run, kept by the hash of their bytes.

Each belongs to one run and goes with it; two runs with the same content have one each. What a branch makes belongs to
the run that it is a part of.
"""

from hashlib import sha256

from sqlalchemy import select

from elcano.storage.bound import Bound
from elcano.storage.sql.dialect import insert_new, root_of
from elcano.storage.sql.tables import artifacts


class ArtifactStore(Bound):
    """The artifacts of one tenant."""

    async def put(self, run_id: str, content: str, media_type: str) -> str:
        """Keeps `content` for a run and returns its key: SHA-256 of its UTF-8, hexadecimal."""
        key = sha256(content.encode()).hexdigest()
        row = self._row(key=key, run_id=root_of(run_id), media_type=media_type, content=content)
        async with self._engine.begin() as connection:
            await connection.execute(insert_new(artifacts).values(row))
        return key

    async def get(self, key: str) -> str | None:
        """The content kept under `key`; None if no run of the tenant has it."""
        kept = select(artifacts.c.content).where(self._own(artifacts), artifacts.c.key == key).limit(1)
        async with self._engine.connect() as connection:
            found: str | None = await connection.scalar(kept)
            return found
