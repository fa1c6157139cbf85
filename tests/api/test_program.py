"""The program: it starts without Temporal, serves, and ends cleanly on SIGTERM even while a stream is open."""

import asyncio
import signal
import socket
import sys
from pathlib import Path

import httpx

from elcano import __version__
from elcano.dev.claims import free_ports
from elcano.graphs.records import ArchivedRun
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.api.sse import following

ROOT = Path(__file__).parents[2]


async def answering(client: httpx.AsyncClient) -> None:
    while True:
        try:
            if (await client.get("/healthz")).is_success:
                return
        except httpx.TransportError:
            await asyncio.sleep(0.05)


async def test_the_program_serves_without_temporal_and_ends_on_sigterm(tmp_path: Path) -> None:
    api, temporal = free_ports(2)
    settings = Settings(data_dir=tmp_path, api_port=api, temporal_port=temporal)
    run = ArchivedRun(run_id="run-1", question="q", mode="iterative", status="running", started_at=4e9)
    async with open_store(tmp_path) as store:
        await store.of("default").runs.begin(run)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "elcano.api", cwd=ROOT, env=settings.environment(), stderr=asyncio.subprocess.PIPE
    )
    async with httpx.AsyncClient(base_url=settings.base_url, timeout=60) as client:
        await answering(client)
        answer = await client.get("/v1/runs/run-1")
        assert answer.json()["stale"]
        assert answer.headers.get_list("Server") == [f"elcano/{__version__}"]
        assert (await client.get("/openapi.json")).json()["info"]["version"] == __version__
    async with following(f"{settings.base_url}/v1/runs/run-1/events") as messages:
        assert (await anext(messages)).data["message"].startswith("Temporal cannot be reached")
        process.send_signal(signal.SIGTERM)
        assert [message async for message in messages] == []
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    assert "Traceback" not in said.decode()
    assert f"elcano {__version__} on Python" in said.decode()


async def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = Settings(data_dir=tmp_path, api_port=listener.getsockname()[1])
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "elcano.api", cwd=ROOT, env=settings.environment(), stderr=asyncio.subprocess.PIPE
        )
        _, said = await process.communicate()
    assert process.returncode != 0
    assert "address already in use" in said.decode()
