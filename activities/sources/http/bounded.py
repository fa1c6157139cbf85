"""An answer is read as far as it may be, and not a byte further, as it comes and as it is unpacked.

gzip is all that is asked for and all that is unpacked, once: every further packing would multiply what a few bytes can
become. Unpacked pieces are small, so that a bomb costs what it may cost and no more.
"""

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final, cast

import httpx

from elcano.graphs.errors import SourceRefused, SourceUnavailable

ACCEPTED: Final = "gzip"
PIECE: Final = 1 << 20
"""Bytes that are unpacked at once."""
MOST_MEMBERS: Final = 1_000
"""Parts that a gzip answer may be put together from; servers send one."""


async def content_of(who: str, response: httpx.Response, most_bytes: int) -> bytes:
    """The whole content, unpacked.

    Args:
        who: the source and the host, for errors.
        response: not read yet.
        most_bytes: of the content, and of what comes over the wire.

    Raises:
        SourceRefused: it is larger, or packed as nobody asked for.
        SourceUnavailable: its packing is damaged, or it breaks off.
        httpx.TransportError: nothing more came.
    """
    declared = response.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most_bytes:
        raise _too_large(who, most_bytes)
    unpacking = _build_decompressor(who, response)
    content = bytearray()
    received = 0
    async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_raw())) as coming:
        async for raw in coming:
            received += len(raw)
            if received > most_bytes:
                raise _too_large(who, most_bytes)
            for piece in unpacking.pieces(raw) if unpacking else (raw,):
                content += piece
                if len(content) > most_bytes:
                    raise _too_large(who, most_bytes)
    if unpacking and received and not unpacking.complete:
        raise SourceUnavailable(f"{who}: the answer breaks off")
    return bytes(content)


class _Unpacking:
    """A stream of gzip, piece by piece."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._members = 0
        self._taken = 0
        self._written = 0
        self._ignored = False
        self._inflating: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing at its end."""
        padding = self._members > 1 and self._taken < 2  # too little to tell, and none of a member
        return self._ignored or padding or (self._members > 0 and self._inflating is None)

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """What can be unpacked with `raw`, in pieces of at most 1 MiB."""
        while raw and not self._ignored:
            inflating = self._inflating = self._inflating or self._next_member()
            try:
                piece = inflating.decompress(raw, PIECE)
            except zlib.error as error:
                if self._members > 1 and not self._written:
                    self._ignored = True  # what follows the last member is padding, as for gzip itself
                    return
                raise SourceUnavailable(f"{self._who}: the answer's packing is damaged ({error})") from error
            self._taken += len(raw) - len(inflating.unconsumed_tail)
            self._written += len(piece)
            yield piece
            raw = inflating.unconsumed_tail  # never empty while more is to come: the checksum is behind it
            if inflating.eof:
                raw, self._inflating = inflating.unused_data, None

    def _next_member(self) -> "zlib._Decompress":
        self._members += 1
        self._taken = self._written = 0
        if self._members > MOST_MEMBERS:
            raise SourceRefused(f"{self._who}: the answer is packed in more than {MOST_MEMBERS} parts")
        return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _build_decompressor(who: str, response: httpx.Response) -> _Unpacking | None:
    named = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    encodings = [name for name in named if name not in ("", "identity")]
    if not encodings:
        return None
    if encodings in (["gzip"], ["x-gzip"]):
        return _Unpacking(who)
    raise SourceRefused(f"{who}: the answer has an encoding that was not requested: {', '.join(encodings)[:100]!r}")


def _too_large(who: str, most_bytes: int) -> SourceRefused:
    return SourceRefused(f"{who}: the answer is larger than {most_bytes} bytes")
