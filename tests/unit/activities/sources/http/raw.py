"""A service that says exactly the bytes that a test wants, at the pace that it wants, on connections that it keeps."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

Speaking: TypeAlias = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""Answers one request, whose head it is given; the connection stays open unless it is closed."""


@asynccontextmanager
async def speaking(speak: Speaking) -> AsyncIterator[str]:
    """The service's address, without a slash."""
    open_ones = set[asyncio.StreamWriter]()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.add(writer)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while not writer.is_closing():
                await speak(await reader.readuntil(b"\r\n\r\n"), writer)
                await writer.drain()
        open_ones.discard(writer)
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        for writer in open_ones:
            writer.transport.abort()
        server.close()
        await asyncio.sleep(0)
