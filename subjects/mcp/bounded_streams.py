"""Streams of servers that end where an answer is longer than allowed: a response of HTTP, or a line of a program.

The library joins a line before it parses it, however long it is. A program that writes without end would fill the
worker's memory, long before its time is over.
"""

from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Final

import httpx2
import mcp.client.stdio
from anyio.streams.text import TextReceiveStream

from elcano.graphs.errors import ToolRefused


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Wraps a transport, and lets no response have more than `most` bytes as received."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, most: int) -> None:
        self._inner = inner
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response, whose body is counted as it is read; compression, which hides the size, is not accepted.

        Raises:
            ToolRefused: while the body is read, once it is too long.
        """
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        response.stream = _Counted(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: object, most: int) -> None:
        if not isinstance(inner, httpx2.AsyncByteStream):
            raise TypeError(f"an answer is no stream but {type(inner).__name__}")
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._inner:
            read += len(chunk)
            if read > self._most:
                raise ToolRefused(f"the server answered more than {self._most:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


LINE_CHARACTERS: Final = 20_000_000
"""Maximum length of one message of a program."""
_READER: Final = "TextReceiveStream"
_too_long: ContextVar[Callable[[int], None]] = ContextVar("too_long")


def bound_lines() -> None:
    """Make the library read programs through `BoundedLines` from now on.

    Raises:
        RuntimeError: this version of the library reads them some other way, so nothing would be bounded.
    """
    names = vars(mcp.client.stdio)
    if _READER not in names:
        raise RuntimeError(f"mcp.client.stdio has no {_READER}: {bound_lines.__module__} has to follow it")
    names[_READER] = BoundedLines


def when_too_long(report: Callable[[int], None]) -> None:
    """Call `report` once, with the limit, when a program started in this task writes a line that is too long."""
    _too_long.set(report)


class BoundedLines(TextReceiveStream):
    """A text stream that ends at the first line that is too long: later output is read and dropped."""

    _length = 0
    _over = False

    async def receive(self) -> str:
        """Return the next part of the output; nothing more once a line was too long."""
        while True:
            part = await super().receive()
            if self._over:
                continue
            before, line_feed, after = part.rpartition("\n")
            longest = max(self._length + len(part.partition("\n")[0]), *map(len, before.split("\n")))
            self._length = len(after) if line_feed else self._length + len(part)
            if longest <= LINE_CHARACTERS:
                return part
            self._over = True
            _too_long.get()(LINE_CHARACTERS)
