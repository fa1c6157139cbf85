"""Bodies of requests that are files, received piece by piece: a large one is on the disk, none fills the memory."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from typing import IO, Final

from fastapi import Request
from starlette.requests import ClientDisconnect

from elcano.api.http.errors import BodyTooLarge
from elcano.service.errors import Refusal

IN_MEMORY: Final = 1_000_000
"""Bytes of a body above which it is a file."""


class UploadBrokenOff(Refusal, kind="malformed", title="The upload broke off"):
    """The client went before all of the body was there; nothing of it is kept."""


def read_declared_size(request: Request, limit: int) -> int | None:
    """The bytes that a body says to have, before anything of it is read; None: it does not say.

    Raises:
        BodyTooLarge: it has more than `limit` bytes.
    """
    declared = request.headers.get("content-length", "")
    if not declared.isdigit():
        return None
    if int(declared) > limit:
        raise BodyTooLarge(_explain_size_limit(int(declared), limit))
    return int(declared)


async def limit_body(request: Request, limit: int) -> AsyncGenerator[bytes, None]:
    """The pieces of a body.

    Raises:
        BodyTooLarge: as soon as it has more than `limit` bytes.
        UploadBrokenOff: it is cut off.
    """
    read_declared_size(request, limit)
    received = 0
    try:
        async for piece in request.stream():
            received += len(piece)
            if received > limit:
                raise BodyTooLarge(_explain_size_limit(received, limit))
            yield piece
    except ClientDisconnect as error:
        raise UploadBrokenOff("the connection was closed before all of it had arrived: send it again") from error


async def receive_file(request: Request, limit: int) -> IO[bytes]:
    """The whole body as a file that is read from its beginning; it is gone once it is closed.

    Raises:
        BodyTooLarge, UploadBrokenOff: see `limit_body`.
    """
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - who reads it closes it
    try:
        async for piece in limit_body(request, limit):
            await asyncio.to_thread(file.write, piece) if file.tell() + len(piece) > IN_MEMORY else file.write(piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _explain_size_limit(size: int, limit: int) -> str:
    return (
        f"the body has {size / 1e6:,.1f} MB or more; at most {limit / 1e6:,.1f} MB are taken "
        "(ELCANO_FILE_LIMIT_MB, and what the tenant may still upload)"
    )


KEPT_AT_ONCE: Final = asyncio.Semaphore(2)
"""Files that one process has in memory as a whole, to encrypt and to write them."""
