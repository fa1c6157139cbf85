"""How long a receiver may take to answer, however it answers."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from elcano.plugins.webhooks import background
from elcano.plugins.webhooks.background import Sender
from elcano.plugins.webhooks.targets import NotDelivered
from elcano.settings import Settings


@pytest.fixture
async def dripping() -> AsyncIterator[str]:
    """The address of a receiver that sends a byte of its headers now and again, for ever."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        try:
            while not writer.is_closing():
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    yield f"http://{host}:{port}/hook"
    server.close()


async def test_a_receiver_that_drips_is_not_waited_for(dripping: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "ANSWER_SECONDS", 0.2)
    monkeypatch.setenv("ELCANO_WEBHOOK_PRIVATE_HOSTS", f'["{dripping.split("/")[2]}"]')
    sender = Sender(Settings(_env_file=None))
    try:
        with pytest.raises(NotDelivered, match=r"did not answer within 0\.2 s"):
            await sender.send(dripping, b"{}", {})
    finally:
        await sender.close()
