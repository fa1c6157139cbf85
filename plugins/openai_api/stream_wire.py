"""Streams as OpenAI's clients read them: server-sent events of JSON, with `[DONE]` as the last.

While nothing is new a comment goes out every 15 seconds, so that no gateway takes the connection for dead.
"""

import json
from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi.responses import Response, StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from elcano.api.events.sse import STREAM_HEADERS

DONE: Final = b"data: [DONE]\n\n"

KEEP_ALIVE: Final = KEEPALIVE_COMMENT


class JsonResponse(Response):
    """An answer in one piece, whose letters stay readable."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The content as UTF-8."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def stream_response(messages: AsyncIterator[bytes]) -> StreamingResponse:
    """The response that sends these messages."""
    return StreamingResponse(messages, media_type="text/event-stream", headers=STREAM_HEADERS)


def format_message(data: dict[str, Any], name: str | None = None) -> bytes:
    """One message; the events of a response are named, the chunks of a chat are not."""
    return format_sse_event(data_str=json.dumps(data, ensure_ascii=False, separators=(",", ":")), event=name)
