"""The set-up: what is there to work with, what is missing, and how to mend it."""

import asyncio

from fastapi import APIRouter, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.plugins.page.error_pages import PageRoute
from elcano.plugins.page.public_api import Api
from elcano.plugins.page.rendering import render_page

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/set-up")
async def show_set_up(request: Request, api: Api) -> Response:
    """The sources, models and modes that are set up, those that are missing, and how to mend it."""
    readiness, models, sources, modes = await asyncio.gather(
        api.fetch("/readyz"), api.get("/v1/models"), api.get("/v1/sources"), api.get("/v1/modes")
    )
    return await render_page(
        request,
        "set_up.html",
        ready=readiness.json(),
        models=models,
        sources=sources,
        modes=modes,
        only_quotes=all(model["name"] == "offline" for model in models),
    )
