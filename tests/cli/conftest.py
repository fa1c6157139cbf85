"""A real stack to watch: the API behind a server, the real workflow on the real Temporal, agents that are scripted."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.api.app import create_app
from elcano.graphs.frozen import JsonObject
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from tests.api.scripted import archiving
from tests.api.serving import connecting, serving
from tests.workflow.conftest import worker_for


class Stack:
    """Where it is, and when its agents may answer."""

    def __init__(self, url: str, script: Script) -> None:
        self.url = url
        self.script = script
        self.answering = asyncio.Event()
        script.watching = self._wait

    async def _wait(self, given: JsonObject) -> None:
        async with send_heartbeats():
            await self.answering.wait()


@pytest.fixture
async def stack(temporal: Client, tmp_path: Path) -> AsyncIterator[Stack]:
    queue, script = f"cli-{uuid.uuid4()}", Script()

    async with open_store(tmp_path / "data") as store:
        *activities, _ = scripted_activities(script)
        settings = Settings(_env_file=None, data_dir=tmp_path / "data", collections={"library": tmp_path})
        app = create_app(settings, store=store, client=connecting(temporal), task_queue=queue)
        worker = worker_for(temporal, queue, [*activities, archiving(store)], cached_workflows=10)
        async with worker, serving(app) as url:
            yield Stack(url, script)
