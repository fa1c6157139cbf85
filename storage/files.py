"""Files: bytes that a tenant keeps outside any run, under keys of its own, encrypted as artifacts are."""

import asyncio
from collections.abc import Sequence

from elcano.storage.objects import Objects, files_of_tenant
from elcano.storage.sql.cipher import Cipher, seal_object, unseal_object


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
        """What was stored under `key`; None if nothing is.

        Raises:
            SealedDataUnreadable: it cannot be decrypted here.
        """
        kept = await self._objects.get(f"{self._prefix}/{key}")
        return None if kept is None else await asyncio.to_thread(unseal_object, self._cipher, kept)

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete files, at most a thousand; those that are not there are no error."""
        await self._objects.delete([f"{self._prefix}/{key}" for key in keys])
