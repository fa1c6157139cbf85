"""The parser of server-sent events, on streams as they really are cut."""

import pytest

from elcano.cli.sse import ServerEvent, events

STREAM = (
    b": heartbeat\n\n"
    b'retry: 2000\nid: 1\nevent: started\ndata: {"a": 1}\n\n'
    b"id:2\r\ndata: one\r\ndata:two\r\n\r\n"
    b"event: nothing\n\n"
    b"event: waiting\ndata: x\n\n"
    b"id: 9\ndata: cut off"
)
EXPECTED = [
    ServerEvent(event="started", data='{"a": 1}', id="1"),
    ServerEvent(event="message", data="one\ntwo", id="2"),
    ServerEvent(event="waiting", data="x", id="2"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(STREAM)])
def test_events_do_not_depend_on_how_the_bytes_arrive(size: int) -> None:
    chunks = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert list(events(chunks)) == EXPECTED


def test_characters_that_look_like_line_ends_stay_in_the_data() -> None:
    text = "a\u2028b\u0085c\x0bd"
    assert [event.data for event in events([f"data: {text}\n\n".encode()])] == [text]


def test_an_id_with_a_null_is_ignored() -> None:
    assert [event.id for event in events([b"id: 1\ndata: x\n\nid: 2\x00\ndata: y\n\n"])] == ["1", "1"]
