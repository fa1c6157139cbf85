"""Ends an answer that is still being sent once its receiver may not have it any more.

A stream of events stays open for hours, and the credential that it was opened with may be revoked, expire or lose its
role meanwhile. So the check of the request is repeated while the answer is being sent. A check that cannot be made,
because the store or the login service is away, ends nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.graphs.errors import ElcanoError
from elcano.storage.health import STORE_ERRORS

CHECK_SECONDS: Final = 10.0
"""Seconds between two checks; a stream ends at most 15 s after its permission does."""
_CHECK: Final = "still_allowed"
_log = logging.getLogger("api.streams")

Check: TypeAlias = Callable[[], Awaitable[bool]]


def repeat_check(request: Request, check: Check) -> None:
    """Have a check repeated while the answer to a request is being sent, which ends once the check returns False."""
    setattr(request.state, _CHECK, check)


class StreamCheck:
    """ASGI middleware: repeats the check of each request whose answer comes in several parts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on every message, and ends the answer in place of the application if the check fails."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        checking: asyncio.Task[None] | None = None

        async def send_checked(message: Message) -> None:
            nonlocal checking
            await send(message)
            if checking is None and message.get("more_body", False) and _CHECK in state:
                checking = asyncio.create_task(_end_when_refused(state[_CHECK], limit))

        limit = asyncio.timeout(None)
        try:
            async with limit:
                await self._app(scope, receive, send_checked)
        except TimeoutError:
            if not limit.expired():
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if checking is not None:
                checking.cancel()


async def _end_when_refused(check: Check, limit: asyncio.Timeout) -> None:
    allowed = True
    while allowed:
        await asyncio.sleep(CHECK_SECONDS)
        try:
            allowed = await check()
        except (ElcanoError, *STORE_ERRORS):
            _log.warning("whether a stream may go on cannot be checked now", exc_info=True)
    limit.reschedule(asyncio.get_running_loop().time())
