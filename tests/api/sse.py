"""Reading server-sent events, as a browser does."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Message:
    event: str
    id: str | None
    data: Any


@asynccontextmanager
async def following(
    url: str, *, headers: Mapping[str, str] | None = None, client: httpx.AsyncClient | None = None
) -> AsyncIterator[AsyncIterator[Message]]:
    """The messages of a stream, while the connection is open."""
    own = client or httpx.AsyncClient(timeout=60)
    try:
        async with own.stream("GET", url, headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            assert response.headers["content-type"].startswith("text/event-stream")
            yield _messages(response)
    finally:
        if client is None:
            await own.aclose()


async def read_all(
    url: str, *, headers: Mapping[str, str] | None = None, client: httpx.AsyncClient | None = None
) -> list[Message]:
    """Every message until the server ends the stream."""
    async with following(url, headers=headers, client=client) as messages:
        return [message async for message in messages]


async def read_events(
    url: str, *, headers: Mapping[str, str] | None = None, client: httpx.AsyncClient | None = None
) -> list[Message]:
    """What was told until the server ended the stream, without words and notices: these have no number, and how many
    there are, such as that no worker answers, hangs on how busy the machine is."""
    return [message for message in await read_all(url, headers=headers, client=client) if message.id is not None]


async def next_event(messages: AsyncIterator[Message]) -> Message:
    """The next message with a number; see `read_events`."""
    async for message in messages:
        if message.id is not None:
            return message
    raise AssertionError("the stream has ended")


async def remaining_events(messages: AsyncIterator[Message]) -> list[Message]:
    """What comes until the server ends the stream; see `read_events`."""
    return [message async for message in messages if message.id is not None]


async def _messages(response: httpx.Response) -> AsyncIterator[Message]:
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif "event" in fields:
            yield Message(fields["event"], fields.get("id"), json.loads(fields["data"]))
            fields = {}
