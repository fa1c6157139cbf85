"""Every test of the store runs on each database, with its objects in a folder or in S3, encrypted and in clear."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

import pytest

from elcano.operations.encryption.keys import INDEX, make_key
from elcano.storage.store import Store, TenantStore, open_store


class Opened(Protocol):
    """Opens the test's store, as often as one likes."""

    def __call__(self) -> AbstractAsyncContextManager[Store]: ...


@pytest.fixture(params=["sqlite", "sqlite encrypted", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A SQLite file with objects beside it, or PostgreSQL with S3."""
    if request.param == "sqlite encrypted":
        monkeypatch.setenv("ELCANO_ENCRYPTION_KEYS", f"{make_key()},{make_key(INDEX)}")
    if request.param.startswith("sqlite"):
        return lambda: open_store(tmp_path)
    database: str = request.getfixturevalue("postgres_tables")
    objects: str = request.getfixturevalue("s3")
    return lambda: open_store(tmp_path, database=database, objects=objects)


@pytest.fixture
async def whole(opened: Opened) -> AsyncIterator[Store]:
    """The store of all tenants."""
    async with opened() as store:
        yield store


@pytest.fixture
def store(whole: Store) -> TenantStore:
    """What is kept for one tenant."""
    return whole.of("default")
