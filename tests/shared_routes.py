"""What FastAPI works out of routes, done once a process: that is most of what an application costs.

It works out parameters, bodies and answers of each route when an application is first asked for a path, and the models
of all routes again for the next application. Here every second test makes one, of the same routers.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import _IncludedRouter
from starlette.routing import BaseRoute


@pytest.fixture(scope="session", autouse=True)
def shared_routes() -> Iterator[None]:
    """Applications that include a router in the same way include the same one; nothing in it is of an application.

    Those that include the same routers have the same document but for the address of their server.
    """
    shared: dict[int, _IncludedRouter] = {}  # by the identity of its router, which is kept with it
    include = FastAPI.include_router

    def share(app: FastAPI, router: APIRouter, **options: Any) -> None:
        include(app, router, **options)
        included = app.router.routes.pop()
        assert isinstance(included, _IncludedRouter)
        included.include_context.dependency_overrides_provider = None  # the application, for what no test uses
        known = shared.setdefault(id(router), included)
        app.router.routes.append(known if known.include_context == included.include_context else included)

    documents: dict[tuple[object, ...], tuple[list[BaseRoute], dict[str, Any]]] = {}  # with the routes, as above

    def describe(*, routes: list[BaseRoute], servers: list[dict[str, Any]], **about: Any) -> dict[str, Any]:
        key = tuple(id(one) if isinstance(one, _IncludedRouter) else getattr(one, "path", "") for one in routes)
        if key not in documents:
            documents[key] = ([*routes], get_openapi(routes=routes, servers=servers, **about))
        return deepcopy(documents[key][1]) | {"servers": servers}

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FastAPI, "include_router", share)
        patched.setattr("elcano.api.openapi.get_openapi", describe)
        yield
