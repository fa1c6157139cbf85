"""A transport that ends an answer which is longer than anybody may send."""

from collections.abc import AsyncIterator

import httpx2

from elcano.graphs.errors import ToolRefused


class BoundedTransport(httpx2.AsyncBaseTransport):
    """As the transport within, but no answer has more than `most` bytes as they come over the line."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, most: int) -> None:
        self._inner = inner
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, whose body is counted as it is read; it is asked for as it is, for packed it could be any size.

        Raises:
            ToolRefused: while the body is read, once it has more.
        """
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        response.stream = _Counted(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        """Closes the one within."""
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
