"""A feed on the wire: server-sent events (HTML standard, 9.2), one message an event.

The `event` of a message is the type of its event, but for `error`: browsers dispatch `error` themselves when a
connection breaks, so that one is sent as `node_error`. The type in its data is `error` as everywhere.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event

from elcano.api.http.times import event_view
from elcano.api.live.cursor import Cursor
from elcano.api.live.feed import Feed, Item, NumberedEvent, Streaming, UnreadableBranch, Waiting
from elcano.graphs.state.events import EVENT_TYPES

RECONNECT_MILLISECONDS: Final = 2_000
LONGEST_SECONDS: Final = 3_600.0
"""After which a stream ends between two messages, and its client comes again with the last id that it has: no
connection is held for ever for somebody who has gone, and those of an old process end in time."""
_RENAMED: Final[Mapping[str, str]] = {"error": "node_error"}
_NAMES: Final[Mapping[type[object], str]] = {Waiting: "waiting", UnreadableBranch: "unreadable", Streaming: "streaming"}
"""Of messages that are no events: they have no `id`, so that a client goes on after the last event that it has."""
_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}  # a proxy is not to collect messages


def event_stream(feed: Feed, since: Cursor) -> EventSourceResponse:
    """A response with every event after `since`, as they come; it ends with the feed or when the client leaves."""
    return EventSourceResponse(_stream_messages(feed, since), headers=_HEADERS)


async def _stream_messages(feed: Feed, since: Cursor) -> AsyncIterator[bytes]:
    ends = time.monotonic() + LONGEST_SECONDS
    async for batch in feed.follow(since):
        yield b"".join(map(format_feed_message, batch)) or KEEPALIVE_COMMENT
        if time.monotonic() > ends:
            return
        await asyncio.sleep(0)  # lets others have their turn, and a client's leaving be noticed, during a long replay


def format_feed_message(item: Item) -> bytes:
    """One message."""
    if isinstance(item, NumberedEvent):
        name = _RENAMED.get(item.event.type, item.event.type)
        data, place = json.dumps(event_view(item.event), ensure_ascii=False, separators=(",", ":")), str(item.cursor)
    else:
        name = _NAMES[type(item)]
        data, place = item.model_dump_json(), None
    return format_sse_event(data_str=data, event=name, id=place, retry=RECONNECT_MILLISECONDS)


def _describe_message_schema(model: str, *names: str, numbered: bool) -> dict[str, Any]:
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": f"#/components/schemas/{model}"},
    }
    place = {"id": {"type": "string", "examples": ["12", "12+9:5+10:0"]}} if numbered else {}
    return {
        "type": "object",
        "properties": {"event": {"enum": list(names)}, "data": data, **place, "retry": {"type": "integer"}},
        "required": ["event", "data", *place],
    }


MESSAGES: Final[Mapping[str, Any]] = {
    "schema": {"type": "string", "description": "A stream; `itemSchema` describes one message of it."},
    "itemSchema": {
        "oneOf": [
            _describe_message_schema(
                "AgentEvent", *(_RENAMED.get(one, one) for one in EVENT_TYPES if one != "streaming"), numbered=True
            ),
            _describe_message_schema("Waiting", "waiting", numbered=False),
            _describe_message_schema("UnreadableBranch", "unreadable", numbered=False),
            _describe_message_schema("Streaming", "streaming", numbered=False),
        ]
    },
}
"""What OpenAPI says of a stream: the words of its version 3.2, which older readers pass over."""
