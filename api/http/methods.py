"""Every path says the same of itself: `HEAD` answers as `GET` does, `Allow` names all methods, `ETag` the answer.

Routes are one method each. Starlette would let the first route of a path speak for the others. A path that is
written out, as `/v1/graphs/validate` is, has the methods of its own routes: it is nothing that `{name}` represents.

Every complete response to a `GET` carries an `ETag`, a hash over its bytes. With it in `If-None-Match` the same answer
is `304` without a body (RFC 9110, 13.1.2). A stream has no end to be hashed and goes through.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


def format_allow_header(routes: Sequence[BaseRoute], scope: Scope) -> str:
    """Return the `Allow` header of the requested path; empty if there is no such path."""
    named = [route for route in flatten_routes(routes) if getattr(route, "path", None) == scope["path"]]
    own = [method for method in METHODS if _has_full_match(named, {**scope, "method": method})]
    found = own or [method for method in METHODS if _has_full_match(routes, {**scope, "method": method})]
    if not found:
        return ""
    return ", ".join([*found, *(["HEAD"] if "GET" in found else []), "OPTIONS"])


def flatten_routes(routes: Sequence[BaseRoute]) -> Iterator[BaseRoute]:
    """Routes that are within routers too, which are included here without a prefix of their own."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if router is None:
            yield route
        else:
            yield from flatten_routes(router.routes)


def list_paths(routes: Sequence[BaseRoute]) -> list[str]:
    """The paths that there are, such as `/v1/runs/{run_id}`, each once."""
    return [*dict.fromkeys(path for route in flatten_routes(routes) if (path := getattr(route, "path", "")))]


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


_KEPT: Final = ("cache-control", "content-location", "date", "etag", "expires", "vary")
"""Headers of an answer that its `304` has, too."""
_STREAM: Final = "text/event-stream"


class Conditional:
    """ASGI middleware: adds `ETag`, and answers `304` where the client has the same."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes through every request that is not a `GET` and every response that is streamed."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).getlist("if-none-match")
        started: Message | None = None

        async def send_conditionally(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and _is_hashable(message):
                started = message
                return
            if started is not None:
                begun, started = started, None
                if not message.get("more_body", False):
                    begun, message = _add_etag(begun, message, known)
                await send(begun)
            await send(message)

        await self._app(scope, receive, send_conditionally)


def _is_hashable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and "etag" not in headers and _STREAM not in headers.get("content-type", "")


def _add_etag(start: Message, body: Message, known: list[str]) -> tuple[Message, Message]:
    """An answer with its tag, or that the client has it."""
    headers = MutableHeaders(raw=list(start["headers"]))
    tag = f'"{sha256(body.get("body", b"")).hexdigest()[:32]}"'
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "private, no-cache")  # it is asked for again, each time, and costs little
    if not _is_among(tag, known):
        return {**start, "headers": headers.raw}, body
    kept = [(name, value) for name, value in headers.raw if name.decode("latin-1") in _KEPT]
    return {**start, "status": 304, "headers": kept}, {**body, "body": b""}


def _is_among(tag: str, known: list[str]) -> bool:
    """A proxy that packs answers may have made the tag a weak one, which counts here as well."""
    given = [one.strip().removeprefix("W/") for line in known for one in line.split(",")]
    return tag in given or "*" in given
