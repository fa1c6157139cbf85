"""Research in earnest over one small handbook, on a task queue of the test's own."""

from pathlib import Path

import pytest

from elcano.settings import Settings
from tests.api.handbook import handbook_settings


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return handbook_settings(tmp_path)


@pytest.fixture(autouse=True)
def on_own_queue(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr("elcano.worker.TASK_QUEUE", task_queue)
