"""Artifacts: drafts, reports and other large results, kept by the hash of their bytes."""

from hashlib import sha256
from typing import Protocol

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.storage.database import artifacts
from elcano.storage.dialect import insert_new


class ArtifactStore(Protocol):
    """Where artifacts are kept. The same content is kept once."""

    async def put(self, content: str, media_type: str) -> str:
        """Keeps `content` and returns its key: SHA-256 of its UTF-8, hexadecimal."""
        ...

    async def get(self, key: str) -> str | None:
        """The content kept under `key`."""
        ...


class SqlArtifactStore:
    """Artifacts in a table; content that is kept already keeps its first media type."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def put(self, content: str, media_type: str) -> str:
        """Keeps `content` and returns its key."""
        key = sha256(content.encode()).hexdigest()
        async with self._engine.begin() as connection:
            await connection.execute(insert_new(artifacts).values(key=key, media_type=media_type, content=content))
        return key

    async def get(self, key: str) -> str | None:
        """The content kept under `key`."""
        async with self._engine.connect() as connection:
            found: str | None = await connection.scalar(select(artifacts.c.content).where(artifacts.c.key == key))
            return found
