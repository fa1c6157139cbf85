"""Watches and deliveries whose workflow is lost begin again; those that are open, done or young are left alone."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from temporalio.client import Client

from elcano.doors.webhooks.contracts import Message
from elcano.doors.webhooks.lost_work import begin_lost_deliveries, begin_lost_watches
from elcano.doors.webhooks.webhook_store import TenantWebhooks, get_webhooks
from elcano.graphs.contracts import RunStatus
from elcano.graphs.records import ArchivedRun
from elcano.service.temporal.background_starts import LOST_SECONDS
from elcano.storage.store import Store, open_store
from tests.unit.doors.temporal_server import Server


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


def client(server: Server) -> Client:
    return cast("Client", server)


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + seconds)


async def note(webhooks: TenantWebhooks, endpoint: str, id: str) -> None:
    await webhooks.add_delivery(endpoint, Message(id=id, type="run.held", at=1.0, run_id="run-1"))


async def test_only_waiting_deliveries_without_a_workflow_begin_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks = get_webhooks(store.of("a"))
    server = Server("webhook-e-open")
    assert await begin_lost_deliveries(client(server), store) == 0
    assert server.queries == [], "nothing waits"
    for id in ("open", "lost", "taken", "failed"):
        await note(webhooks, "e", id)
    await webhooks.note_attempt("e", "taken", "delivered", 200, "")
    await webhooks.give_up("e", "failed")
    assert await begin_lost_deliveries(client(server), store) == 0, "its workflow may not be listed yet"
    pass_time(monkeypatch, LOST_SECONDS + 1)
    assert await begin_lost_deliveries(client(server), store) == 1
    assert server.started == ["WebhookDelivery webhook-e-lost"]
    assert server.queries == ["WorkflowType = 'WebhookDelivery' AND ExecutionStatus = 'Running'"]


async def test_a_delivery_that_begins_again_keeps_what_is_left_of_its_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_WEBHOOK_DAYS", "3")
    server = Server()
    await note(get_webhooks(store.of("a")), "e", "lost")
    for passed, left in ((86_400.0, 2.0), (86_400.0 * 5, 1 / 24)):
        pass_time(monkeypatch, passed)
        await begin_lost_deliveries(client(server), store)
        assert server.works[-1].days == pytest.approx(left, rel=1e-3)


async def test_a_delivery_that_is_taken_while_workflows_are_listed_is_not_sent_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks, server = get_webhooks(store.of("a")), Server()
    await note(webhooks, "e", "taken")
    listing = server.list_workflow_executions

    async def take_meanwhile(*given: object, **named: object) -> object:
        await webhooks.note_attempt("e", "taken", "delivered", 200, "")
        return await listing(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(server, "list_workflow_executions", take_meanwhile)
    pass_time(monkeypatch, LOST_SECONDS + 1)
    assert await begin_lost_deliveries(client(server), store) == 0


async def keep_run(store: Store, tenant: str, name: str, started_at: float, status: RunStatus = "running") -> None:
    run = ArchivedRun(
        tenant=tenant, run_id=f"{tenant}-{name}", question="Why?", mode="simple", status=status, started_at=started_at
    )
    await store.of(tenant).runs.begin(run)
    if status != "running":
        await store.of(tenant).runs.archive(run, [])


async def test_only_open_runs_that_an_endpoint_is_told_of_are_watched_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    server = Server("webhooks-a-watched")
    for name in ("before", "single"):
        await keep_run(store, "a", name, now - 10)
    await get_webhooks(store.of("a")).create("https://example.org/", ["run.held"], "a-single", "", "")
    await get_webhooks(store.of("a")).create("https://example.org/", ["run.held"], "", "", "")
    for name in ("watched", "lost", "lost.0004.loop-1"):
        await keep_run(store, "a", name, now + 10)
    await keep_run(store, "a", "over", now + 10, "completed")
    await keep_run(store, "b", "of-another", now + 10)
    assert await begin_lost_watches(client(server), store) == 0, "their workflows may not be listed yet"
    pass_time(monkeypatch, LOST_SECONDS + 11)
    assert await begin_lost_watches(client(server), store) == 2
    assert sorted(server.started) == ["WebhookWatch webhooks-a-lost", "WebhookWatch webhooks-a-single"]
