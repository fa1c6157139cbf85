"""Pieces of streamed answers are merged before SDKs read them, and nothing else is changed."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from elcano.activities.calls.delta_merging import merge_events
from elcano.testing.provider import completion_to_stream, make_completion

REPORT = {"title": "A harbour", "conclusion": "It froze in the winter of 1709. " * 20}


def _read_events(stream: bytes) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in stream.decode().splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def _stream(events: Sequence[dict[str, Any]], *, named: bool) -> bytes:
    head = "event: {type}\n" if named else ""
    return "".join(f"{head.format(**event)}data: {json.dumps(event)}\n\n" for event in events).encode()


def test_a_chat_completion_comes_in_few_pieces_and_says_the_same() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    events = completion_to_stream(make_completion(REPORT, usage=usage).body)
    merged = merge_events("".join(events).encode())
    _, _, arguments, *_ = read = _read_events(merged)
    assert (len(read), len(events)) == (5, 22)
    assert merged.startswith(events[0].encode())
    assert merged.endswith("".join(events[-3:]).encode())
    (choice,) = arguments["choices"]
    (call,) = choice["delta"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == REPORT


@pytest.mark.parametrize(
    ("piece", "read"),
    [
        (
            lambda text, number: {"type": "response.output_text.delta", "sequence_number": number, "delta": text},
            "delta",
        ),
        (
            lambda text, number: {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": text},
            },
            "partial_json",
        ),
    ],
)
def test_pieces_of_responses_and_messages_are_merged(piece: Callable[[str, int], dict[str, Any]], read: str) -> None:
    texts = ["It ", "froze", " ☃\n\n", "over."]
    ended: dict[str, Any] = {"type": "ended"}
    events: list[dict[str, Any]] = [*(piece(text, number) for number, text in enumerate(texts)), ended]
    merged, last = _read_events(merge_events(_stream(events, named=True)))
    delta = merged["delta"]
    assert (delta[read] if isinstance(delta, dict) else delta) == "".join(texts)
    assert (merged["type"], last) == (events[0]["type"], ended)


def _chunk(delta: dict[str, Any], **other: object) -> dict[str, Any]:
    return {"id": "1", "choices": [{"index": 0, "delta": delta, **other}]}


@pytest.mark.parametrize(
    "stream",
    [
        _stream([_chunk({"content": "a"}), _chunk({"content": "b"}, finish_reason="stop")], named=False),
        _stream([_chunk({"content": "a"}), _chunk({"reasoning": "b"})], named=False),
        _stream([_chunk({"content": "a", "reasoning": "b"})] * 2, named=False),
        _stream([_chunk({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "a"}}]})] * 2, named=False),
        _stream(
            [_chunk({"tool_calls": [{"index": at, "function": {"arguments": "a"}}]}) for at in (0, 1)], named=False
        ),
        _stream([{**_chunk({"content": "a"}), "usage": {"total": number}} for number in (1, 2)], named=False),
        _stream([_chunk({"content": "a"})] * 2, named=False).replace(b"\n", b"\r\n"),
        b": a comment\n\ndata: [DONE]\n\ndata: {broken\n\ndata: half an ev",
        b'data: {"delta": "a"}\ndata: more\n\n' * 2,
    ],
)
def test_what_differs_in_more_than_its_text_is_passed_on_as_it_came(stream: bytes) -> None:
    assert merge_events(stream) == stream
