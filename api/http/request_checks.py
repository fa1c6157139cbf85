"""Requests are checked before a route sees them: size and type of the body, parameters, media types accepted.

No parameter is ignored: a client that misspells the mark of the next page would otherwise get the first one for ever.
Which parameters a route has is read off the API's own document. No request makes the process hold more than `MAX_BODY`
bytes.
"""

from collections.abc import Sequence
from typing import Any, Final

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import BodyTooLarge, FieldFault, MediaTypeUnsupported, NotAcceptable, RequestInvalid
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


def choose_media_type(accept: str | None, offers: Sequence[str]) -> str:
    """The offer that the client likes best; of two liked equally the first, and the first without a header.

    Raises:
        NotAcceptable: the client accepts none of them.
    """
    ranges = [_parse_media_range(part) for part in (accept or "*/*").split(",") if part.strip()]
    liked = [(max((_rate_offer(offer, *wanted) for wanted in ranges), default=(0, 0.0))[1], offer) for offer in offers]
    quality, best = max(liked, key=lambda pair: pair[0])
    if quality <= 0:
        raise NotAcceptable(f"this is served as {' or '.join(offers)}, not as {accept!r}")
    return best


async def require_json(request: Request) -> None:
    """A dependency of every route: a body is JSON and says so.

    Raises:
        MediaTypeUnsupported: there is a body, and it says that it is something else, or nothing.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json")):
        return
    if await request.body():
        said = f"is sent as {media_type!r}" if media_type else "has no Content-Type"
        raise MediaTypeUnsupported(f"the body {said}; send JSON, with the header `Content-Type: application/json`")


def _parse_media_range(part: str) -> tuple[str, float]:
    """`text/html;q=0.8` as its media range and quality; a quality that is no number counts as 0."""
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    quality = next((text[2:] for text in parameters if text.startswith("q=")), "1")
    return media, float(quality) if quality.replace(".", "", 1).isdigit() else 0.0


def _rate_offer(offer: str, media: str, quality: float) -> tuple[int, float]:
    """How precisely a media range names the offer (0: not at all), and how much it is wanted."""
    if media == offer:
        return 3, quality
    if media.endswith("/*") and offer.startswith(media[:-1]):
        return 2, quality
    if media == "*/*":
        return 1, quality
    return 0, 0.0


async def refuse_unknown_parameters(request: Request) -> None:
    """A dependency of every route.

    Raises:
        RequestInvalid: the query has parameters that the route does not have; all are named.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    operation: dict[str, Any] = request.app.openapi()["paths"][route.path_format][request.method.lower()]
    known = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        said = f"is no parameter of this path, which has {', '.join(known)}" if known else "is unknown: there are none"
        raise RequestInvalid([FieldFault(field=name[:100], message=said) for name in unknown[:20]])
