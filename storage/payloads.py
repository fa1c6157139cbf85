"""Large payloads leave Temporal's history for files; the history keeps their hashes.

Every program that talks to Temporal needs this converter over the same folder, so worker and API connect by
`connect_config`. The files are part of the histories that name them, so they are never deleted while a run may be
replayed, reset or queried.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)
from temporalio.envconfig import ClientConfig, ClientConnectConfig

from elcano.settings import Settings
from elcano.storage.threads import Threads

THRESHOLD_BYTES: Final = 32 * 1024
"""Payloads from this size on are files. Temporal refuses payloads over 2 MiB and histories over 50 MiB."""

PAYLOAD_THREADS: Final = 4
"""They write and read; more would wait for the same disk."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class ConnectConfig(ClientConnectConfig):
    """Arguments of `temporalio.client.Client.connect`."""

    data_converter: DataConverter


def connect_config(settings: Settings) -> ConnectConfig:
    """How a program connects: by Temporal's own profile, to the server that the settings name before the profile."""
    config = ClientConfig.load_client_connect_config()
    return {
        **config,
        "target_host": settings.temporal_address or config.get("target_host") or settings.temporal_target,
        "data_converter": data_converter(settings.data_dir / "payloads"),
    }


def data_converter(folder: Path) -> DataConverter:
    """Pydantic models as JSON; payloads of 32 KiB and more as files below `folder`, which is made when needed."""
    storage = ExternalStorage(drivers=[FileDriver(folder)], payload_size_threshold=THRESHOLD_BYTES)
    return replace(pydantic_data_converter, payload_converter_class=_JsonConverter, external_storage=storage)


def close_payloads(converter: DataConverter) -> None:
    """Ends the threads of a converter that `data_converter` made, when nothing is sent or read with it any more."""
    for driver in converter.external_storage.drivers if converter.external_storage else ():
        if isinstance(driver, FileDriver):
            driver.close()


class _JsonConverter(CompositePayloadConverter):
    """The SDK's converter for Pydantic models, with what it knows of types kept for the whole process.

    The SDK makes a converter anew for every task; a new one of its own would learn every model again.
    """

    _SHARED: Final = tuple(PydanticPayloadConverter().converters.values())

    def __init__(self) -> None:
        super().__init__(*self._SHARED)


class FileDriver(StorageDriver):
    """Payloads as files, named by the SHA-256 of their bytes: the same payload is one file, and none ever changes.

    They have threads of their own, which end with the driver: every task of every workflow waits for payloads.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads = Threads("payloads", PAYLOAD_THREADS)

    def name(self) -> str:
        """How histories refer to this driver; it cannot be changed."""
        return "files"

    def type(self) -> str:
        """The kind of driver, for Temporal's UI."""
        return "elcano.files"

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        """Writes each payload that is not there yet; returns a claim for each, with its key."""
        return await self._threads.run(lambda: [self._write(payload) for payload in payloads])

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Reads the payloads of `claims`.

        Raises:
            FileNotFoundError: there is no such file below the folder.
            ValueError: a claim has no key, or its file is damaged.
        """
        return await self._threads.run(lambda: [self._read(claim) for claim in claims])

    def close(self) -> None:
        """Ends its threads. No payload can be stored or retrieved afterwards."""
        self._threads.close()

    def _write(self, payload: Payload) -> StorageDriverClaim:
        data = payload.SerializeToString(deterministic=True)
        key = sha256(data).hexdigest()
        path = self._path(key)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data)
        return StorageDriverClaim({"key": key})

    def _read(self, claim: StorageDriverClaim) -> Payload:
        key = claim.claim_data.get("key", "")
        if not _SHA256.fullmatch(key):
            raise ValueError(f"{key!r} is not the key of a stored payload: it was written by another storage driver")
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise FileNotFoundError(
                f"payload {key} is not at {path}; every worker and the API must share the folder of payloads, "
                "and its files must outlive the runs that wrote them"
            ) from None
        if sha256(data).hexdigest() != key:
            raise ValueError(f"the payload at {path} is damaged: its bytes do not have its hash; restore the file")
        return Payload.FromString(data)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key


def _write_whole(path: Path, data: bytes) -> None:
    """Writes a file that is never seen half: a reader finds all of it or nothing, whatever dies meanwhile."""
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
