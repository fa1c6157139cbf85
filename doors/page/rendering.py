"""Pages from templates: the environment, what every page has, and the headers that keep it from loading anything else.

Everything that comes out of the API is data and is escaped. The one exception is HTML that the sanitiser of reports
wrote, which its own page marks as such. Scripts, styles and pictures are read once when the process starts. Their
address has a hash over all of them, so browsers may keep them for ever, and modules import each other by name.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from elcano import __version__
from elcano.api.http.errors import PathNotFound
from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.formats import FILTERS
from elcano.doors.page.public_api import ApiProblem, PublicApi
from elcano.graphs.plugin import list_plugins
from elcano.service.permissions import Permission
from elcano.service.temporal.shared_reads import SharedReads

if TYPE_CHECKING:
    from jinja2 import Environment, Template


MEDIA_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FILES: Final = {
    entry.name: entry.read_bytes()
    for entry in sorted((files(__package__) / "static").iterdir(), key=lambda entry: entry.name)
    if entry.name.rpartition(".")[2] in MEDIA_TYPES
}
"""Static files, by name."""
VERSION: Final = sha256(b"".join(name.encode() + content for name, content in FILES.items())).hexdigest()[:12]
KEPT: Final = "public, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC])


def build_static_path(name: str) -> str:
    """The path of a static file, below the root of the application.

    Raises:
        KeyError: there is no such file, so a template is wrong.
    """
    if name not in FILES:
        raise KeyError(f"the page has no static file {name!r}")
    return f"/static/{VERSION}/{name}"


@router.get("/static/{version}/{name}")
async def get_static_file(request: Request, version: str, name: str) -> Response:
    """A static file; one asked for under the version of an older process is as it is now, and not kept."""
    if name not in FILES:
        raise PathNotFound(f"the page has no file {name!r}")
    kept = KEPT if version == VERSION else "no-cache"
    headers = {"Cache-Control": kept, "X-Content-Type-Options": "nosniff", "ETag": f'"{VERSION}"'}
    return Response(FILES[name], media_type=MEDIA_TYPES[name.rpartition(".")[2]], headers=headers)


CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept, Cookie",
}


@dataclass(frozen=True)
class Place:
    """An entry of the navigation."""

    path: str
    name: str
    permission: Permission | None = None
    """Permission required to see it; None: public."""
    plugin: str = "page"
    """The plugin whose subject it shows; where that is left out, so is the entry."""


NAVIGATION: Final = (
    Place("/", "Ask"),
    Place("/runs", "Runs"),
    Place("/tables", "Tables", "list_runs", "evidence_tables"),
    Place("/schedules", "Schedules", "list_runs", "schedules"),
    Place("/knowledge", "Knowledge", "read_knowledge", "knowledge"),
    Place("/graphs", "Graphs", "read_catalogue"),
    Place("/usage", "Usage", "read_usage", "quotas"),
    Place("/set-up", "Set-up"),
)
"""In the order in which they are shown."""


@cache
def _open_templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    opened = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    opened.policies["truncate.leeway"] = 0  # by itself Jinja leaves texts whole that are five characters too long
    opened.filters.update(FILTERS)
    opened.globals["format"] = FILTERS
    return opened


def load_template(name: str) -> "Template":
    """A template, which is compiled when it is first asked for."""
    return _open_templates().get_template(name)


async def render_page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a template for a browser.

    Beside `context`, a template has `url(path)` and `static(name)`, which know where the application is mounted,
    `here`, the path of the page, `session`, who is signed in (None where nobody has to be), `may(permission)`, so that
    nobody is offered what they would be refused, and `plugins`, the names of those that are loaded.
    """
    root = request.scope.get("root_path", "")
    session = await _find_session(request)
    plugins = {plugin.name for plugin in list_plugins()}

    def may(permission: str | None) -> bool:
        return session is None or permission is None or permission in session["permissions"]

    page = load_template(template).render(
        root=root,
        url=partial(build_address, request),
        static=lambda name: root + build_static_path(name),
        here=request.url.path.removeprefix(root),
        navigation=[place for place in NAVIGATION if place.plugin in plugins and may(place.permission)],
        version=__version__,
        session=session,
        may=may,
        plugins=plugins,
        **context,
    )
    return HTMLResponse(page, status_code=status, headers=dict(HEADERS))


_PAGES: Final = SharedReads()


async def share_page(request: Request, api: PublicApi, render: Callable[[], Awaitable[Response]]) -> Response:
    """A page that is rendered once for all who ask for it at the same moment and would be answered the same."""
    page = await _PAGES.share((api.asker, str(request.url)), render)
    return Response(page.body, page.status_code, dict(page.headers))


async def render_problem(request: Request, problem: Mapping[str, Any]) -> HTMLResponse | RedirectResponse:
    """A problem document in words; who has to sign in is sent there, and comes back."""
    status = int(problem["status"])
    if status == 401 and request.url.path != build_address(request, "/login"):
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(build_address(request, f"/login?to={quote(asked, safe='/')}"), status_code=303)
    whole = {"title": "", "detail": "", "errors": (), **problem}
    return await render_page(request, "error.html", status=status, problem=whole)


def build_address(request: Request, path: str) -> str:
    """The address of a path, where the application is mounted."""
    root: str = request.scope.get("root_path", "")
    return root + path


async def _find_session(request: Request) -> dict[str, Any] | None:
    """The session of the browser; None if no one is signed in, or no one has to be."""
    try:
        found: dict[str, Any] | None = await PublicApi(request).find("/v1/session")
    except ApiProblem:
        return None
    return found if found and found["user"] else None
