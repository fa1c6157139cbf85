"""Refusals as pages: a browser that asks for a page reads in words what is wrong and where to go on.

The API's own paths (`/v1/...`) answer with their problem documents in any case.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import PROBLEM_MEDIA_TYPE
from elcano.doors.page.public_api import ApiProblem
from elcano.doors.page.rendering import render_problem
from elcano.settings.settings import Settings

API_PATHS: Final = ("/v1/", "/static/", "/openapi", "/docs", "/healthz", "/readyz", "/metrics")
"""Beginnings of paths that speak to programs."""


class PageRoute(APIRoute):
    """A route of the page: what the API refuses becomes an error page."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, around which a refusal is caught."""
        answer = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await answer(request)
            except ApiProblem as problem:
                return await render_problem(request, problem.document)

        return answer_or_explain


class ErrorPages:
    """ASGI middleware: shows problem documents as pages to browsers that navigate."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on but the problem documents of pages."""
        if scope["type"] != "http" or scope["method"] != "GET" or not _wants_page(scope):
            await self._app(scope, receive, send)
            return
        started: Message | None = None
        body = bytearray()

        async def collect_problem(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and _is_problem(message):
                started = message
            elif started is None:
                await send(message)
            else:
                body.extend(message.get("body", b""))

        await self._app(scope, receive, collect_problem)
        if started is not None:
            page = await render_problem(Request(scope), {"status": started["status"], **json.loads(body)})
            await page(scope, receive, send)


def _wants_page(scope: Scope) -> bool:
    accepts = Headers(scope=scope).get("accept", "")
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return "text/html" in accepts and not path.startswith(API_PATHS)


def _is_problem(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(PROBLEM_MEDIA_TYPE)
