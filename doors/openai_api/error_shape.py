"""Errors that OpenAI's clients can read: a problem document, as of all other routes, with their `error` in it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import PROBLEM_MEDIA_TYPE
from elcano.settings.settings import Settings

PATHS: Final = "/openai/"
_TYPES: Final[Mapping[int, str]] = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_KEY: Final = b"idempotency-key"


class ErrorShape:
    """ASGI middleware: adds to the problem documents of these paths."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what is no problem as it is."""
        if scope["type"] != "http" or not scope["path"].startswith(PATHS):
            await self._app(scope, receive, send)
            return
        begun: list[Message] = []
        body = bytearray()

        async def rewrite(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_problem(message):
                begun.append(message)
            elif begun and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    written = write_error(bytes(body))
                    await send(_head_again(begun[0], len(written), scope))
                    await send({"type": "http.response.body", "body": written})
            else:
                await send(message)

        await self._app(scope, receive, rewrite)


def write_error(problem: bytes) -> bytes:
    """A problem document with OpenAI's error, in the same words."""
    details: dict[str, Any] = json.loads(problem)
    faults = details.get("errors", [])
    status = int(details["status"])
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {
        "message": details.get("detail") or details["title"],
        "type": kind,
        "param": faults[0]["field"] if faults else None,
        "code": str(details.get("type", "")).rpartition(":")[2].replace("-", "_") or None,
    }
    return json.dumps({**details, "error": error}, ensure_ascii=False).encode()


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith(PROBLEM_MEDIA_TYPE)


def _head_again(message: Message, length: int, scope: Scope) -> Message:
    """The head for the new body. Clients are asked not to send again what may have started a run, or stays refused."""
    headers = MutableHeaders(raw=list(message["headers"]))
    headers["content-length"] = str(length)
    keyed = any(name == _KEY for name, _ in scope["headers"])
    if message["status"] == 409 or (message["status"] >= 500 and scope["method"] == "POST" and not keyed):
        headers["x-should-retry"] = "false"
    return {**message, "headers": headers.raw}
