"""Everything that was shown of a run is there without workers, without Temporal, and after it has forgotten the run."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.service.temporal import connection, executions, history
from elcano.service.temporal.executions import Execution, describe_execution
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.api.serving import speaking
from tests.certificates.conftest import research, researched

Shown: TypeAlias = dict[str, tuple[int, bytes]]
Connect: TypeAlias = Callable[[], Awaitable[Client]]


async def everything(api: httpx.AsyncClient, run_id: str) -> Shown:
    """All that can be read of an ended run."""
    found = {}
    for path in ("", "/report", "/evidence", "/events", "/certificate"):
        answer = await api.get(f"/v1/runs/{run_id}{path}")
        found[path or "/"] = (answer.status_code, answer.content)
    report = await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})
    return {**found, "report": (report.status_code, report.content)}


@asynccontextmanager
async def reading(folder: Path, connect: Connect) -> AsyncIterator[httpx.AsyncClient]:
    """An API process that begins now, without a worker."""
    settings = Settings(_env_file=None, data_dir=folder / "data", package_readmes=False)
    async with (
        open_store(settings.data_dir) as store,
        speaking(create_app(settings, store=store, client=connect, task_queue="nobody's")) as api,
    ):
        yield api


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


async def test_a_server_that_takes_connections_and_says_nothing_is_given_up(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT", timedelta(milliseconds=200))
    monkeypatch.setenv("TEMPORAL_ADDRESS", silent)
    with pytest.raises(RuntimeError, match="no answer within"):
        await connection.connect_client(Settings(_env_file=None))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["iterative", "deep"])
async def test_all_that_was_shown_stays(temporal: Client, tmp_path: Path, silent: str, kind: str) -> None:
    async with research(temporal, tmp_path) as api:
        run_id = await researched(api, kind)
        shown = await everything(api, run_id)
    assert {status for status, _ in shown.values()} == {200}

    async def there() -> Client:
        return temporal

    async def away() -> Client:
        return await Client.connect("127.0.0.1:1")

    async def mute() -> Client:
        return await Client.connect(silent)

    async with reading(tmp_path, there) as api:
        assert await everything(api, run_id) == shown
    await history.delete_workflows(temporal, run_id, ())
    for connect in (there, away, mute):
        async with reading(tmp_path, connect) as api:
            assert await everything(api, run_id) == shown


async def test_a_server_that_went_away_is_not_asked_for_every_read(
    temporal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def hanging(client: Client, run_id: str, *, again: bool) -> Execution:
        asked.append(run_id)
        await asyncio.Event().wait()
        return await describe_execution(client, run_id, again=again)

    async with research(temporal, tmp_path) as api:
        run_id = await researched(api, "iterative")
        shown = await everything(api, run_id)
        monkeypatch.setattr(executions, "describe_execution", hanging)
        assert await everything(api, run_id) == shown
        assert await everything(api, run_id) == shown
        assert asked == [run_id]


async def test_one_that_answers_again_is_asked_again(
    temporal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a run that somebody reset is seen to go on."""
    monkeypatch.setattr(executions, "SILENT_SECONDS", 0.0)
    asked = []

    async def counting(client: Client, run_id: str, *, again: bool) -> Execution:
        asked.append(run_id)
        if len(asked) == 1:
            raise TimeoutError
        return await describe_execution(client, run_id, again=again)

    async with research(temporal, tmp_path) as api:
        run_id = await researched(api, "iterative")
        monkeypatch.setattr(executions, "describe_execution", counting)
        for _ in range(3):
            assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "completed"
    assert asked == [run_id] * 3
