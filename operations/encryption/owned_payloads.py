"""Decrypts the payloads that one tenant may read, of all those that Temporal keeps; the others stay as they are."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from elcano.storage.payloads import ObjectDriver
from elcano.storage.sealed_payloads import SealingCodec

IsOwn: TypeAlias = Callable[[str], bool]
"""Whether payloads of a workflow may be read, by its id or that of its run; by an empty text if it is not known."""


async def open_payloads(payloads: Sequence[Payload], converter: DataConverter, is_own: IsOwn) -> list[Payload]:
    """Decrypt the payloads that may be read; all others stay as they are.

    Raises:
        SealedDataUnreadable: a key is missing, or a payload was changed.
    """
    codec = converter.payload_codec
    if not isinstance(codec, SealingCodec):
        return list(payloads)
    opened = [codec.open_payload(payload) for payload in payloads]
    return [found if is_own(owner) else sealed for sealed, (found, owner) in zip(payloads, opened, strict=True)]


async def retrieve_payloads(payloads: Sequence[Payload], converter: DataConverter, is_own: IsOwn) -> list[Payload]:
    """The payloads as their writers made them: read from the objects, and decrypted; but for those of others.

    Raises:
        StoreDamaged: an object is missing or damaged.
        SealedDataUnreadable: a key is missing.
    """
    storage = converter.external_storage
    drivers = [OwnObjects(one, is_own) for one in (storage.drivers if storage else ()) if isinstance(one, ObjectDriver)]
    sealed = replace(converter, payload_codec=None, external_storage=ExternalStorage(drivers=drivers))
    found = list(payloads)
    for place, payload in enumerate(payloads):
        with suppress(_NotOwn):
            found[place] = (await sealed.decode([payload], [RawValue]))[0].payload
    return await open_payloads(found, converter, is_own)


class _NotOwn(Exception):
    """An object is not the reader's."""


class OwnObjects(StorageDriver):
    """The objects of a driver that may be read; nothing is stored."""

    def __init__(self, driver: ObjectDriver, is_own: IsOwn) -> None:
        self._driver = driver
        self._is_own = is_own

    def name(self) -> str:
        """As the driver is called."""
        return self._driver.name()

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        """Refuses."""
        raise NotImplementedError

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Reads the payloads of `claims`.

        Raises:
            _NotOwn: one may not be read.
            Exception: as of the driver.
        """
        if not all(self._is_own(self._driver.find_owner(claim)) for claim in claims):
            raise _NotOwn
        return await self._driver.retrieve(context, claims)
