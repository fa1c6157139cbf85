"""Requests whose connection is cut before they are answered: what can be repeated is sent once more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO

import pytest

from elcano.client.connection import Connection
from elcano.client.errors import Unreachable


@asynccontextmanager
async def cutting(times: int) -> AsyncIterator[tuple[Connection, list[str]]]:
    """A connection to a server that cuts off its first answers, and what that server was asked."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = await reader.readexactly(3) if "content-length: 3" in head.lower() else b""
        asked.append(f"{head.split()[0]} {body.decode()}".strip())
        if len(asked) > times:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        connection = Connection(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        try:
            yield connection, asked
        finally:
            await connection.close()


async def test_what_reads_and_what_sends_a_file_is_sent_once_more() -> None:
    async with cutting(1) as (connection, asked):
        assert await connection.get("/v1/runs") == {}
    assert asked == ["GET", "GET"]
    async with cutting(1) as (connection, asked):
        await connection.upload("/v1/collections/a/documents/b", lambda: BytesIO(b"abc"), 3)
    assert asked == ["PUT abc", "PUT abc"]


async def test_a_server_that_cuts_again_does_not_answer_and_nothing_else_is_repeated() -> None:
    async with cutting(9) as (connection, asked):
        with pytest.raises(Unreachable, match="does not answer"):
            await connection.get("/v1/runs")
        assert asked == ["GET", "GET"]
        with pytest.raises(Unreachable):
            await connection.delete("/v1/runs/a")
        assert asked[2:] == ["DELETE"]
