"""An answer in one piece that takes long: its head goes out early, and white space until it is there.

Clients and gateways give up on a server that sends nothing for a minute or five, and clients then send the request
again. White space before a JSON value is no part of it. What goes wrong after the head has left cannot have a status of
its own, and is in the answer.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, TypeAlias

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.background import BackgroundTask

from elcano.api.events.sse import STREAM_HEADERS
from elcano.doors.openai_api.following import JsonResponse
from elcano.graphs.errors import ElcanoError
from elcano.service.errors import Refusal

PROMPT_SECONDS: Final = 15.0
"""Seconds to wait for an answer before its head is sent: until then an error has its status."""
SPACE_SECONDS: Final = 15.0
"""Interval at which white space is sent after that, in seconds."""

Explain: TypeAlias = Callable[[Exception], dict[str, Any]]
"""Makes the answer out of what went wrong after its head was sent."""


async def send_answer(
    answer: Awaitable[dict[str, Any]], request: Request, *, explain: Explain, sent: Callable[[], Awaitable[None]]
) -> Response:
    """Send an answer once it is there; `sent` is called then, unless the client has gone.

    Raises:
        Exception: as of `answer`, before the head was sent.
    """
    waiting = asyncio.ensure_future(answer)
    try:
        await asyncio.wait({waiting}, timeout=PROMPT_SECONDS)
    except asyncio.CancelledError:
        waiting.cancel()
        raise
    if not waiting.done():
        late = _send_late(waiting, explain, sent)
        return StreamingResponse(late, media_type="application/json", headers=STREAM_HEADERS)
    found = waiting.result()
    return JsonResponse(found, background=None if await request.is_disconnected() else BackgroundTask(sent))


async def _send_late(
    waiting: "asyncio.Future[dict[str, Any]]", explain: Explain, sent: Callable[[], Awaitable[None]]
) -> AsyncIterator[bytes]:
    try:
        while not waiting.done():
            yield b" "
            await asyncio.wait({waiting}, timeout=SPACE_SECONDS)
        try:
            found = waiting.result()
        except (Refusal, ElcanoError) as error:
            found = explain(error)
        yield bytes(JsonResponse(found).body)
        await sent()
    finally:
        waiting.cancel()
