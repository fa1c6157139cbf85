"""Restricts access from browsers to pages of this server and of the configured origins.

A browser sends anything to this machine on behalf of any page. A name of the page's own that suddenly leads here (DNS
rebinding) is seen by `Host`, a request from a page of another site by `Origin`. Programs send neither by accident.
Pages of other sites that the operator named may use the API (CORS, by Starlette's middleware), and no others.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from elcano.api.http.errors import CrossOriginRefused, HostRefused
from elcano.api.http.problems import known_problem
from elcano.settings.settings import Settings

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
    """`*.example.org` stands for every name under `example.org`."""
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
METHODS: Final = ("GET", "HEAD", "POST", "DELETE")
REMEMBERED_SECONDS: Final = 600
"""How long a browser need not ask again whether a page may."""


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
