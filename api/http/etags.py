"""Conditional requests: every complete response to a `GET` carries an `ETag`, a hash over its bytes.

With it in `If-None-Match` the same answer is `304` without a body (RFC 9110, 13.1.2). A report that has ended stays
what it is; how a run stands is fetched again only when it changed. A stream has no end to be hashed and goes through.
"""

from hashlib import sha256
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
