"""No request makes the process hold more than `MAX_BODY` bytes: a larger body is refused while it is being read."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import BodyTooLarge
from elcano.api.http.problems import known_problem

MAX_BODY: Final = 1024 * 1024
"""Bytes; the largest request that makes sense is a graph of some tens of kilobytes."""


class BodyLimit:
    """ASGI middleware: reads the body before the application does and answers 413 if it is over `MAX_BODY`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on a request whose body was read whole."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            first = await _read_whole_body(scope, receive)
        except BodyTooLarge as error:
            await known_problem(error, scope["path"])(scope, receive, send)
            return
        unread: list[Message] = [first]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, replay, send)


async def _read_whole_body(scope: Scope, receive: Receive) -> Message:
    """The whole body as one message, or the message that the client has gone.

    Raises:
        BodyTooLarge: as soon as that is known.
    """
    declared = dict(scope["headers"]).get(b"content-length", b"")
    body = bytearray()
    more = True
    if declared.isdigit() and int(declared) > MAX_BODY:
        raise BodyTooLarge(f"the body has {int(declared)} bytes; at most {MAX_BODY} are read")
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return message
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY:
            raise BodyTooLarge(f"the body is over {MAX_BODY} bytes")
    return {"type": "http.request", "body": bytes(body), "more_body": False}
