"""The landing page, for clients that only have the address."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from elcano.api.http.errors import NotAcceptable, RequestInvalid, problem_docs
from elcano.api.http.manual import CONTENT_POLICY
from elcano.api.http.negotiation import choose_media_type
from elcano.api.http.schemas import Welcome

JSON = "application/json"
HTML = "text/html"

router = APIRouter(tags=["health"])


@router.get(
    "/",
    response_class=Response,
    responses={
        200: {
            "description": "The entry points, in the form that `Accept` requests",
            "content": {
                JSON: {"schema": {"$ref": "#/components/schemas/Welcome"}},
                HTML: {"schema": {"type": "string"}},
            },
        },
        **problem_docs(NotAcceptable, RequestInvalid),
    },
)
async def welcome(
    request: Request,
    accept: Annotated[str | None, Header(description="`application/json` (default) or `text/html`.")] = None,
) -> Response:
    """Return what this service is and where its manual is."""
    form = choose_media_type(accept, (JSON, HTML))
    found = Welcome(name=request.app.title, description=request.app.description, version=request.app.version)
    headers = {"Vary": "Accept", "Content-Security-Policy": CONTENT_POLICY}
    return Response(
        found.model_dump_json() if form == JSON else _render_welcome_page(found), media_type=form, headers=headers
    )


def _render_welcome_page(found: Welcome) -> str:
    places = "\n".join(f'<li><a href="{escape(place)}">{escape(name)}</a></li>' for name, place in found.links.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{escape(found.name)}</title>
<h1>{escape(found.name)} {escape(found.version)}</h1>
<p>{escape(found.description)}</p>
<ul>
{places}
</ul>
</html>
"""
