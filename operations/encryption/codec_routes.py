"""The codec server: Temporal's page and command line have payloads decrypted here, for those who may.

The protocol is Temporal's: `Payloads` as protobuf JSON, both ways. The page asks from a browser, so its origin has
to be among ELCANO_ALLOWED_ORIGINS.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Body, Depends
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.common import RawValue
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import get_principal, requires
from elcano.api.services import InProcess
from elcano.graphs.errors import SealedDataUnreadable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.tenants import DEFAULT_TENANT, SLUG
from elcano.service.errors import FieldFault, RequestInvalid, TemporalUnavailable
from elcano.service.permissions import Principal
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


_EXAMPLE = {"payloads": [{"metadata": {"encoding": "anNvbi9wbGFpbg=="}, "data": "IndvcmQi"}]}
PayloadsJson: TypeAlias = Annotated[JsonObject, Body(examples=[_EXAMPLE])]
Asking: TypeAlias = Annotated[Principal, Depends(get_principal)]
Change: TypeAlias = Callable[[Sequence[Payload]], Awaitable[list[Payload]]]

_RUN: Final = re.compile(rf"(?P<tenant>{SLUG})-[0-9a-z]{{26}}(?:\..*)?", re.ASCII)
"""A run's id, tenant and ULID, or that of a branch."""

router = APIRouter(
    prefix="/codec",
    tags=["operations"],
    dependencies=[requires("operate")],
    responses=problem_docs(RequestInvalid, SealedDataUnreadable, TemporalUnavailable),
)


@router.post("/encode", summary="Encrypt payloads")
async def encode_payloads(process: InProcess, body: PayloadsJson) -> JsonObject:
    """Encrypt payloads that someone enters in Temporal's page or command line, by Temporal's codec protocol."""
    codec = (await process.temporal.client()).data_converter.payload_codec
    return await _change_payloads(body, codec.encode if codec is not None else _leave_unchanged)


@router.post("/decode", summary="Decrypt payloads")
async def decode_payloads(process: InProcess, principal: Asking, body: PayloadsJson) -> JsonObject:
    """Decrypt payloads of your tenant's histories, by Temporal's codec protocol.

    Payloads of other tenants stay as they are, and so do large ones, which are references.
    """
    converter = (await process.temporal.client()).data_converter
    return await _change_payloads(body, partial(open_payloads, converter=converter, is_own=_own_of(principal)))


@router.post("/download", summary="Read large payloads")
async def download_payloads(process: InProcess, principal: Asking, body: PayloadsJson) -> JsonObject:
    """Read the payloads of your tenant that references in histories name, and decrypt them, by Temporal's protocol."""
    converter = (await process.temporal.client()).data_converter
    return await _change_payloads(body, partial(retrieve_payloads, converter=converter, is_own=_own_of(principal)))


def _own_of(principal: Principal) -> IsOwn:
    """The workflows of a tenant are its runs and their branches.

    What belongs to no run, or was encrypted by a release that did not note whose it is, is read by the default tenant.
    """

    def is_own(workflow: str) -> bool:
        run = _RUN.fullmatch(workflow)
        return principal.tenant == (DEFAULT_TENANT if run is None else run["tenant"])

    return is_own


async def _leave_unchanged(payloads: Sequence[Payload]) -> list[Payload]:
    return list(payloads)


async def _change_payloads(body: JsonObject, change: Change) -> JsonObject:
    try:
        sent = ParseDict(body, Payloads())
    except ParseError as error:
        raise RequestInvalid([FieldFault(field="payloads", message=f"is not as Temporal sends it: {error}")]) from error
    answer: JsonObject = MessageToDict(Payloads(payloads=await change(sent.payloads)))
    return {"payloads": answer.get("payloads", [])}
