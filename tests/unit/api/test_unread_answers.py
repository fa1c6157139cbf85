"""A client that takes nothing of its answer is not waited for."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse

from elcano.api import __main__ as program
from elcano.service.events.watcher import Feeds
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.storage.store import Store, open_store
from tests.unit.operations.access.runs import connect_to_nothing

LONG = b"x" * 65_536


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the option is of Linux")
async def test_a_stream_that_nobody_reads_ends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "UNREAD_SECONDS", 1)
    app, ended = FastAPI(), asyncio.Event()
    app.state.feeds = Feeds(Temporal(Connection(connect_to_nothing), "none"), store)

    @app.get("/")
    async def stream() -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield LONG
                    await asyncio.sleep(0)
            finally:
                ended.set()

        return StreamingResponse(pieces())

    server = program.Server(uvicorn.Config(app, port=0, log_config=None, timeout_graceful_shutdown=1), app)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await ended.wait()
    writer.close()
    server.should_exit = True
    await serving
