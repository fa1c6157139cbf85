"""Responses of services: bytes, read up to a limit, with their declared type and encoding.

gzip is all that is asked for and all that is unpacked, once: every further packing would multiply what a few bytes can
become. Unpacked pieces are small, so that a bomb costs what it may cost and no more. `Retry-After` says in seconds or
as a date how long a service asks to wait.
"""

import codecs
import json
import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple, cast

import httpx

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks; as in browsers, they override the declared encoding."""
_NOT_FOR_TEXTS: Final = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})
"""Encodings of Python's own, which turn text into other text or nothing."""


class Answer(NamedTuple):
    """An HTTP response of any status."""

    url: str
    """URL after redirects."""
    status: int
    headers: httpx.Headers
    content: bytes
    """Decoded from its content encoding."""
    encoding: str = "utf-8"
    """The encoding from its first bytes, or as declared; `utf-8` if none was, or one that is not for texts."""

    @property
    def media_type(self) -> str:
        """Lower case, without parameters; empty if it says none."""
        return media_type(self.headers)

    @property
    def text(self) -> str:
        """The content as text; what cannot be decoded becomes U+FFFD."""
        return self.content.decode(self.encoding, errors="replace")

    def json(self, source: str) -> Any:
        """The content as JSON.

        Raises:
            SourceUnavailable: it is none.
        """
        try:
            return json.loads(self.content)
        except ValueError as error:
            raise SourceUnavailable(f"{source}: the answer is no JSON ({error})") from error
        except RecursionError as error:
            raise SourceUnavailable(f"{source}: the answer is JSON too deep to be read") from error


def media_type(headers: httpx.Headers) -> str:
    """Return the media type of `Content-Type`, in lower case and without parameters; empty if it says nothing."""
    declared: str = headers.get("content-type", "")
    return declared.partition(";")[0].strip().lower()


def encoding_of(content: bytes, declared: str | None) -> str:
    """The encoding that `content` can be decoded with, by Python's name.

    Args:
        content: its first bytes are enough.
        declared: the `charset` of its `Content-Type`.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    try:
        found = codecs.lookup((declared or "utf-8").strip("'\" "))
        b"x".decode(found.name, errors="replace")  # refuses what turns bytes into bytes, such as base64
    except (LookupError, ValueError):
        return "utf-8"
    return "utf-8" if found.name.replace("-", "_") in _NOT_FOR_TEXTS else found.name


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
        SourceRefused: it is larger, or packed as no one asked for.
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
        """Unpack with `raw`, in pieces of at most 1 MiB."""
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


LONGEST_WAIT: Final = 86_400.0
"""Seconds; a provider that asks for more is asked again after a day."""
_BUSY: Final = {408, 425, 429}
"""Refusals that a later try may not meet; those from 500 on are others."""


def require_answer(source: str, response: httpx.Response) -> None:
    """Returns if `response` is an answer.

    Raises:
        SourceBusy: the provider is down, overloaded, or asks to wait.
        SourceRefused: the same request will never be answered.
    """
    if response.is_success:
        return
    said = f"{source}: HTTP {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code in _BUSY or response.is_server_error:
        raise SourceBusy(said, parse_retry_after(response.headers.get("Retry-After"), datetime.now(UTC)))
    raise SourceRefused(said)


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that `Retry-After: value` asks to wait, from 0 to a day; None if it says nothing that can be read.

    Args:
        value: seconds, or a date as HTTP writes it.
        now: with its zone.
    """
    if value is None:
        return None
    if value.strip().isdecimal():
        asked = float(value)
    else:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:  # it says nothing, as if it were not there
            return None
        asked = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    return min(max(asked, 0.0), LONGEST_WAIT)
