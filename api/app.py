"""The application is made by one function, and everything that it works with can be given to it.

Nothing is connected at import. The store is opened when the application starts; Temporal is connected by the first
call that needs it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from temporalio.client import Client

from elcano import __version__
from elcano.api import agents, graphs, health, modes, openapi, sources
from elcano.api.control.routes import router as control_router
from elcano.api.events.sse import router as event_router
from elcano.api.http.body_limit import BodyLimit
from elcano.api.http.errors import problem_docs
from elcano.api.http.methods import Conditional, HttpMethods
from elcano.api.http.problems import install_error_handlers
from elcano.api.http.request_guards import CrossOrigin, Trust, refuse_unknown_parameters, require_json
from elcano.api.http.request_identity import Identity, build_identity, map_route_permissions
from elcano.api.http.stream_check import StreamCheck
from elcano.api.openapi import add_manual, build_openapi_document
from elcano.api.reports.routes import router as report_router
from elcano.api.resume.routes import router as resume_router
from elcano.api.runs.routes import router as run_router
from elcano.api.services import Process, Writable
from elcano.api.steps.routes import router as step_router
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.plugin import Surroundings, load_objects
from elcano.service.errors import RequestInvalid, TemporalUnavailable
from elcano.service.events.watcher import Feeds
from elcano.service.runs.deletion import Expiry
from elcano.service.runs.endings import Reconciler
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection, connect_client, workflows_page
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_configured

ROUTERS: Final = (
    run_router,
    event_router,
    control_router,
    resume_router,
    report_router,
    step_router,
    modes.router,
    graphs.router,
    agents.router,
    sources.router,
    health.router,
)
MONITORING_PATHS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_log = logging.getLogger("api.reconciler")

TITLE = "Elcano"
DESCRIPTION = "Durable deep research: a question over HTTP, a report whose citations were checked."


def create_app(
    settings: Settings,
    *,
    store: Store | None = None,
    client: Callable[[], Awaitable[Client]] | None = None,
    task_queue: str = TASK_QUEUE,
    identity: Identity | None = None,
) -> FastAPI:
    """The API.

    Args:
        settings: Where the store and Temporal are, and which sources there are.
        store: An open store to use; it is not closed. Left out: the one that the settings name.
        client: Makes the Temporal client; left out: connects as the settings say.
        task_queue: Where runs are put.
        identity: Identifies the caller; left out: as the settings say.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            kept = await stack.enter_async_context(open_configured(settings)) if store is None else store
            connection = Connection(client or partial(connect_client, settings))
            temporal = Temporal(connection, task_queue)
            feeds = Feeds(temporal, kept)
            stack.push_async_callback(feeds.close)
            await stack.enter_async_context(_reconcile_in_background(temporal, kept, settings))
            app.state.feeds = feeds
            app.state.services = Process(
                settings, kept, temporal, Writable(kept.probe), feeds.forget, workflows_page(settings)
            )
            surroundings = Surroundings("api", settings, kept, connection.client)
            for accompany in load_objects("companions"):
                await stack.enter_async_context(accompany(surroundings))
            yield

    app = FastAPI(
        title=TITLE,
        description=DESCRIPTION,
        version=__version__,
        license_info={"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        dependencies=[Depends(require_json), Depends(refuse_unknown_parameters)],
        responses=problem_docs(RequestInvalid),  # in place of the framework's own form of a refusal
        generate_unique_id_function=_operation_id,
        telemetry={"operation_spans": False, "logs": False, "exclude": _is_monitoring},  # traces if a plugin wants it
    )
    app.state.identity = identity or build_identity(settings)
    added = load_objects("routes")  # before the handlers: what plugins raise is defined with their routes
    install_error_handlers(app)
    app.add_middleware(StreamCheck)
    app.add_middleware(BodyLimit, routes=app.routes)
    app.add_middleware(Conditional)
    app.add_middleware(HttpMethods, routes=app.routes)
    if settings.allowed_origins:
        app.add_middleware(CrossOrigin, settings=settings)
    app.add_middleware(Trust, settings=settings)
    for middleware in load_objects("middleware"):
        app.add_middleware(middleware, settings=settings)  # the last one is the first to see a request
    add_manual(app)
    for router in (*ROUTERS, *added, openapi.router):  # the last one: a plugin may have a page of its own at `/`
        app.include_router(router)
    permissions = map_route_permissions(app.routes)
    app.openapi = partial(build_openapi_document, app, settings, permissions)  # type: ignore[method-assign]
    return app


def _is_monitoring(scope: MutableMapping[str, Any]) -> bool:
    """Whether a request is one that monitoring sends every few seconds."""
    return scope.get("path") in MONITORING_PATHS


def _operation_id(route: APIRoute) -> str:
    return route.name


@asynccontextmanager
async def _reconcile_in_background(temporal: Temporal, store: Store, settings: Settings) -> AsyncIterator[None]:
    """Reconciles at once and then every `reconcile_seconds` while the block runs, and deletes expired runs."""
    looks = (Reconciler(temporal, store).look, Expiry(temporal, store, settings.keep_days).look)
    task = asyncio.create_task(_look_again_and_again(looks, settings.reconcile_seconds))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _look_again_and_again(looks: Iterable[Callable[[], Awaitable[None]]], every: float) -> None:
    while True:
        for look in looks:
            try:
                await look()
            except TemporalUnavailable as error:
                _log.warning("runs cannot be compared with Temporal now: %s", error)
            except Exception:  # a store that fails now may work at the next look, and requests report it too
                _log.exception("runs cannot be looked at; next try in %g s", every)
        await asyncio.sleep(every)
