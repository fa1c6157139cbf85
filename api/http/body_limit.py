"""Reads the bodies of requests before a route does, within bounds: no request makes the process hold more.

Half a character (a lone surrogate), which no text has and Python's JSON parser lets through, is refused here for all
routes: it cannot be stored, nor sent to a model.

A route may take a whole conversation (`CONVERSATION_BODY`). One that takes larger bodies (`STREAMED_BODY`) reads them
piece by piece and sets a limit of its own.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import BodyTooLarge, BodyUnreadable
from elcano.api.http.methods import flatten_routes
from elcano.api.http.problems import known_problem

MAX_BODY: Final = 1024 * 1024
"""Bytes; the largest request that makes sense is a graph of some tens of kilobytes."""


MAX_CONVERSATION: Final = 4 * 1024 * 1024
"""Bytes; a client sends all that was said before with each question, and what tools returned meanwhile."""


async def _read_conversation() -> None:
    """Marks a route whose body is a conversation."""


CONVERSATION_BODY: Final[Any] = Depends(_read_conversation)
"""Declares a route whose body may have `MAX_CONVERSATION` bytes: one of its `dependencies`."""


async def _stream_body() -> None:
    """Marks a route that reads its body itself."""


STREAMED_BODY: Final[Any] = Depends(_stream_body)
"""Declares a route whose body is a file, in any media type, and is read piece by piece: one of its `dependencies`."""


def _list_marked(routes: Sequence[BaseRoute], mark: Any) -> list[BaseRoute]:
    """The routes with this dependency."""
    return [route for route in flatten_routes(routes) if mark in getattr(route, "dependencies", ())]


def _explain_size_limit(said: object, routes: Sequence[BaseRoute]) -> str:
    """Explain that a body is too large, and where larger files can be uploaded."""
    marked = [one for one in _list_marked(routes, STREAMED_BODY) if isinstance(one, APIRoute)]
    taken = [f"`{method} {one.path_format}`" for one in marked for method in sorted(one.methods or ())]
    return f"{said}; larger files are taken by {' and '.join(taken)}" if taken else str(said)


_HALF_CHARACTER: Final = re.compile(
    rb"\xed[\xa0-\xbf][\x80-\xbf]"  # in UTF-8
    rb"|(?<!\\)(?:\\\\)*\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"  # the first half, escaped
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"  # the second
)
"""In JSON. A backslash may itself be escaped."""
_MAYBE_HALF: Final = re.compile(rb"\xed[\xa0-\xbf]|\\u[dD][89a-fA-F]")
"""The first search, which takes a tenth of the time."""


def find_half_character(body: bytes) -> int | None:
    """Return where half of a character begins in JSON, in bytes; None if there is none."""
    maybe = _MAYBE_HALF.search(body)
    found = _HALF_CHARACTER.search(body) if maybe else None
    return found.start() if found else None


class BodyLimit:
    """ASGI middleware: reads the body before the application does and answers 413 if it is over `MAX_BODY`."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on a request whose body was read whole."""
        if scope["type"] != "http" or (scope["method"] in ("PUT", "POST") and self._is_marked(scope, STREAMED_BODY)):
            await self._app(scope, receive, send)
            return
        try:
            is_conversation = scope["method"] == "POST" and self._is_marked(scope, CONVERSATION_BODY)
            first = await _read_whole_body(scope, receive, MAX_CONVERSATION if is_conversation else MAX_BODY)
        except BodyTooLarge as error:
            problem = BodyTooLarge(_explain_size_limit(error, self._routes))
            await known_problem(problem, scope["path"])(scope, receive, send)
            return
        if (half := find_half_character(first.get("body", b""))) is not None:
            fault = f"the body has half of a character (a surrogate without its other half) at byte {half}; remove it"
            await known_problem(BodyUnreadable(fault), scope["path"])(scope, receive, send)
            return
        unread: list[Message] = [first]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, replay, send)

    def _is_marked(self, scope: Scope, mark: Any) -> bool:
        return any(route.matches(scope)[0] is Match.FULL for route in _list_marked(self._routes, mark))


async def _read_whole_body(scope: Scope, receive: Receive, limit: int) -> Message:
    """The whole body as one message, or the message that the client has gone.

    Raises:
        BodyTooLarge: as soon as that is known.
    """
    declared = dict(scope["headers"]).get(b"content-length", b"")
    body = bytearray()
    more = True
    if declared.isdigit() and int(declared) > limit:
        raise BodyTooLarge(f"the body has {int(declared)} bytes; at most {limit} are read")
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return message
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise BodyTooLarge(f"the body is over {limit} bytes")
    return {"type": "http.request", "body": bytes(body), "more_body": False}
