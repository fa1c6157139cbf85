"""Large payloads leave Temporal's history for objects; the history keeps their keys.

Answers to readers do not: they are in no history, so they would never be deleted. They travel compressed, and reading
works even if the store is read-only.

Every program that talks to Temporal needs this converter over the same objects, so worker and API connect by
`connect_config`. Payloads are part of the histories that name them: they are deleted with their run, and not before.

What failures say is short enough for the server to keep, and encrypted if payloads are. Of an attempt that is tried
again the server keeps a failure of up to 4 KiB (`limit.mutableStateActivityFailure.size`); in place of a longer one it
says "Failure exceeds size limit.", and no one learns why a run waits.
"""

import asyncio
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.client import Plugin
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    DefaultFailureConverter,
    EncodingPayloadConverter,
    ExternalStorage,
    FailureConverter,
    PayloadConverter,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverSelectContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
)
from temporalio.envconfig import ClientConfig, ClientConnectConfig

from elcano.graphs.contracts import ANSWER_MARK
from elcano.graphs.errors import StoreDamaged
from elcano.graphs.frozen import Answer
from elcano.graphs.plugin import open_part
from elcano.settings import Settings
from elcano.storage.objects import Objects, payloads_of
from elcano.storage.sealed_payloads import COMPRESSED, SEALED, SealingCodec
from elcano.storage.sql.cipher import Cipher, load_cipher, require_cipher
from elcano.storage.store import configured_objects

FAILURE_BYTES: Final = 3_000
"""Maximum size of a failure as JSON, before it is encrypted; that adds some 200 bytes for each cause."""
_STACK_CHARACTERS: Final = 600
_LEAST_MESSAGE: Final = 200
_SEALED: Final = "Encoded failure"
"""The SDK's placeholder for an encrypted message."""


class ShortFailureConverter(FailureConverter):
    """The SDK's converter; the least important parts of long failures are left out."""

    _SDKS: Final = DefaultFailureConverter()

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write `exception` into `failure`."""
        self._SDKS.to_failure(exception, payload_converter, failure)
        shorten_failure(failure)

    def from_failure(self, failure: Failure, payload_converter: PayloadConverter) -> BaseException:
        """Return the exception that `failure` describes."""
        return self._SDKS.from_failure(failure, payload_converter)


class SealedFailureConverter(ShortFailureConverter):
    """The same for encrypted payloads: messages and stack traces of all causes are where the codec encrypts them."""

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write `exception` into `failure`."""
        super().to_failure(exception, payload_converter, failure)
        for one in _list_causes(failure):
            if one.message == _SEALED and one.HasField("encoded_attributes"):
                continue  # the cause of a failure that was read; the codec encrypts it anew
            said = {"message": one.message, "stack_trace": one.stack_trace}
            one.encoded_attributes.CopyFrom(payload_converter.to_payloads([said])[0])
            one.message, one.stack_trace = _SEALED, ""


def shorten_failure(failure: Failure) -> None:
    """Shorten the stack trace; of a failure that is still long, drop the first causes, then cut its message."""
    chain = list(_list_causes(failure))
    for one in chain:
        one.stack_trace = one.stack_trace[-_STACK_CHARACTERS:] if one is chain[0] else ""
    while _measure_failure(chain) > FAILURE_BYTES and len(chain) > 1:
        chain.pop()
        chain[-1].ClearField("cause")
    message = failure.message
    while _measure_failure(chain) > FAILURE_BYTES and len(message) > _LEAST_MESSAGE:
        message = message[: len(message) * 3 // 4]
        failure.message = f"{message} ..."


async def read_failure_message(converter: DataConverter, failure: Failure) -> str:
    """The message of a failure as the server keeps it, decrypted.

    Raises:
        SealedDataUnreadable: it was encrypted with a key that is missing.
    """
    if failure.HasField("server_failure_info") and failure.HasField("cause"):
        failure = failure.cause  # the server's remark that it has cut the failure
    if not failure.HasField("encoded_attributes"):
        return failure.message
    (said,) = await converter.decode([failure.encoded_attributes], [dict[str, str]])
    return str(said["message"])


def _measure_failure(chain: Sequence[Failure]) -> int:
    """The size of a failure with what JSON adds to its texts."""
    texts = [text for one in chain for text in (one.message, one.stack_trace)]
    return chain[0].ByteSize() + sum(text.count(mark) for text in texts for mark in '"\\\n')


def _list_causes(failure: Failure) -> Iterator[Failure]:
    """The failure, its cause, the cause of that, and so on."""
    while True:
        yield failure
        if not failure.HasField("cause"):
            return
        failure = failure.cause


THRESHOLD_BYTES: Final = 32 * 1024
"""Payloads from this size on are objects. Temporal refuses payloads over 2 MiB and histories over 50 MiB."""

NOBODY: Final = "nobody"
"""The prefix, in place of a run, for payloads that belong to none."""

_KEY: Final = re.compile(r"payloads/[A-Za-z0-9_-]{1,128}/[0-9a-f]{64}")


class ConnectConfig(ClientConnectConfig):
    """Arguments of `temporalio.client.Client.connect`."""

    data_converter: DataConverter
    plugins: Sequence[Plugin]


def connect_config(settings: Settings) -> ConnectConfig:
    """Build the connection settings of a program: the server of the settings, else that of Temporal's profile."""
    config = ClientConfig.load_client_connect_config()
    return {
        **config,
        "target_host": settings.temporal_address or config.get("target_host") or settings.temporal_target,
        "data_converter": data_converter(configured_objects(settings), load_cipher(settings)),
        "plugins": open_part("temporal_plugins", settings) or (),
    }


def data_converter(objects: Objects, cipher: Cipher | None = None) -> DataConverter:
    """Pydantic models as JSON, encrypted with `cipher`; payloads of 32 KiB and more as objects.

    What failures say is encrypted too, their types are not: retry policies name them.
    """
    driver = ObjectDriver(objects)

    def driver_of(context: StorageDriverSelectContext, payload: Payload) -> StorageDriver | None:
        if ANSWER_MARK in payload.metadata:
            del payload.metadata[ANSWER_MARK]  # it has served
            return None
        return None if payload.metadata["encoding"] == COMPRESSED.encode() else driver

    storage = ExternalStorage(drivers=[driver], driver_selector=driver_of, payload_size_threshold=THRESHOLD_BYTES)
    plain = replace(
        pydantic_data_converter,
        payload_converter_class=_JsonConverter,
        failure_converter_class=ShortFailureConverter,
        external_storage=storage,
    )
    if cipher is None:
        return plain
    return replace(plain, payload_codec=SealingCodec(cipher), failure_converter_class=SealedFailureConverter)


def close_payloads(converter: DataConverter) -> None:
    """Stop the threads of a converter that `data_converter` made, once it is no longer used."""
    for driver in converter.external_storage.drivers if converter.external_storage else ():
        if isinstance(driver, ObjectDriver):
            driver.close()


class _SealedPayloads(EncodingPayloadConverter):
    """The converter of sealed payloads in a program without keys: it explains why they cannot be read."""

    @property
    def encoding(self) -> str:
        return SEALED

    def to_payload(self, value: Any) -> Payload | None:
        return None

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        require_cipher(None)


class _CompressedAnswers(EncodingPayloadConverter):
    """Large answers as compressed JSON, which `plain` reads."""

    def __init__(self, plain: EncodingPayloadConverter) -> None:
        self._plain = plain

    @property
    def encoding(self) -> str:
        return COMPRESSED

    def to_payload(self, value: Any) -> Payload | None:
        if not isinstance(value, Answer) or len(said := value.model_dump_json().encode()) < THRESHOLD_BYTES:
            return None
        return Payload(metadata={"encoding": COMPRESSED.encode()}, data=zlib.compress(said))

    def from_payload(self, payload: Payload, type_hint: type | None = None) -> Any:
        return self._plain.from_payload(Payload(data=zlib.decompress(payload.data)), type_hint)


class _JsonConverter(CompositePayloadConverter):
    """The SDK's converter for Pydantic models, with its knowledge of types shared by the whole process.

    The SDK creates a converter for every task; each new one would learn every model again.
    """

    _SDKS: Final = PydanticPayloadConverter().converters
    _SHARED: Final = (_CompressedAnswers(_SDKS[b"json/plain"]), _SealedPayloads(), *_SDKS.values())

    def __init__(self) -> None:
        super().__init__(*self._SHARED)


class ObjectDriver(StorageDriver):
    """Stores payloads as objects below their run's prefix, named by the SHA-256 of their bytes; none ever changes.

    A payload that is stored for no workflow has a prefix that belongs to no run, and is never deleted.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def name(self) -> str:
        """Name of this driver in histories; it cannot be changed."""
        return "objects"

    def type(self) -> str:
        """The kind of driver, for Temporal's UI."""
        return "elcano.objects"

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        """Keeps each payload; returns a claim for each, with its key."""
        target = context.target
        run_id = target.id if isinstance(target, StorageDriverWorkflowInfo) else None
        prefix = payloads_of(run_id or NOBODY)
        return list(await asyncio.gather(*(self._put(prefix, payload) for payload in payloads)))

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Reads the payloads of `claims`.

        Raises:
            StoreDamaged: there is no such object, it is damaged, or a claim has no key.
            StoreUnavailable: the objects cannot be reached.
        """
        return list(await asyncio.gather(*(self._get(claim) for claim in claims)))

    def close(self) -> None:
        """Stops its threads. No payload can be stored afterwards."""
        self._objects.close()

    def find_owner(self, claim: StorageDriverClaim) -> str:
        """The id of the run whose object a claim names; empty if it is no one's."""
        owner = claim.claim_data.get("key", "").partition("/")[2].partition("/")[0]
        return "" if owner == NOBODY else owner

    async def _put(self, prefix: str, payload: Payload) -> StorageDriverClaim:
        data = payload.SerializeToString(deterministic=True)
        key = f"{prefix}/{sha256(data).hexdigest()}"
        await self._objects.put(key, data)
        return StorageDriverClaim({"key": key})

    async def _get(self, claim: StorageDriverClaim) -> Payload:
        key = claim.claim_data.get("key", "")
        if not _KEY.fullmatch(key):
            raise StoreDamaged(f"{key!r} is not the key of a stored payload: it was written by another storage driver")
        data = await self._objects.get(key)
        if data is None:
            raise StoreDamaged(
                f"payload {key} is not at {self._objects.url}; every worker and the API must use the same objects, "
                "and payloads must outlive the runs that wrote them"
            )
        if sha256(data).hexdigest() != key.rpartition("/")[2]:
            raise StoreDamaged(
                f"payload {key} at {self._objects.url} is damaged: it does not have its hash; restore it"
            )
        return Payload.FromString(data)
