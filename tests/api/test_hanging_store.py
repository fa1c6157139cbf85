"""A server of objects that takes connections and never answers is away: everybody is told so, after seconds."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.graphs.errors import StoreUnavailable
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.state import ReportRef
from elcano.service import process
from elcano.settings.settings import Settings
from elcano.storage import objects
from elcano.storage.objects import Objects, open_objects
from elcano.storage.store import open_store
from tests.api.serving import connecting, speaking
from tests.stores import S3_VARIABLES


@pytest.fixture
async def hanging(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """The URL of a bucket of a server that never answers; patience with it is short."""
    monkeypatch.setattr(objects, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(process, "ANSWER_SECONDS", 0.2)
    connected: list[asyncio.StreamWriter] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)
        await reader.read()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    for name, value in {**S3_VARIABLES, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(name, value)
    yield "s3://bucket/place"
    assert connected, "the server was asked"
    for writer in connected:
        writer.close()
    server.close()
    await server.wait_closed()


async def test_every_deed_ends(hanging: str, tmp_path: Path) -> None:
    kept = open_objects(hanging, tmp_path)
    for deed in (kept.put("key", b"data"), kept.get("key"), kept.delete_below("prefix")):
        with pytest.raises(StoreUnavailable, match="s3://bucket/place"):
            await deed
    kept.close()


async def test_readiness_and_readers_are_answered(
    hanging: str, tmp_path: Path, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path, objects_url=hanging)
    async with open_store(tmp_path, objects=hanging) as store:
        with monkeypatch.context() as answering:  # when the report was kept
            answering.setattr(Objects, "put", _taken)
            key = await store.of("default").artifacts.put("default-run", "{}", "application/json")
        report = ReportRef(
            artifact=key, title="A", answered=True, partial=None, words=1, references=0, verified=0, unverified=0
        )
        run = ArchivedRun(
            run_id="default-run", question="q", mode="iterative", status="completed", started_at=1.0, finished_at=2.0
        ).model_copy(update={"report": report})
        await store.of("default").runs.archive(run, [])
        async with speaking(create_app(settings, store=store, client=connecting(temporal), task_queue="nobody")) as api:
            ready, *others = await asyncio.gather(*(api.get("/readyz") for _ in range(5)))
            assert ready.status_code == 503
            told = ready.json()["checks"]["store"]
            assert not told["ok"]
            assert "did not answer" in told["detail"]
            assert {one.json()["checks"]["store"]["detail"] for one in others} == {told["detail"]}
            answer = await api.get(f"/v1/runs/{run.run_id}/report")
            assert answer.status_code == 503, answer.text
            assert answer.json()["type"] == "urn:elcano:store-unavailable"


async def _taken(self: Objects, key: str, data: bytes) -> None:
    """It was kept."""
