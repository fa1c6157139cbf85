"""Pages of other sites that the operator named may use the API from a browser (CORS), and no others.

Starlette's middleware does it; here stands what of ours such a page may send and see. The guard of `trust` stays in
front: what asks for another host is refused before, and a named origin may change what its visitors may.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from elcano.api.http.errors import CrossOriginRefused
from elcano.api.http.problems import known_problem
from elcano.settings import Settings

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
        """As for every other page that is refused, the answer is a problem document."""
        origin = request_headers["origin"]
        if not self.is_allowed_origin(origin):
            refused = f"pages of {origin[:255]!r} may not use this API; the operator names those that may"
            return known_problem(CrossOriginRefused(f"{refused} in ELCANO_ALLOWED_ORIGINS"), "")
        return super().preflight_response(request_headers)
