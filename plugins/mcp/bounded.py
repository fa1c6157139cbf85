"""A transport that ends a response that is longer than allowed."""

from collections.abc import AsyncIterator

import httpx2

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
