"""Every path says the same of itself: what `GET` answers `HEAD` answers without a body, and `Allow` names all methods.

Routes are one method each. Starlette would let the first route of a path speak for the others. A path that is
written out, as `/v1/graphs/validate` is, has the methods of its own routes: it is nothing that `{name}` stands for.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import anyio
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


def format_allow_header(routes: Sequence[BaseRoute], scope: Scope) -> str:
    """What `Allow` says of the path that is asked for; empty if there is no such path."""
    named = [route for route in _flatten_routes(routes) if getattr(route, "path", None) == scope["path"]]
    own = [method for method in METHODS if _has_full_match(named, {**scope, "method": method})]
    found = own or [method for method in METHODS if _has_full_match(routes, {**scope, "method": method})]
    if not found:
        return ""
    return ", ".join([*found, *(["HEAD"] if "GET" in found else []), "OPTIONS"])


def _flatten_routes(routes: Sequence[BaseRoute]) -> Iterator[BaseRoute]:
    """Routes that are within routers too, which are included here without a prefix of their own."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if router is None:
            yield route
        else:
            yield from _flatten_routes(router.routes)


class HttpMethods:
    """ASGI middleware: answers `OPTIONS`, and `HEAD` as `GET` without its body."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on every other method."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "HEAD":
            await self._head({**scope, "method": "GET"}, receive, send)
        elif scope["method"] == "OPTIONS" and (methods := format_allow_header(self._routes, scope)):
            await Response(status_code=204, headers={"Allow": methods})(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _head(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A body that comes in parts, such as a stream of events, is not waited for."""
        answered = False
        with anyio.CancelScope() as answering:

            async def send_head(message: Message) -> None:
                nonlocal answered
                if message["type"] != "http.response.body":
                    await send(message)
                elif not answered:
                    answered = True
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                    if message.get("more_body", False):
                        answering.cancel()

            await self._app(scope, receive, send_head)


def _has_full_match(routes: Sequence[BaseRoute], scope: Scope) -> bool:
    return any(route.matches(scope)[0] is Match.FULL for route in routes)
