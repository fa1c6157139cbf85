"""The page on which a browser signs in, where the API asks who is there."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from elcano.api.http.request_identity import PUBLIC
from elcano.plugins.page.error_pages import PageRoute
from elcano.plugins.page.public_api import Api
from elcano.plugins.page.rendering import render_page

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/login")
async def show_sign_in(request: Request, api: Api, to: Annotated[str, Query(max_length=500)] = "/") -> Response:
    """The ways to sign in; who need not, or already has, goes on to `to`."""
    target = to if is_own_path(to) else "/"
    asked = await api.fetch("/v1/runs", limit=1)
    if asked.status_code != 401:
        return RedirectResponse(target, status_code=303)
    service = await api.fetch("/v1/session/oidc", to=target)
    return await render_page(request, "login.html", to=target, has_service=service.status_code != 404)


def is_own_path(path: str) -> bool:
    """Whether a path leads to a page of this server: no browser takes it for another host."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and path.isascii() and path.isprintable()
