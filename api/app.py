"""The application is made by one function, and everything that it works with can be given to it.

Nothing is connected at import. The store is opened when the application starts; Temporal is connected by the first
call that needs it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema
from temporalio.client import Client

from api.body_limit import BodyLimit
from api.connection import Connection, connect
from api.errors import Problem, install
from api.reconciler import reconciling
from api.routes import control, graphs, health, results, runs
from api.services import Services
from api.stream import Feeds
from api.temporal import Temporal
from graphs.contracts import TASK_QUEUE
from graphs.report import Report
from graphs.spec import ResearchGraph
from settings import Settings
from storage.store import Store, open_store

TITLE = "Elcano"
REFERRED = (Problem, Report, ResearchGraph)
"""Models that answers have without being a route's `response_model`."""
DESCRIPTION = "Durable deep research: a question over HTTP, a report whose citations were checked."


def create_app(
    settings: Settings,
    *,
    store: Store | None = None,
    client: Callable[[], Awaitable[Client]] | None = None,
    task_queue: str = TASK_QUEUE,
) -> FastAPI:
    """The API.

    Args:
        settings: Where the store and Temporal are, and which sources there are.
        store: An open store to use; it is not closed. Left out: the one in `settings.data_dir`.
        client: Makes the Temporal client; left out: connects as the settings say.
        task_queue: Where runs are put.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            kept = await stack.enter_async_context(open_store(settings.data_dir)) if store is None else store
            temporal = Temporal(Connection(client or partial(connect, settings)), task_queue)
            feeds = Feeds(temporal, kept)
            stack.push_async_callback(feeds.close)
            await stack.enter_async_context(reconciling(temporal, kept, settings.reconcile_seconds))
            app.state.services = Services(settings, kept, temporal, feeds)
            yield

    app = FastAPI(
        title=TITLE,
        description=DESCRIPTION,
        lifespan=lifespan,
        generate_unique_id_function=_operation_id,
    )
    install(app)
    app.add_middleware(BodyLimit)
    for router in (runs.router, control.router, results.router, graphs.router, health.router):
        app.include_router(router)
    app.openapi = partial(_openapi, app)  # type: ignore[method-assign]
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with the models that routes refer to by name."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes, tags=app.openapi_tags
        )
        _, named = models_json_schema(
            [(model, "serialization") for model in REFERRED], ref_template="#/components/schemas/{model}"
        )
        document["components"]["schemas"] |= named["$defs"]
        app.openapi_schema = document
    return app.openapi_schema
