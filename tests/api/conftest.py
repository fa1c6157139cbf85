"""An API over the shared Temporal server, with a store and a task queue of its own for each test."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.api.app import create_app
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store
from tests.api import scripted
from tests.api.serving import connecting, serving, speaking


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def task_queue() -> str:
    return f"api-{uuid4().hex}"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    (tmp_path / "handbook.md").write_text("# Handbook\n\nWhat everybody has to know.\n", encoding="utf-8")
    return Settings(data_dir=tmp_path / "data", collections={"handbook": tmp_path}, package_readmes=True)


@pytest.fixture
def make_app(store: Store, temporal: Client, task_queue: str) -> Callable[[Settings], FastAPI]:
    """Makes API processes that share the store and the server, as far as they can tell."""
    return lambda settings: create_app(settings, store=store, client=connecting(temporal), task_queue=task_queue)


@pytest.fixture
def app(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> FastAPI:
    return make_app(api_settings)


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with speaking(app) as client:
        yield client


@pytest.fixture
async def served(app: FastAPI) -> AsyncIterator[str]:
    """The API behind a real server; yields its address."""
    async with serving(app) as address:
        yield address


@pytest.fixture
async def other(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> AsyncIterator[str]:
    """A second API process."""
    async with serving(make_app(api_settings)) as address:
        yield address


@pytest.fixture
def make_worker(temporal: Client, store: Store, task_queue: str) -> Callable[[], Worker]:
    return lambda: scripted.worker(temporal, store, task_queue)


@pytest.fixture
async def worker(make_worker: Callable[[], Worker]) -> AsyncIterator[None]:
    async with make_worker():
        yield


@pytest.fixture
async def away(api_settings: Settings, store: Store) -> AsyncIterator[httpx.AsyncClient]:
    """An API whose Temporal server is away."""

    async def client() -> Client:
        return await Client.connect("127.0.0.1:1")

    async with speaking(create_app(api_settings, store=store, client=client)) as made:
        yield made
