"""How long a receiver may take to answer, however it answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from elcano.doors.webhooks import background
from elcano.doors.webhooks.background import Sender
from elcano.doors.webhooks.targets import NotDelivered
from elcano.settings import Settings


@pytest.fixture
async def dripping() -> AsyncIterator[str]:
    """The address of a receiver that sends a byte of its headers now and again, for ever."""

    over = asyncio.Event()

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(0.02)
        writer.close()
        over.set()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    yield f"http://{host}:{port}/hook"
    server.close()
    async with asyncio.timeout(10):
        await over.wait()  # a connection that is left open is a warning in whatever test runs next


async def test_a_receiver_that_drips_is_not_waited_for(dripping: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "ANSWER_SECONDS", 0.2)
    monkeypatch.setenv("ELCANO_WEBHOOK_PRIVATE_HOSTS", f'["{dripping.split("/")[2]}"]')
    sender = Sender(Settings(_env_file=None))
    try:
        with pytest.raises(NotDelivered, match=r"did not answer within 0\.2 s"):
            await sender.send(dripping, b"{}", {})
    finally:
        await sender.close()
