"""An API with keys, over a store on each database; nothing here needs Temporal."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.operations.access.access_store import AccessStore, get_access
from elcano.service.permissions import Permission, Role
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from tests.api.serving import speaking

MakeKey: TypeAlias = Callable[..., "httpx.Auth"]


class Bearer(httpx.Auth):
    """Sends a token, as programs do."""

    def __init__(self, token: str) -> None:
        self.token = token

    def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


@pytest.fixture(autouse=True)
def _access(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_API_KEYS", "true")


EACH_DATABASE = pytest.mark.parametrize("store", ["sqlite", "postgresql"], indirect=True)
"""For what is a matter of the store; what is one of HTTP is tested with SQLite alone."""


@pytest.fixture
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    database = request.getfixturevalue("postgres_tables") if getattr(request, "param", "") == "postgresql" else ""
    async with open_store(tmp_path, database=database) as opened:
        yield opened


@pytest.fixture
def access(store: Store) -> AccessStore:
    return get_access(store)


@pytest.fixture
def app(store: Store, tmp_path: Path) -> FastAPI:
    return create_app(Settings(data_dir=tmp_path, _env_file=None), store=store)


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with speaking(app) as client:
        yield client


async def make_key(
    access: AccessStore,
    role: Role = "admin",
    *,
    tenant: str = "acme",
    scopes: tuple[Permission, ...] = (),
    expires_at: float | None = None,
) -> Bearer:
    """A key, ready to be sent."""
    made, _ = await access.of(tenant).create_key(f"the {role}", role, scopes, expires_at, "")
    return Bearer(made.text)
