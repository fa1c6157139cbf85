"""Runs that ended long ago are deleted by themselves, those of all tenants, and no others."""

import logging
import time

import httpx
import pytest
from temporalio.client import Client

from elcano.service.errors import TemporalRefused, TemporalUnavailable
from elcano.service.runs import deletion
from elcano.service.runs.deletion import DAY, Expiry
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.storage.store import Store
from tests.api.asking import start
from tests.api.serving import connecting
from tests.api.test_runs import ended


@pytest.fixture
async def server(temporal: Client, task_queue: str) -> Temporal:
    return Temporal(Connection(connecting(temporal)), task_queue)


async def keep(store: Store, run_id: str, tenant: str = "default", days: float = 10.0) -> None:
    """A run that ended so many days ago."""
    run = ended(run_id, tenant=tenant, finished_at=time.time() - days * DAY)
    await store.of(tenant).runs.archive(run, [])


async def left(store: Store, *tenants: str) -> list[str]:
    pages = [await store.of(tenant).runs.page(limit=99) for tenant in tenants or ("default",)]
    return sorted(run.run_id for page in pages for run in page.runs)


@pytest.mark.usefixtures("worker")
async def test_what_is_older_than_the_setting_goes(
    api: httpx.AsyncClient, store: Store, server: Temporal, caplog: pytest.LogCaptureFixture
) -> None:
    going = await start(api)
    await keep(store, "a-old", "a")
    await keep(store, "b-old", "b")
    await keep(store, "b-young", "b", days=6.9)
    caplog.set_level(logging.INFO, "api.deletion")
    await Expiry(server, store, keep_days=7).look()
    assert await left(store, "default", "a", "b") == ["b-young", going]
    told = [record.message for record in caplog.records if record.name == "api.deletion"]
    assert told == [f"run {run_id} was deleted: it ended more than 7 days ago" for run_id in ("a-old", "b-old")]


async def test_without_the_setting_nothing_goes(store: Store, server: Temporal) -> None:
    await keep(store, "run-1", days=5_000)
    await Expiry(server, store, keep_days=0).look()
    assert await left(store) == ["run-1"]


async def test_some_go_at_a_time_the_oldest_first(
    store: Store, server: Temporal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "EXPIRED_AT_ONCE", 2)
    for days in (11, 13, 12):
        await keep(store, f"run-{days}", days=days)
    expiry = Expiry(server, store, keep_days=1)
    await expiry.look()
    assert await left(store) == ["run-11"]
    await expiry.look()
    assert await left(store) == []


async def test_one_that_cannot_be_deleted_does_not_keep_the_others(
    store: Store, server: Temporal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(deletion, "EXPIRED_AT_ONCE", 1)
    real = Temporal.delete

    async def refused(self: Temporal, run_id: str, branches: list[str], archived: str) -> None:
        if run_id == "run-stuck":
            raise TemporalRefused("not for you")
        await real(self, run_id, branches, archived)

    await keep(store, "run-stuck", days=20)
    await keep(store, "run-other", days=10)
    expiry = Expiry(server, store, keep_days=1)
    with monkeypatch.context() as broken:
        broken.setattr(Temporal, "delete", refused)
        for _ in range(2):
            await expiry.look()
    assert await left(store) == ["run-stuck"]
    assert "run run-stuck" in caplog.text
    assert "not for you" in caplog.text
    for _ in range(2):  # all were seen; from now on it is tried again
        await expiry.look()
    assert await left(store) == []


async def test_while_temporal_is_away_nothing_goes(store: Store) -> None:
    async def client() -> Client:
        return await Client.connect("127.0.0.1:1")

    await keep(store, "run-1")
    with pytest.raises(TemporalUnavailable):
        await Expiry(Temporal(Connection(client), "nobody's"), store, keep_days=1).look()
    assert await left(store) == ["run-1"]
