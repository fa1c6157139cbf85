"""An API while a test needs it: behind a real server, or spoken to in this process."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send
from temporalio.client import Client

_log = logging.getLogger("tests.api")


def connecting(client: Client) -> Callable[[], Awaitable[Client]]:
    """How an API connects to Temporal that is to have this client."""

    async def connect() -> Client:
        return client

    return connect


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """Serves `app` on a free port; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await task


@asynccontextmanager
async def speaking(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client of `app` without a network; an error that nobody foresaw is logged and is an answer, as by a server."""

    async def logged(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except Exception:
            _log.exception("nobody foresaw this")
            raise

    transport = httpx.ASGITransport(logged, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as made,
    ):
        yield made
