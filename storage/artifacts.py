"""Artifacts: drafts, reports and other large results, kept by the hash of their bytes."""

from typing import Protocol


class ArtifactStore(Protocol):
    """Where artifacts are kept. The same content is kept once."""

    async def put(self, content: str, media_type: str) -> str:
        """Keeps `content` and returns its key: SHA-256 of its UTF-8, hexadecimal."""
        ...

    async def get(self, key: str) -> str | None:
        """The content kept under `key`."""
        ...
