"""Research in earnest over one small handbook, on a task queue of the test's own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import working
from tests.api.handbook import handbook_settings


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return handbook_settings(tmp_path)


@pytest.fixture(autouse=True)
def on_own_queue(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr("elcano.worker.TASK_QUEUE", task_queue)


@pytest.fixture
async def researching(temporal: Client, store: Store, api_settings: Settings) -> AsyncIterator[None]:
    """A worker whose agents ask the models that the settings name."""
    async with working(temporal, store, api_settings):
        yield
