"""Merges the small pieces of a streamed answer before its provider's SDK reads them.

Models stream a piece for each token, and SDKs make objects of every piece: 0.15 to 0.5 ms of processor time, so fifty
answers that are written at once keep a worker busy with nothing else. Watchers see new text twice a second. So what
arrives is collected for `HOLD_SECONDS`, and pieces that say the same but for their text are passed on as one. The first
one is passed on at once, and the end is not held up.

All else is passed on byte by byte: events of other forms, lines that end with CR, and what is compressed.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final

import httpx2

from elcano.graphs.contracts import BEAT_SECONDS

HOLD_SECONDS: Final = BEAT_SECONDS / 2
_TEXTS: Final = ("arguments", "content", "reasoning_content", "reasoning", "delta", "text", "partial_json", "thinking")
"""Paths of a piece's text in chat completions, OpenAI's responses and Anthropic's messages."""
_OF_TEXT: Final = ("text.delta", "arguments.delta")
"""Events of OpenAI's responses whose pieces are text; sound comes in pieces, too."""
_VOLATILE: Final = ("sequence_number", "obfuscation")
"""Fields that differ from piece to piece and carry no content."""
_END: Final = b"\n\n"
"""The end of an event."""


def merge_streamed_deltas(client: object) -> None:
    """Have a provider's HTTP client merge the pieces of all event streams that it receives, if it is of `httpx2`."""
    if isinstance(client, httpx2.AsyncClient):
        client.event_hooks["response"].append(_merge_response)


async def _merge_response(response: httpx2.Response) -> None:
    kind = response.headers.get("content-type", "")
    if kind.startswith("text/event-stream") and "content-encoding" not in response.headers:
        assert isinstance(response.stream, httpx2.AsyncByteStream), "an asynchronous client gets no others"
        response.stream = _MergedStream(response.stream)


class _MergedStream(httpx2.AsyncByteStream):
    """A body that is read by a task of its own; another iteration continues where the one before stopped."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream
        self._received = bytearray()
        self._news = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        reading = self._reading = self._reading or asyncio.create_task(self._read(), name="read a streamed answer")
        while not reading.done():
            await self._news.wait()
            if whole := self._take(self._received.rfind(_END) + len(_END) if _END in self._received else 0):
                yield merge_events(whole)
            await asyncio.wait({reading}, timeout=HOLD_SECONDS)
        if rest := self._take(len(self._received)):  # before the error, if it broke off: it was written and is paid for
            yield merge_events(rest)
        await reading

    async def aclose(self) -> None:
        if self._reading is not None:  # a connection must not be closed under its reader
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        await self._stream.aclose()

    async def _read(self) -> None:
        try:
            async for part in self._stream:
                self._received += part
                self._news.set()
        finally:
            self._news.set()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        self._news.clear()
        return taken


def merge_events(events: bytes) -> bytes:
    """`events` of a stream, of which neighbours are one that are pieces of the same text."""
    *whole, rest = events.split(_END)
    return b"".join(_merge_neighbours(event + _END for event in whole)) + rest


def _merge_neighbours(events: Iterable[bytes]) -> Iterator[bytes]:
    held: _Piece | None = None
    for event in events:
        piece = _parse_piece(event)
        if held is not None and (piece is None or not held.merge(piece)):
            yield held.render()
            held = None
        if piece is None:
            yield event
        elif held is None:
            held = piece
    if held is not None:
        yield held.render()


class _Piece:
    """An event whose data have one text, and the texts of those like it that came after it."""

    def __init__(self, event: bytes, name: bytes, data: dict[str, Any], holder: dict[str, Any], key: str) -> None:
        self._event = event
        self._name = name
        self._data = data
        self._holder = holder
        self._key = key
        self._texts: list[str] = [holder[key]]
        holder[key] = ""
        self._volatile = {one: data.pop(one) for one in _VOLATILE if one in data}

    def merge(self, other: "_Piece") -> bool:
        """Add the text of `other` if nothing else distinguishes it; whether it did not."""
        if (other._name, other._key, other._data) != (self._name, self._key, self._data):
            return False
        self._texts += other._texts
        self._volatile = other._volatile
        return True

    def render(self) -> bytes:
        """The event; one that nothing was added to, as it came."""
        if len(self._texts) == 1:
            return self._event
        self._holder[self._key] = "".join(self._texts)
        return self._name + b"data: " + json.dumps(self._data | self._volatile).encode() + b"\n\n"


def _parse_piece(event: bytes) -> _Piece | None:
    """The event as a piece of an answer; None if it is anything else."""
    name, marked, content = event.rpartition(b"data: ")
    if not marked or not content.startswith(b"{") or b"data:" in name or content.count(b"\n") != 2:
        return None
    try:
        data = json.loads(content)
    except ValueError:
        return None
    holder = _find_holder(data)
    if holder is None:
        return None
    keys = [key for key in _TEXTS if isinstance(holder.get(key), str) and holder[key]]
    return _Piece(event, name, data, holder, keys[0]) if len(keys) == 1 else None


def _find_holder(data: dict[str, Any]) -> dict[str, Any] | None:
    """The object that has the text of a piece; None if the event has another form."""
    said = data.get("delta")
    if isinstance(said, str):
        return data if str(data.get("type")).endswith(_OF_TEXT) else None
    if isinstance(said, dict):
        return said
    function: dict[str, Any]
    delta: dict[str, Any]
    match data:
        case {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": str()} as function}]} as delta}]}:
            return None if function.get("name") or delta.get("content") else function
        case {"choices": [{"delta": {} as delta}]}:
            return None if delta.get("tool_calls") else delta
        case _:
            return None
