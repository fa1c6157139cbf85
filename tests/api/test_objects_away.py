"""A server of objects that is away for a while: runs wait, say so, lose nothing; one answer may be paid twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import open_store
from tests.api.again.going_on import QUESTION, Provider, ended, serving_alone, until
from tests.api.asking import start
from tests.stores import make_bucket

Json = dict[str, Any]


@dataclass
class Gate:
    """A way to a server that can be shut."""

    host: str
    port: int
    is_shut: bool = False
    open_ways: set[asyncio.StreamWriter] = field(default_factory=set)

    def shut(self) -> None:
        """Break the connections that there are, and refuse others."""
        self.is_shut = True
        for one in list(self.open_ways):
            one.close()

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_shut:
            writer.close()
            return
        there, back = await asyncio.open_connection(self.host, self.port)
        self.open_ways |= {writer, back}
        await asyncio.gather(self._copy(reader, back), self._copy(there, writer))
        self.open_ways -= {writer, back}

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()


@pytest.fixture
async def gate(s3_server: str) -> AsyncIterator[tuple[Gate, str]]:
    """A gate before the server of objects, and the address to go through it."""
    place = urlsplit(s3_server)
    gate = Gate(str(place.hostname), place.port or 80)
    server = await asyncio.start_server(gate.pass_on, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    yield gate, f"http://{host}:{port}"
    gate.shut()
    server.close()


@pytest.mark.long
@pytest.mark.parametrize("agent", ["thinking", "writer"])
async def test_a_run_outlives_a_store_of_objects_that_is_away(
    agent: str,
    gate: tuple[Gate, str],
    tmp_path: Path,
    temporal: Client,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way, address = gate
    url = await asyncio.to_thread(make_bucket, address, monkeypatch)
    settings = api_settings.model_copy(update={"objects_url": url})
    provider = Provider()
    provider.slow[(agent, "")] = 2.0
    async with open_store(tmp_path, objects=url) as store, serving_alone(temporal, store, settings, provider) as api:
        run_id = await start(api, QUESTION)
        await provider.asked((agent, QUESTION))
        way.shut()

        async def has_noticed() -> bool:
            return not (await api.get("/readyz")).json()["checks"]["store"]["ok"]

        await until(has_noticed)
        await asyncio.sleep(8)  # the answer could not be stored, and its call is tried again
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "running"
        way.is_shut = False
        view = await ended(api, run_id)
        used = await store.of("default").ledger.used(run_id)
    assert view["status"] == "completed"
    assert used.tokens == view["budget"]["used"]["tokens"]
    assert used.requests == len(provider.model.tasks)
    assert max(provider.calls().values()) <= 2, "no model is asked again before objects can be stored"
