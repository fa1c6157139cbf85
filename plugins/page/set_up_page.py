"""The set-up: what is there to work with, what is missing, and how to mend it."""

from fastapi import APIRouter, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.plugins.page.error_pages import PageRoute
from elcano.plugins.page.public_api import Api
from elcano.plugins.page.rendering import render_page

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/set-up")
async def show_set_up(request: Request, api: Api) -> Response:
    """What is there to work with, what is missing, and how to mend it."""
    ready = (await api.fetch("/readyz")).json()
    sources = await api.get("/v1/sources")
    return await render_page(request, "set_up.html", ready=ready, sources=sources)
