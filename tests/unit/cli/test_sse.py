"""Server-sent events as the command line reads them, on streams as they really are cut."""

from collections.abc import Iterator

import httpx
import pytest
from httpx_sse import ServerSentEvent

from elcano.cli.client import iterate_stream_events

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


def read(*chunks: bytes) -> Iterator[ServerSentEvent]:
    return iterate_stream_events(
        httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=iter(chunks))
    )


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(STREAM)])
def test_events_do_not_depend_on_how_the_bytes_arrive(size: int) -> None:
    chunks = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert [(event.event, event.data, event.id) for event in read(*chunks)] == EXPECTED


def test_characters_that_look_like_line_ends_stay_in_the_data() -> None:
    text = "a\u2028b\u0085c\x0bd"
    assert [event.data for event in read(f"data: {text}\n\n".encode())] == [text]


def test_an_id_with_a_null_is_ignored() -> None:
    assert [event.id for event in read(b"id: 1\ndata: x\n\nid: 2\x00\ndata: y\n\n")] == ["1", "1"]


def test_what_is_no_stream_of_events_is_no_silent_end() -> None:
    with pytest.raises(httpx.TransportError, match="text/event-stream"):
        list(iterate_stream_events(httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>")))
