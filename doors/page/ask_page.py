"""The first page: a question, what to research it with, and what was asked last."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from elcano.api.http.errors import NotAcceptable
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import PUBLIC
from elcano.api.openapi import HTML, JSON
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api
from elcano.doors.page.rendering import render_page

RECENT = 6
"""Runs on the first page."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


async def show_first_page(
    request: Request,
    api: Api,
    question: Annotated[str, Query(max_length=10_000, description="A question to begin with.")] = "",
    follow: Annotated[str, Query(max_length=200, description="The run that the question follows.")] = "",
) -> Response:
    """The first page: a question, and what to research it with."""
    runs, modes, graphs, sources, domains, models, followed = await asyncio.gather(
        api.get("/v1/runs", limit=RECENT),
        api.get("/v1/modes"),
        api.get("/v1/graphs"),
        api.get("/v1/sources"),
        api.get("/v1/domains"),
        api.get("/v1/models"),
        api.find(f"/v1/runs/{follow}", pending=False) if follow else _find_nothing(),
    )
    return await render_page(
        request,
        "ask.html",
        question=question,
        followed=followed,
        runs=runs["runs"],
        modes=modes,
        graphs=[graph for graph in graphs if graph["version"]],
        sources=sorted(sources, key=lambda source: not source["ready"]),
        domains=domains,
        models=models,
        price=choose_price(models),
    )


async def _find_nothing() -> None:
    return None


def choose_price(models: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """The price of the model that answers first; None if it is unknown."""
    found: dict[str, float] | None = next(
        (model["price"] for model in models if not model["agents"] and not model["fallback"]), None
    )
    return found


class FirstPageRoute(PageRoute):
    """The route of the first page, which is there for browsers; programs get the API's description."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches requests that would rather have HTML than JSON."""
        accept = Headers(scope=scope).get("accept")
        return super().matches(scope) if _prefers_html(accept) else (Match.NONE, {})


def _prefers_html(accept: str | None) -> bool:
    try:
        return choose_media_type(accept, (JSON, HTML)) == HTML
    except NotAcceptable:
        return False


router.add_api_route("/", show_first_page, route_class_override=FirstPageRoute)
