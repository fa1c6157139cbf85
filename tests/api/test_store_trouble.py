"""A store that cannot be used: every route says so, and readiness finds out without writing all the time."""

import errno
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.service import process
from elcano.settings.settings import Settings
from elcano.storage.health import Probe, store_trouble
from elcano.storage.runs import RunStore
from elcano.storage.store import Store, open_store
from tests.api.serving import connecting, speaking

ROUTES = [
    ("POST", "/v1/runs", {"question": "Why?"}),
    ("GET", "/v1/runs", None),
    ("GET", "/v1/runs/run-1", None),
    ("GET", "/v1/runs/run-1/events", None),
    ("GET", "/v1/runs/run-1/report", None),
    ("GET", "/v1/runs/run-1/evidence", None),
    ("POST", "/v1/runs/run-1/stop", None),
]


def of_store(answer: httpx.Response) -> str:
    assert answer.status_code == 503, answer.text
    assert answer.headers["retry-after"].isdigit()
    assert answer.json()["type"] == "urn:elcano:store-unavailable"
    detail: str = answer.json()["detail"]
    return detail


def full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no connection that is opened from here on make the file larger than it is."""
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")  # pages that migrations freed are room
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    monkeypatch.setattr(
        "elcano.storage.sql.dialect._PRAGMAS", (f"PRAGMA max_page_count = {pages}", "PRAGMA busy_timeout = 100")
    )


@pytest.fixture
async def crowded(
    tmp_path: Path, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """An API over a store without room for anything new."""
    async with open_store(tmp_path / "full"):
        pass
    full(tmp_path / "full" / "elcano.db", monkeypatch)

    settings = Settings(data_dir=tmp_path / "full", collections={"handbook": tmp_path})
    async with speaking(create_app(settings, client=connecting(temporal), task_queue="nobody")) as made:
        yield made


async def test_a_full_disk_is_said_by_what_needs_room_and_by_readiness(crowded: httpx.AsyncClient) -> None:
    refusals = [await crowded.post("/v1/runs", json={"question": "x" * 9_000}) for _ in range(3)]
    assert "its disk is full" in of_store(refusals[-1])
    ready = await crowded.get("/readyz")
    assert ready.status_code == 503
    assert not ready.json()["checks"]["store"]["ok"]
    assert "its disk is full" in ready.json()["checks"]["store"]["detail"]
    assert (await crowded.get("/v1/runs")).json()["runs"] == []


async def test_readiness_writes_seldom_and_again_after_a_failure(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []
    broken = False
    write = Probe.write

    async def counted(self: Probe) -> None:
        written.append(broken)
        if broken:
            raise OSError(errno.ENOSPC, "No space left on device")
        await write(self)

    monkeypatch.setattr(Probe, "write", counted)

    async def store_ok() -> bool:
        ok: bool = (await api.get("/readyz")).json()["checks"]["store"]["ok"]
        return ok

    assert [await store_ok() for _ in range(5)] == [True] * 5
    assert len(written) == 1
    broken = True
    monkeypatch.setattr(process, "GOOD_SECONDS", -1.0)
    assert await store_ok()  # remembered

    async def unreadable(self: RunStore, run_id: str) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(RunStore, "get", unreadable)
        assert "reports an error" in of_store(await api.get("/v1/runs/run-1"))
    assert [await store_ok() for _ in range(2)] == [False, False]
    broken = False
    assert await store_ok()
    assert written == [False, True, True, False]


async def test_what_a_probe_keeps_is_new_each_time_and_replaces_the_last(store: Store, tmp_path: Path) -> None:
    def rows() -> list[tuple[str, int]]:
        with sqlite3.connect(tmp_path / "data" / "elcano.db") as connection:
            return connection.execute("SELECT id, length(filling) FROM probes").fetchall()

    await store.probe.write()
    first = rows()
    await store.probe.write()
    assert [len(found) for found in (first, rows())] == [1, 1]
    assert first != rows()


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_a_damaged_file_is_said_by_every_route(
    make_app: Callable[[Settings], FastAPI],
    api: httpx.AsyncClient,
    tmp_path: Path,
    method: str,
    path: str,
    body: dict[str, str] | None,
) -> None:
    assert (await api.get("/v1/runs")).status_code == 200
    for file in (tmp_path / "data").iterdir():
        if file.name.startswith("elcano.db"):
            file.write_bytes(b"not a database at all" * 1_000)
    assert "its file is damaged" in of_store(await api.request(method, path, json=body))


async def test_a_lock_that_stays_is_said(tmp_path: Path, temporal: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(data_dir=tmp_path / "data", collections={"handbook": tmp_path})
    monkeypatch.setattr("elcano.storage.sql.dialect._PRAGMAS", ("PRAGMA busy_timeout = 50",))
    async with speaking(create_app(settings, client=connecting(temporal), task_queue="nobody")) as api:
        with sqlite3.connect(tmp_path / "data" / "elcano.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            refused = await api.post("/v1/runs", json={"question": "Why?"})
            other.execute("ROLLBACK")
        assert "locked" in of_store(refused)
        other.close()


def test_other_errors_are_not_the_stores() -> None:
    assert store_trouble(ValueError("x")) is None
    assert store_trouble(ConnectionResetError(errno.ECONNRESET, "reset")) is None
    assert store_trouble(OSError(errno.EROFS, "read-only")) is not None
