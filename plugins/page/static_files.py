"""Scripts, styles and pictures of the page, read once when the process starts.

Their address has a hash over all of them, so browsers may keep them for ever, and modules import each other by name.
"""

from hashlib import sha256
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Request, Response

from elcano.api.http.errors import PathNotFound
from elcano.api.http.request_identity import PUBLIC

MEDIA_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FILES: Final = {
    entry.name: entry.read_bytes()
    for entry in sorted((files(__package__) / "static").iterdir(), key=lambda entry: entry.name)
    if entry.name.rpartition(".")[2] in MEDIA_TYPES
}
"""What is served, by name."""
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
