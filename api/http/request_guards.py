"""Checks requests before a route sees them: host, origin, type of the body, parameters, media types accepted.

A browser sends anything to this machine on behalf of any page. A name of the page's own that suddenly leads here (DNS
rebinding) is seen by `Host`, a request from a page of another site by `Origin`. Programs send neither by accident.
Pages of other sites that the operator named may use the API (CORS, by Starlette's middleware), and no others.

No parameter is ignored: a client that misspells the mark of the next page would otherwise get the first one for ever.
Which parameters a route has, FastAPI knows: to make the whole manual for it would cost the first request a second.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from elcano.api.http.body_limit import STREAMED_BODY
from elcano.api.http.errors import CrossOriginRefused, HostRefused, MediaTypeUnsupported, NotAcceptable
from elcano.api.http.problems import known_problem
from elcano.service.errors import FieldFault, RequestInvalid
from elcano.settings.settings import Settings


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
    if STREAMED_BODY in getattr(request.scope.get("route"), "dependencies", ()):
        return
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
    return media, float(quality) if quality.replace(".", "", 1).isdecimal() else 0.0


def _rate_offer(offer: str, media: str, quality: float) -> tuple[int, float]:
    """Return how precisely a media range matches the offer (0: not at all), and its quality value."""
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
    known = list(dict.fromkeys(_list_query_parameters(route.dependant)))
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        said = (
            f"is no parameter of this path, which has {', '.join(known)}"
            if known
            else "is no parameter of this path, which has none"
        )
        raise RequestInvalid([FieldFault(field=name[:100], message=said) for name in unknown[:20]])


def _list_query_parameters(dependant: Dependant) -> Iterator[str]:
    """The names of the parameters in the query that a route and its dependencies take, in the order of the manual."""
    for one in dependant.dependencies:
        yield from _list_query_parameters(one)
    for field in dependant.query_params:
        yield field.alias


LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""They change nothing, and without our permission a browser shows their answers to no other page."""
_PORTS: Final = {"http": 80, "https": 443}


class TrustedNames:
    """The names that lead to this server."""

    def __init__(self, settings: Settings) -> None:
        """Trusts the configured hosts, the host that clients are given as the address, and this machine's own names."""
        self._given = _list_host_names(settings.trusted_hosts)
        self._address = _parse_origin(settings.base_url)
        self._all = self._given | _list_host_names([*LOOPBACK, settings.api_host, *(self._address or ())[:1]])
        self._origins = frozenset(settings.allowed_origins)
        self._by_address = _is_unspecified(settings.api_host)

    def require_host(self, headers: Headers) -> None:
        """Refuses a request whose `Host` is not a name of this server.

        Where the API listens at every address of the machine, each of them is its name: an address cannot be rebound.

        Raises:
            HostRefused: the `Host` is no name of this server.
        """
        host = headers.get("host", "")
        name, _ = _parse_origin(f"http://{host}") or ("", None)
        if not (
            name and ("*" in self._all or _is_known_host(name, self._all) or (self._by_address and _is_address(name)))
        ):
            setting = f"ELCANO_TRUSTED_HOSTS='[\"{name or 'research.example.org'}\"]'"
            raise HostRefused(f"the Host {host[:255]!r} is no name of this server; if it should be one, set {setting}")

    def require_own_origin(self, headers: Headers) -> None:
        """Refuses a change that a page of another site asked for. Another port of the same machine is another site.

        Raises:
            CrossOriginRefused: the page is not one of this server's, nor of a name that was given to it.
        """
        origin = headers.get("origin")
        if origin in self._origins:
            return
        if origin is None:
            if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site"):
                raise CrossOriginRefused("a page of another site asked for this; ask from a page of this server")
            return
        page = _parse_origin(origin)
        scheme = origin.partition(":")[0]
        host = _parse_origin(f"{scheme}://{headers.get('host', '')}")  # a proxy may have taken the encryption away
        if page is None or not (page in (host, self._address) or _is_known_host(page[0], self._given)):
            raise CrossOriginRefused(
                f"a page of {origin[:255]!r} asked for this; ask from a page of this server, or name that origin in "
                "ELCANO_ALLOWED_ORIGINS if the page is yours"
            )


class Trust:
    """ASGI middleware: answers 421 and 403 before anything else is looked at."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._names = TrustedNames(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what may be answered."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                self._names.require_host(headers)
                if scope["method"] not in SAFE_METHODS:
                    self._names.require_own_origin(headers)
            except (HostRefused, CrossOriginRefused) as error:
                await known_problem(error, scope["path"])(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _parse_origin(url: str) -> tuple[str, int | None] | None:
    """Name, in small letters, and port of a URL that has nothing else behind its scheme; None if it is none."""
    try:
        parsed = urlsplit(url)
        port = parsed.port or _PORTS.get(parsed.scheme)
    except ValueError:
        return None
    plain = parsed.username is None and not parsed.path.strip("/") and not parsed.query and not parsed.fragment
    return (parsed.hostname, port) if parsed.hostname and plain else None


def _list_host_names(found: Iterable[str | int | None]) -> set[str]:
    return {name.lower() for name in found if isinstance(name, str) and not _is_unspecified(name)}


def _is_known_host(name: str, known: set[str]) -> bool:
    """`*.example.org` represents every name under `example.org`."""
    return name in known or any(one[:2] == "*." and name.endswith(one[1:]) for one in known)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_unspecified(name: str) -> bool:
    """`0.0.0.0` and `::` are every address and so no name."""
    return _is_address(name) and ip_address(name).is_unspecified


EXPOSED: Final = (
    "Allow",
    "Content-Disposition",
    "ETag",
    "Idempotency-Key",
    "Location",
    "Retry-After",
)
"""Headers of answers that a page may read, besides those that every page may."""
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE")
REMEMBERED_SECONDS: Final = 600
"""Seconds that a browser may cache a preflight response."""


class CrossOrigin(CORSMiddleware):
    """ASGI middleware: answers browsers that ask whether a page may, and lets it see the answers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        super().__init__(
            app,
            allow_origins=settings.allowed_origins,
            allow_methods=METHODS,
            allow_headers=("*",),  # those that are asked for are named in the answer: a proxy may want its own
            allow_credentials=True,  # the session of a proxy that signs people in is a cookie; origins are named
            expose_headers=EXPOSED,
            max_age=REMEMBERED_SECONDS,
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer with a problem document, as for every other refused page."""
        origin = request_headers["origin"]
        if not self.is_allowed_origin(origin):
            refused = f"pages of {origin[:255]!r} may not use this API; the operator names those that may"
            return known_problem(CrossOriginRefused(f"{refused} in ELCANO_ALLOWED_ORIGINS"), "")
        return super().preflight_response(request_headers)


def is_own_path(path: str) -> bool:
    """Whether a path leads to a page of this server: no browser takes it for another host."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
