"""The codec server: Temporal's page and command line have payloads decrypted here, for those who may.

The protocol is Temporal's: `Payloads` as protobuf JSON, both ways. The page asks from a browser, so its origin has
to be among ELCANO_ALLOWED_ORIGINS.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Body
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from temporalio.api.common.v1 import Payload, Payloads

from elcano.api.http.errors import FieldFault, RequestInvalid, TemporalUnavailable, problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import InProcess
from elcano.graphs.errors import SealedDataUnreadable
from elcano.graphs.frozen import JsonObject
from elcano.storage.payloads import retrieve_payloads

_EXAMPLE = {"payloads": [{"metadata": {"encoding": "anNvbi9wbGFpbg=="}, "data": "IndvcmQi"}]}
PayloadsJson: TypeAlias = Annotated[JsonObject, Body(examples=[_EXAMPLE])]
Change: TypeAlias = Callable[[Sequence[Payload]], Awaitable[list[Payload]]]

router = APIRouter(
    prefix="/codec",
    tags=["operations"],
    dependencies=[requires("operate")],
    responses=problem_docs(RequestInvalid, SealedDataUnreadable, TemporalUnavailable),
)


@router.post("/encode", summary="Encrypt payloads")
async def encode_payloads(process: InProcess, body: PayloadsJson) -> JsonObject:
    """Encrypt payloads that somebody enters in Temporal's page or command line, by Temporal's codec protocol."""
    codec = (await process.temporal.client()).data_converter.payload_codec
    return await _change_payloads(body, codec.encode if codec is not None else _leave_unchanged)


@router.post("/decode", summary="Decrypt payloads")
async def decode_payloads(process: InProcess, body: PayloadsJson) -> JsonObject:
    """Decrypt payloads of histories, by Temporal's codec protocol; large ones, which are references, stay these."""
    codec = (await process.temporal.client()).data_converter.payload_codec
    return await _change_payloads(body, codec.decode if codec is not None else _leave_unchanged)


@router.post("/download", summary="Read large payloads")
async def download_payloads(process: InProcess, body: PayloadsJson) -> JsonObject:
    """Read the payloads that references in histories stand for, and decrypt them, by Temporal's codec protocol."""
    converter = (await process.temporal.client()).data_converter

    async def retrieve(payloads: Sequence[Payload]) -> list[Payload]:
        return await retrieve_payloads(converter, payloads)

    return await _change_payloads(body, retrieve)


async def _leave_unchanged(payloads: Sequence[Payload]) -> list[Payload]:
    return list(payloads)


async def _change_payloads(body: JsonObject, change: Change) -> JsonObject:
    try:
        sent = ParseDict(body, Payloads())
    except ParseError as error:
        raise RequestInvalid([FieldFault(field="payloads", message=f"is not as Temporal sends it: {error}")]) from error
    answer: JsonObject = MessageToDict(Payloads(payloads=await change(sent.payloads)))
    return {"payloads": answer.get("payloads", [])}
