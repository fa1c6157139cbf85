"""Server-sent events as the client reads them, on streams as they really are cut."""

from collections.abc import AsyncIterator

import httpx
import pytest
from httpx_sse import ServerSentEvent

from elcano.client.connection import iterate_messages

STREAM = (
    b": heartbeat\n\n"
    b'retry: 2000\nid: 1\nevent: started\ndata: {"a": "\xc3\xa9"}\n\n'
    b": heartbeat\n\n"
    b"id:2\r\ndata: one\r\ndata:two\r\n\r\n"
    b"event: nothing\n\n"
    b"event: waiting\ndata: x\n\n"
    b"id: 9\ndata: cut off"
)
EXPECTED = [("started", '{"a": "é"}', "1"), ("message", "one\ntwo", "2"), ("waiting", "x", "2")]


async def read(*chunks: bytes, media_type: str = "text/event-stream") -> list[ServerSentEvent]:
    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    response = httpx.Response(200, headers={"Content-Type": media_type}, content=arriving())
    return [message async for message in iterate_messages(response)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(STREAM)])
async def test_events_do_not_depend_on_how_the_bytes_arrive(size: int) -> None:
    chunks = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert [(event.event, event.data, event.id) for event in await read(*chunks)] == EXPECTED


async def test_characters_that_look_like_line_ends_stay_in_the_data() -> None:
    text = "a\u2028b\u0085c\x0bd"
    assert [event.data for event in await read(f"data: {text}\n\n".encode())] == [text]


async def test_an_id_with_a_null_is_ignored() -> None:
    assert [event.id for event in await read(b"id: 1\ndata: x\n\nid: 2\x00\ndata: y\n\n")] == ["1", "1"]


async def test_what_is_no_stream_of_events_is_no_silent_end() -> None:
    with pytest.raises(httpx.TransportError, match="text/event-stream"):
        await read(b"<html>", media_type="text/html")
