"""The pages before the first question: signing in, where the API asks who is there, and the state of the set-up."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from elcano.api.http.request_guards import is_own_path
from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.ask_page import group_sources
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api
from elcano.doors.page.rendering import render_page

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
        groups=group_sources(sources, [source["name"] for source in sources if source["default"]]),
        modes=modes,
        only_quotes=all(model["name"] == "offline" for model in models),
    )
