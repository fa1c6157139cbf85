"""An API over the shared Temporal server, with a store and a task queue of its own for each test."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client
from temporalio.worker import Worker

from api.app import create_app
from settings import Settings
from storage.store import Store, open_store
from tests.api import scripted
from tests.api.serving import serving

StartRun = Callable[..., Awaitable[str]]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def task_queue() -> str:
    return f"api-{uuid4().hex}"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", collections={"handbook": tmp_path}, package_readmes=True)


@pytest.fixture
def app(api_settings: Settings, store: Store, temporal: Client, task_queue: str) -> FastAPI:
    async def client() -> Client:
        return temporal

    return create_app(api_settings, store=store, client=client, task_queue=task_queue)


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://api") as made:
        yield made


@pytest.fixture
async def served(app: FastAPI) -> AsyncIterator[str]:
    """The API behind a real server; yields its address."""
    async with serving(app) as address:
        yield address


@pytest.fixture
async def other(api_settings: Settings, store: Store, temporal: Client, task_queue: str) -> AsyncIterator[str]:
    """A second API process, as far as the first can tell."""

    async def client() -> Client:
        return temporal

    async with serving(create_app(api_settings, store=store, client=client, task_queue=task_queue)) as address:
        yield address


@pytest.fixture
def make_worker(temporal: Client, store: Store, task_queue: str) -> Callable[[], Worker]:
    return lambda: scripted.worker(temporal, store, task_queue)


@pytest.fixture
async def worker(make_worker: Callable[[], Worker]) -> AsyncIterator[None]:
    async with make_worker():
        yield


@pytest.fixture
def unreachable(api_settings: Settings, store: Store) -> FastAPI:
    """An API whose Temporal server is away."""

    async def client() -> Client:
        return await Client.connect("127.0.0.1:1")

    return create_app(api_settings, store=store, client=client)
